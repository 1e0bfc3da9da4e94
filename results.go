// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"encoding/json"
	"os"
)

// resultVersion is the version of the lines in FAULTLINE_RESULTS.
const resultVersion = 1

// result is one line of FAULTLINE_RESULTS. Its fields are part of the interface.
type result struct {
	Version          int    `json:"faultline_result"`
	Package          string `json:"package"`
	Test             string `json:"test"`
	Seed             string `json:"seed,omitempty"`
	Index            int    `json:"index"`
	Status           string `json:"status"`
	Kind             Kind   `json:"kind,omitempty"`
	Check            string `json:"check,omitempty"`
	Signature        string `json:"signature,omitempty"`
	Message          string `json:"message,omitempty"`
	AtNS             int64  `json:"at_ns,omitempty"`
	At               string `json:"at,omitempty"`
	Events           int    `json:"events,omitempty"`
	TraceHash        string `json:"trace_hash,omitempty"`
	DeterminismLevel string `json:"determinism_level,omitempty"`
	ExactBackend     string `json:"exact_backend,omitempty"`
	Reached          goals  `json:"reached,omitempty"`
	Artifact         string `json:"artifact,omitempty"`
	ArtifactError    string `json:"artifact_error,omitempty"`
	WallNS           int64  `json:"wall_ns,omitempty"`
}

// The statuses of a result.
const (
	statusPass = "pass"
	statusFail = "fail"
	statusSkip = "skip"
)

// setFailure fills in what a failure says.
func (r *result) setFailure(f *failure) {
	r.Status = statusFail
	r.Kind, r.Check, r.Signature = f.kind, f.check, f.signature()
	r.Message = f.message
	if !f.timeless() {
		r.AtNS, r.At = int64(f.at), f.at.String()
	}
}

// resultsFile appends result lines to a file that other processes append to as well.
// The zero value writes nowhere.
type resultsFile struct{ file *os.File }

func openResults(path string) (resultsFile, error) {
	if path == "" {
		return resultsFile{}, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return resultsFile{f}, err
}

// write appends one line in one write.
func (f resultsFile) write(r result) error {
	if f.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = f.file.Write(append(line, '\n'))
	return err
}

func (f resultsFile) close() {
	if f.file != nil {
		f.file.Close()
	}
}
