// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"fmt"
	"runtime/debug"
)

// Panic is what [Driver.Run] panics with when an event or the function of a call
// panicked.
type Panic struct {
	Value any    // the value that was given to panic
	Call  string // "node/inc key" of the call that ran, empty in an event
	Stack []byte // the stack of the panic, as debug.Stack prints it
}

// Error gives the value and the call, without the stack.
func (p *Panic) Error() string {
	if p.Call == "" {
		return fmt.Sprintf("panic in the simulation: %v", p.Value)
	}
	return fmt.Sprintf("panic in call %s: %v", p.Call, p.Value)
}

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// explainPanic is deferred by Run. The stack is that of the panic, since deferred
// functions run on top of it.
func (d *Driver) explainPanic() {
	v := recover()
	if v == nil {
		return
	}
	if p, ok := v.(*Panic); ok {
		panic(p)
	}
	panic(&Panic{Value: v, Call: d.running.describe(), Stack: debug.Stack()})
}

func (c *Call) describe() string {
	switch {
	case c == nil:
		return ""
	case c.proc.node == nil:
		return c.key
	}
	return fmt.Sprintf("%s/%d %s", c.proc.node.Name(), c.proc.inc, c.key)
}
