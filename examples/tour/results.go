// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// result is what the tour reads of a line that FAULTLINE_RESULTS collects.
type result struct {
	Seed      string `json:"seed"`
	Status    string `json:"status"`
	Signature string `json:"signature"`
	Message   string `json:"message"`
	AtNS      int64  `json:"at_ns"`
	At        string `json:"at"`
	Events    int    `json:"events"`
	TraceHash string `json:"trace_hash"`
	Level     string `json:"determinism_level"`
	Artifact  string `json:"artifact"`
}

func readResults(file string) ([]result, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var results []result
	for line := range bytes.Lines(b) {
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, len(results)+1, err)
		}
		results = append(results, r)
	}
	return results, nil
}

// firstFailure returns the index of the first failing seed, or -1.
func firstFailure(results []result) int {
	for i, r := range results {
		if r.Status == "fail" {
			return i
		}
	}
	return -1
}

// sameRun says in what a replay differs from the run that it should repeat.
func sameRun(want, got result) error {
	for _, field := range []struct{ name, want, got string }{
		{"status", want.Status, got.Status},
		{"seed", want.Seed, got.Seed},
		{"trace hash", want.TraceHash, got.TraceHash},
		{"failure", want.Signature, got.Signature},
		{"message", want.Message, got.Message},
		{"time of the failure", fmt.Sprint(want.AtNS), fmt.Sprint(got.AtNS)},
		{"number of events", fmt.Sprint(want.Events), fmt.Sprint(got.Events)},
		{"determinism", want.Level, got.Level},
	} {
		if field.want != field.got {
			return fmt.Errorf("the replay's %s is %q; the first run's was %q", field.name, field.got, field.want)
		}
	}
	return nil
}
