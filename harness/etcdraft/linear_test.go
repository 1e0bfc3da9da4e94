// SPDX-License-Identifier: MPL-2.0

package etcdraft

import (
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

func TestHistories(t *testing.T) {
	const k = "k1"
	for _, test := range []struct {
		name string
		make func(h *history.History)
		want bool
	}{
		{"a get sees the put before it", func(h *history.History) {
			h.Complete(h.Invoke("c1", opPut, Value{k, "a"}), history.OK, nil)
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, "a"})
		}, true},
		{"a get misses the put before it", func(h *history.History) {
			h.Complete(h.Invoke("c1", opPut, Value{k, "a"}), history.OK, nil)
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, ""})
		}, false},
		{"a get beside a put sees either", func(h *history.History) {
			put := h.Invoke("c1", opPut, Value{k, "a"})
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, ""})
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, "a"})
			h.Complete(put, history.OK, nil)
		}, true},
		{"two gets see a put come and go", func(h *history.History) {
			put := h.Invoke("c1", opPut, Value{k, "a"})
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, "a"})
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, ""})
			h.Complete(put, history.OK, nil)
		}, false},
		{"a put without an answer takes effect late", func(h *history.History) {
			h.Complete(h.Invoke("c1", opPut, Value{k, "a"}), history.Info, nil)
			h.Complete(h.Invoke("c2", opPut, Value{k, "b"}), history.OK, nil)
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, "a"})
		}, true},
		{"a put without an answer takes effect twice", func(h *history.History) {
			h.Complete(h.Invoke("c1", opPut, Value{k, "a"}), history.Info, nil)
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, "a"})
			h.Complete(h.Invoke("c2", opPut, Value{k, "b"}), history.OK, nil)
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, "a"})
		}, false},
		{"a put that failed is seen", func(h *history.History) {
			h.Complete(h.Invoke("c1", opPut, Value{k, "a"}), history.Fail, nil)
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, "a"})
		}, false},
		{"a pending put is seen, a pending get does not matter", func(h *history.History) {
			h.Invoke("c1", opPut, Value{k, "a"})
			h.Invoke("c3", opGet, Value{Key: k})
			h.Complete(h.Invoke("c2", opGet, Value{Key: k}), history.OK, Value{k, "a"})
		}, true},
		{"keys are apart", func(h *history.History) {
			h.Complete(h.Invoke("c1", opPut, Value{k, "a"}), history.OK, nil)
			h.Complete(h.Invoke("c2", opGet, Value{Key: "k2"}), history.OK, Value{"k2", "a"})
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := history.New(func() kernel.Time { return 0 })
			test.make(h)
			if got := porcupine.CheckOperations(register, operations(h.Ops())); got != test.want {
				t.Errorf("legal: %v, want %v", got, test.want)
			}
		})
	}
}
