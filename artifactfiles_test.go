// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline"
)

// dumped is an error that brings files along.
type dumped struct{}

func (dumped) Error() string { return "see state.txt" }

func (dumped) ArtifactFiles() map[string][]byte {
	return map[string][]byte{"state.txt": []byte("all of it\n")}
}

func TestHelperDumps(t *testing.T) {
	helper(t)
	opts := second
	if os.Getenv("HELPER_LONGER") != "" {
		opts.Duration *= 2
	}
	faultline.Run(t, opts, func(w *faultline.World) {
		w.Final("dumps", func() error { return dumped{} })
	})
}

func TestErrorsBringFilesAlong(t *testing.T) {
	r := runHelper(t, "TestHelperDumps")
	line := r.wantFailure(t, "final:dumps")
	dir := line["artifact"].(string)
	if data, err := os.ReadFile(filepath.Join(dir, "state.txt")); err != nil || string(data) != "all of it\n" {
		t.Errorf("state.txt holds %q, %v", data, err)
	}
	if files := readReport(t, dir).Files; !slices.Contains(files, "state.txt") {
		t.Errorf("report.json lists the files %q", files)
	}
}

// TestOtherOptionsThanBefore runs one seed again, with other options, where its artifact is.
func TestOtherOptionsThanBefore(t *testing.T) {
	first := runHelper(t, "TestHelperDumps", "FAULTLINE_SEED=1")
	first.wantFailure(t, "final:dumps")
	const says = "the earlier artifact of this seed has another hash of options"
	for _, test := range []struct {
		env  string
		want bool
	}{{"HELPER_LONGER=", false}, {"HELPER_LONGER=1", true}} {
		r := runHelper(t, "TestHelperDumps", "FAULTLINE_SEED=1", "FAULTLINE_ARTIFACTS="+first.artifacts, test.env)
		dir := r.wantFailure(t, "final:dumps")["artifact"].(string)
		listed := slices.ContainsFunc(readReport(t, dir).Warnings, func(w string) bool { return strings.Contains(w, says) })
		if printed := strings.Contains(r.output, says); printed != test.want || listed != test.want {
			t.Errorf("%s: the warning is printed: %v, in report.json: %v; want %v\n%s", test.env, printed, listed, test.want, r.output)
		}
	}
}

// reportFile is what these tests read of a report.json.
type reportFile struct {
	Warnings []string
	Files    []string
}

func readReport(t *testing.T, dir string) (r reportFile) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}
