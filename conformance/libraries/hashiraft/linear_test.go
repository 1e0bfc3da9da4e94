// SPDX-License-Identifier: MPL-2.0

package hashiraft_test

import (
	"fmt"
	"math"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/hmdsefi/faultline/conformance/libraries/hashiraft"
	"github.com/hmdsefi/faultline/sim/history"
)

// register is what each key is to its clients. An operation of which nobody knows whether it happened has no output.
var register = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, in, out any) (bool, any) {
		c := in.(hashiraft.Command)
		result, known := out.(hashiraft.Result)
		switch found := state.(string); {
		case c.Op == hashiraft.Put:
			return true, c.Value
		case c.Op == hashiraft.Get:
			return result.Value == found, found
		case known && (result.Value != found || result.Swapped != (found == c.Old)):
			return false, found
		case found == c.Old:
			return true, c.Value
		default:
			return true, found
		}
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%v: %v", in, out) },
}

// linearizable returns an error that shows what clients saw of the first key that no single register explains.
func linearizable(ops []history.Op) error {
	keys := map[string][]porcupine.Operation{}
	var order []string
	for _, op := range operations(ops) {
		key := op.Input.(hashiraft.Command).Key
		if keys[key] == nil {
			order = append(order, key)
		}
		keys[key] = append(keys[key], op)
	}
	for _, key := range order {
		switch porcupine.CheckOperationsTimeout(register, keys[key], time.Minute) {
		case porcupine.Illegal:
			return fmt.Errorf("no order explains the %d operations on %s", len(keys[key]), key)
		case porcupine.Unknown:
			return fmt.Errorf("no verdict on the %d operations on %s within a minute", len(keys[key]), key)
		}
	}
	return nil
}

// operations are those that tell something. A write of which nobody knows whether it happened may do so at any later
// time; if nobody has seen its value, which no other write has, it explains nothing and is left out.
func operations(ops []history.Op) []porcupine.Operation {
	seen := map[string]bool{}
	for _, op := range ops {
		if r, ok := op.Output.(hashiraft.Result); ok {
			seen[r.Value] = true
		}
	}
	var list []porcupine.Operation
	for _, op := range ops {
		c := op.Input.(hashiraft.Command)
		o := porcupine.Operation{Input: c, Call: int64(op.CallIndex), Return: math.MaxInt64}
		switch {
		case op.Status == history.OK:
			o.Output, o.Return = op.Output, int64(op.ReturnIndex)
		case op.Status == history.Fail || c.Op == hashiraft.Get || !seen[c.Value]:
			continue
		}
		list = append(list, o)
	}
	return list
}
