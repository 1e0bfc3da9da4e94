// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// addExactModule gives a script the module of testdata/exact in a workspace with the tree that is tested. It is used by a script that
// sets GOWORK to go.work.
func addExactModule(env *testscript.Env, repo string) error {
	if err := os.CopyFS(filepath.Join(env.WorkDir, "exact"), os.DirFS(filepath.Join("testdata", "exact"))); err != nil {
		return err
	}
	work := fmt.Sprintf("go 1.26.0\n\nuse (\n\t./exact\n\t%q\n)\n\nreplace github.com/hmdsefi/faultline v0.2.0 => %q\n", repo, repo)
	return os.WriteFile(filepath.Join(env.WorkDir, "go.work"), []byte(work), 0o666)
}

// variable is what a go command says that differs from run to run.
var variable = regexp.MustCompile(`\(cached\)|\d+\.\d+s|cpu: .*`)

// same ARGS... runs a go command without and with the wrapper. Both must write the same and end alike.
func same(ts *testscript.TestScript, neg bool, args []string) {
	flags := ts.Getenv("GOFLAGS")
	defer ts.Setenv("GOFLAGS", flags)
	var said [2]string
	for i, toolexec := range []string{"", " -toolexec=faultline-toolexec"} {
		ts.Setenv("GOFLAGS", strings.TrimSpace(flags+toolexec))
		if err := ts.Exec("go", args...); (err != nil) != neg {
			ts.Fatalf("go %q: %v", args, err)
		}
		said[i] = variable.ReplaceAllString("stdout:\n"+ts.ReadFile("stdout")+"stderr:\n"+ts.ReadFile("stderr"), "*")
	}
	if said[0] != said[1] {
		ts.Fatalf("without the wrapper:\n%s\nwith it:\n%s", said[0], said[1])
	}
}

// outcome is what a line of FAULTLINE_RESULTS says of one seed.
type outcome struct {
	Seed    string
	Status  string
	Hash    string `json:"trace_hash"`
	Events  int
	Level   string `json:"determinism_level"`
	Backend string `json:"exact_backend"`
}

// exact COMMAND ARGS... runs the test of the exact module twice. Every seed must pass in an exact run, with the same hash both times and
// another one than other seeds. runs.txt then says which seed had which run.
func exact(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: exact COMMAND ARGS...")
	}
	first, second := outcomes(ts, args), outcomes(ts, args)
	if !slices.Equal(first, second) {
		ts.Fatalf("two runs differ:\n%v\n%v", first, second)
	}
	hashes := map[string]bool{}
	var runs strings.Builder
	for _, o := range first {
		fmt.Fprintln(&runs, o.Seed, o.Hash, o.Events)
		hashes[o.Hash] = true
		if o.Status != "pass" || o.Level != "exact" || o.Backend != "toolexec" || o.Events == 0 {
			ts.Fatalf("seed %+v", o)
		}
	}
	if len(first) != 3 || len(hashes) != 3 {
		ts.Fatalf("want three seeds with a run each: %v", first)
	}
	ts.Check(os.WriteFile(ts.MkAbs("runs.txt"), []byte(runs.String()), 0o666))
}

// outcomes runs a command and reads the results that it leaves.
func outcomes(ts *testscript.TestScript, command []string) (list []outcome) {
	file := ts.MkAbs("results.jsonl")
	ts.Check(os.RemoveAll(file))
	ts.Setenv("FAULTLINE_RESULTS", file)
	defer ts.Setenv("FAULTLINE_RESULTS", "")
	ts.Check(ts.Exec(command[0], command[1:]...))
	for line := range strings.Lines(ts.ReadFile(file)) {
		var o outcome
		ts.Check(json.Unmarshal([]byte(line), &o))
		list = append(list, o)
	}
	return list
}
