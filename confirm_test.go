// SPDX-License-Identifier: MPL-2.0

package faultline

import "testing"

func TestDifference(t *testing.T) {
	here := result{
		Status: statusFail, Kind: KindFinal, Check: "sum", Signature: "final:sum", Message: "4 is not 5",
		At: "1.000000000s", Events: 7, TraceHash: "0x1",
	}
	tests := map[string]struct {
		change func(there *result)
		want   string
	}{
		"none":      {func(*result) {}, ""},
		"other":     {func(r *result) { r.WallNS, r.Index, r.Artifact = 9, 9, "/x" }, ""},
		"pass":      {func(r *result) { *r = result{Status: statusPass} }, "the fresh process reported pass for this seed"},
		"skip":      {func(r *result) { *r = result{Status: statusSkip} }, "the fresh process reported skip for this seed"},
		"kind":      {func(r *result) { r.Kind, r.Signature = KindStall, "stall:sum" }, "in the fresh process the failure is stall:sum: 4 is not 5"},
		"unsaid":    {func(r *result) { r.Kind, r.Signature, r.Message = KindStall, "stall:sum", "" }, "in the fresh process the failure is stall:sum: no message"},
		"check":     {func(r *result) { r.Check, r.Signature = "product", "final:product" }, "in the fresh process the failure is final:product: 4 is not 5"},
		"time":      {func(r *result) { r.At, r.Events = "2.000000000s", 8 }, "the time of the failure is 1.000000000s, and 2.000000000s in the fresh process"},
		"events":    {func(r *result) { r.Events, r.TraceHash = 8, "0x2" }, "the number of events is 7, and 8 in the fresh process"},
		"hash":      {func(r *result) { r.TraceHash = "0x2" }, "the trace hash is 0x1, and 0x2 in the fresh process"},
		"message":   {func(r *result) { r.Message, r.TraceHash = "3 is not 5", "0x2" }, "the message is 4 is not 5, and 3 is not 5 in the fresh process"},
		"new field": {func(r *result) { r.Reached = goals{"x": 1} }, ""},
	}
	for name, tt := range tests {
		there := here
		tt.change(&there)
		if got := difference(here, there); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestFirstSeeds(t *testing.T) {
	f := make(firstSeeds)
	f.add("final:x", 1)
	f.add("final:x", 2)
	f.add("final:y", 3)
	if f["final:x"] != 1 || f["final:y"] != 3 || len(f) != 2 {
		t.Errorf("first seeds %v", f)
	}
}
