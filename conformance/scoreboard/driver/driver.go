// SPDX-License-Identifier: MPL-2.0

// Package driver runs kernels inside the test binary that package scoreboard builds, and reports on standard output what each run
// left behind. It knows nothing of how kernels are found and adapted.
package driver

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
)

// Variable is the name of the environment variable that holds the Request, as JSON.
const Variable = "SCOREBOARD"

// Prefix starts each line of standard output that holds a Report, as JSON. All other lines are the kernels' own.
const Prefix = "scoreboard: "

// Request says what a process does: it runs seeds of a kernel until one is a hit, or plain runs, all of them.
type Request struct {
	Kernel   string   `json:"kernel"`
	Strategy string   `json:"strategy,omitempty"` // of package sched
	From     int      `json:"from"`               // the first seed or run
	Count    int      `json:"count"`
	Plain    bool     `json:"plain,omitempty"`
	Leaks    []string `json:"leaks,omitempty"` // as in scoreboard.Kernel
}

// Report tells of one seed, or of all plain runs. Each seed has two: one when it begins, one when it has ended.
type Report struct {
	Seed int  `json:"seed"` // -1 is the run before the first seed
	Done bool `json:"done"`
	Hit  bool `json:"hit"`

	// Stuck are the goroutines that were left behind, as "function [wait reason]", sorted.
	Stuck []string `json:"stuck,omitempty"`

	// These are of sched.Outcome.
	Deadlock  string `json:"deadlock,omitempty"`
	Exact     bool   `json:"exact"`
	Hash      uint64 `json:"hash,omitempty"`
	Points    uint64 `json:"points,omitempty"`
	Decisions uint64 `json:"decisions,omitempty"`

	Hits int `json:"hits,omitempty"` // plain runs that hit
}

// Same reports whether two runs of a seed were the same as far as this tells.
func (r Report) Same(other Report) bool {
	return r.Hash == other.Hash && r.Points == other.Points && r.Decisions == other.Decisions &&
		r.Deadlock == other.Deadlock && slices.Equal(r.Stuck, other.Stuck)
}

// Run does what the Request in the environment says, and nothing without one. The kernel reads from instance which of its copies it is.
func Run(t *testing.T, kernels map[string]func(), instance *int) {
	text := os.Getenv(Variable)
	if text == "" {
		t.Skip(Variable + " is empty: nothing to run")
	}
	var request Request
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		t.Fatalf("%s: %v", Variable, err)
	}
	entry := kernels[request.Kernel]
	if entry == nil {
		t.Fatalf("%s: no kernel is called %q", Variable, request.Kernel)
	}
	job := job{Request: request, entry: entry, instance: instance}
	for _, leak := range request.Leaks {
		job.leaks = append(job.leaks, regexp.MustCompile(leak))
	}
	if request.Plain {
		job.plain(t)
	} else {
		job.search(t)
	}
}

type job struct {
	Request
	entry    func()
	instance *int
	leaks    []*regexp.Regexp
}

// stuck keeps the goroutines that cannot go on: those that wait for something else than time.
func stuck(list []goroutine) []goroutine {
	return slices.DeleteFunc(list, func(g goroutine) bool {
		return slices.Contains([]string{"sleep", "running", "runnable", "syscall"}, g.reason)
	})
}

// hit reports whether the kernel's bug left one of the goroutines behind.
func (j *job) hit(list []goroutine) bool {
	return slices.ContainsFunc(list, func(g goroutine) bool {
		return len(j.leaks) == 0 || slices.ContainsFunc(j.leaks, func(leak *regexp.Regexp) bool { return leak.MatchString(g.String()) })
	})
}

func send(r Report) {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	// A kernel may have printed without a line end.
	fmt.Printf("\n%s%s\n", Prefix, text)
}
