// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

func Example() {
	s := kernel.New(kernel.Config{})
	h := history.New(s.Now)
	s.At(5, func() {
		id := h.Invoke("c1", "get", "k1")
		s.After(10, func() { h.Complete(id, history.OK, "v1") })
	})
	s.At(7, func() { h.Invoke("c2", "put", map[string]string{"k1": "v2"}) })
	s.Run()
	if err := history.WriteJSONL(os.Stdout, h.Ops()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"faultline_history":1}
	// {"id":1,"process":"c1","f":"get","status":"ok","call":5,"return":15,"call_index":1,"return_index":3,"input":"k1","output":"v1"}
	// {"id":2,"process":"c2","f":"put","status":"pending","call":7,"call_index":2,"input":{"k1":"v2"}}
}

func ExampleReadJSONL() {
	_, err := history.ReadJSONL(strings.NewReader(`{"faultline_history":1}
{"id":1,"process":"c1","f":"get","status":"done","call":5,"call_index":1}`))
	fmt.Println(err)
	// Output: history: line 2: status "done": ok, fail, info or pending is accepted
}
