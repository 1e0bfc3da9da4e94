// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/hmdsefi/faultline/sim/history"
)

// linearTimeout bounds the search for a legal order, in real time. A search that
// takes so long fails its seed: nothing is known about it.
const linearTimeout = time.Minute

// input is an operation on the register of one key.
type input struct {
	key, value string
	put        bool
}

// register is the model: each key holds what was put last.
var register = porcupine.Model{
	Partition: byKey,
	Init:      func() any { return "" },
	Step: func(state, in, out any) (bool, any) {
		if i := in.(input); i.put {
			return true, i.value
		}
		return out == state, state
	},
}

func byKey(ops []porcupine.Operation) [][]porcupine.Operation {
	place := map[string]int{}
	var parts [][]porcupine.Operation
	for _, op := range ops {
		key := op.Input.(input).key
		i, ok := place[key]
		if !ok {
			i = len(parts)
			place[key] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], op)
	}
	return parts
}

// checkHistory wants an order of the clients' operations that a single server would
// give the same answers to.
func (c *Cluster) checkHistory() error {
	ops := operations(c.world.History.Ops())
	switch porcupine.CheckOperationsTimeout(register, ops, linearTimeout) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return fmt.Errorf("no verdict on %d operations within %v", len(ops), linearTimeout)
	}
	for _, part := range byKey(ops) {
		if !porcupine.CheckOperations(register, part) {
			return fmt.Errorf("no order explains the %d operations on %s", len(part), part[0].Input.(input).key)
		}
	}
	return errors.New("no order explains the operations")
}

// operations turns a history into what the checker takes. A put whose outcome is
// open may take effect at any later time; one that nobody ever read can be left
// out, since it explains nothing.
func operations(ops []history.Op) []porcupine.Operation {
	read := map[string]bool{}
	for _, op := range ops {
		if v, ok := op.Output.(Value); ok {
			read[v.Value] = true
		}
	}
	var list []porcupine.Operation
	for _, op := range ops {
		in := op.Input.(Value)
		o := porcupine.Operation{
			Input: input{in.Key, in.Value, op.F == opPut},
			Call:  int64(op.CallIndex), Return: int64(op.ReturnIndex),
		}
		switch {
		case op.Status == history.OK:
			if out, ok := op.Output.(Value); ok {
				o.Output = out.Value
			}
		case op.F == opPut && op.Status != history.Fail && read[in.Value]:
			o.Return = math.MaxInt64
		default:
			continue
		}
		list = append(list, o)
	}
	return list
}
