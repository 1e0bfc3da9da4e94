// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/hmdsefi/faultline/cmd/faultline-toolexec/internal/toolexec"
	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/prepare"
	"github.com/hmdsefi/faultline/rewrite/source"
)

// gapFlags are those of the command gaps.
type gapFlags struct {
	json, fail, reachable bool
	tags                  string
	patterns              []string
}

func parseGapFlags(args []string) (f gapFlags, err error) {
	set := flag.NewFlagSet("gaps", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.BoolVar(&f.json, "json", false, "")
	set.BoolVar(&f.fail, "fail", false, "")
	set.BoolVar(&f.reachable, "reachable", false, "")
	set.StringVar(&f.tags, "tags", "", "")
	if set.Parse(args) != nil {
		return f, errUsage
	}
	if f.patterns = set.Args(); len(f.patterns) == 0 {
		f.patterns = []string{"./..."}
	}
	return f, nil
}

// runGaps lists the gaps that the test binaries of some packages would have, without building them.
func runGaps(ctx context.Context, args []string) (int, error) {
	flags, err := parseGapFlags(args)
	if err != nil {
		return 0, err
	}
	tc, err := prepare.FindToolchain(ctx, ".")
	if err != nil {
		return 0, err
	}
	if err := checkRelease(runtime.Version(), tc.Version); err != nil {
		return 0, err
	}
	if err := toolexec.CheckSettings(ctx, tc.Goroot, "."); err != nil {
		return 0, err
	}
	r, err := findGaps(ctx, tc.Goroot, flags)
	if err != nil {
		return 0, err
	}
	if flags.reachable {
		r.keepReachable()
	}
	write := r.writeText
	if flags.json {
		write = r.writeJSON
	}
	if err := write(os.Stdout); err != nil {
		return 0, err
	}
	fmt.Fprintf(os.Stderr, "faultline-toolexec: %s\n", r.summary())
	if err := r.misused(); err != nil {
		return 0, err
	}
	if flags.fail && r.count().open > 0 {
		return 1, nil
	}
	return 0, nil
}

// gapReport is what the command gaps found.
type gapReport struct {
	list      []gaps.Gap
	reached   map[gaps.Gap]bool
	processes int
}

func (r *gapReport) keepReachable() {
	var list []gaps.Gap
	for _, g := range r.list {
		if r.reached[g] {
			list = append(list, g)
		}
	}
	r.list = list
}

// writeText writes what toolexec-gaps.txt would hold.
func (r *gapReport) writeText(w io.Writer) error { return gaps.Write(w, r.list) }

type jsonGap struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Construct string `json:"construct"`
	Reason    string `json:"reason"`
	Cure      string `json:"cure,omitempty"`
	Accepted  string `json:"accepted,omitempty"`
	Reachable bool   `json:"reachable"`
}

func (r *gapReport) writeJSON(w io.Writer) error {
	out := struct {
		Version   int       `json:"faultline_gaps"`
		Processes int       `json:"processes"`
		Gaps      []jsonGap `json:"gaps"`
	}{gaps.Version, r.processes, []jsonGap{}}
	for _, g := range r.list {
		out.Gaps = append(out.Gaps, jsonGap{g.File, g.Line, g.Construct, g.Reason, g.Cure, g.Accepted, r.reached[g]})
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

type gapCount struct{ open, reachable int }

func (r *gapReport) count() (c gapCount) {
	for _, g := range gaps.Open(r.list) {
		c.open++
		if r.reached[g] {
			c.reachable++
		}
	}
	return c
}

func (r *gapReport) summary() string {
	c := r.count()
	return fmt.Sprintf("%d gaps: %d accepted, %d open, of which process functions (%d found) can reach %d",
		len(r.list), len(r.list)-c.open, c.open, r.processes, c.reachable)
}

// misused is the error of the first comment that was meant to accept a gap and does not.
func (r *gapReport) misused() error {
	for _, g := range r.list {
		if source.Misused(g) {
			return fmt.Errorf("%s:%d: %s: %s; %s", g.File, g.Line, g.Construct, g.Reason, g.Cure)
		}
	}
	return nil
}
