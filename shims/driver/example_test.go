// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// A device that answers after 5 ms, made of one call: the goroutine waits, and the
// simulator goes on.
func Example() {
	ask := func(p *driver.Proc, question string) (answer string, err error) {
		err = p.Call("ask", func(c *driver.Call) {
			p.Node().After(5*time.Millisecond, func() {
				answer = question + "!"
				c.Finish(nil)
			})
		})
		return answer, err
	}
	bubble(func() {
		s := kernel.New(kernel.Config{Seed: 1})
		d := driver.New(s, driver.Arrival)
		n := s.AddNode("n", func(n *kernel.Node) {
			p := d.Proc(n)
			go func() { // ordinary code of a process
				for {
					answer, err := ask(p, "ping")
					fmt.Println(s.Now(), answer, err)
					if err != nil {
						return
					}
				}
			}()
		})
		s.At(kernel.Time(12*time.Millisecond), func() { n.Crash() })
		s.Start()
		d.Run(kernel.Time(time.Second), nil)
		d.Close()
	})
	// Output:
	// 0.005000000s ping! <nil>
	// 0.010000000s ping! <nil>
	// 0.012000000s  driver: the process is gone
}

// bubble runs fn in a bubble, for which an example has no *testing.T.
func bubble(fn func()) {
	testing.RunTests(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "bubble", F: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) { fn() })
		}}})
}
