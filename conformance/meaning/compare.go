// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Verdict is what a comparison comes to.
type Verdict string

// The verdicts.
const (
	Same    Verdict = "same"
	Varies  Verdict = "varies"  // the plain program differs from itself, or the two agree in one of several runs
	Differs Verdict = "differs" // they never agree
	Skipped Verdict = "skipped"
)

// Compared is a program with what its two builds did.
type Compared struct {
	Program  string    `json:"program"`
	Verdict  Verdict   `json:"verdict"`
	Reason   string    `json:"reason,omitempty"`   // why it was skipped
	Expected bool      `json:"expected,omitempty"` // it has an expected output, and both printed that
	Plain    []Outcome `json:"plain,omitempty"`    // different ones, if not the same
	Wrapped  []Outcome `json:"wrapped,omitempty"`
}

// Comparison says how programs are compared.
type Comparison struct {
	Wrapper  string        // path of a wrapper that is prepared
	Dir      string        // folder for the builds; one batch at a time is in it
	Patience time.Duration // for one process
	Runs     int           // of each build of a program whose first two runs differ, to see whether it varies by itself
	Parallel int           // processes at a time
}

// Batch builds some programs together, plainly and through the wrapper, and compares what they do. The result has the order of the
// programs.
func (c Comparison) Batch(ctx context.Context, programs []Program) ([]Compared, error) {
	dir, err := os.MkdirTemp(c.Dir, "programs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := writeModule(ctx, dir); err != nil {
		return nil, err
	}
	for _, p := range programs {
		if err := p.write(dir); err != nil {
			return nil, err
		}
	}
	built, err := c.build(ctx, dir, programs)
	if err != nil {
		return nil, err
	}
	return c.all(ctx, built, programs)
}

// built is where the binaries of a batch are, and what the two go commands said.
type built struct {
	bin      [2]string
	messages [2]string
}

// build builds the programs of a module. One that does not build is missed later.
func (c Comparison) build(ctx context.Context, dir string, programs []Program) (b built, err error) {
	loadable, err := loadable(ctx, dir)
	if err != nil || len(loadable) == 0 {
		return b, err
	}
	for i, build := range Builds(c.Wrapper) {
		b.bin[i] = filepath.Join(dir, build.String())
		args := append([]string{"-p", fmt.Sprint(c.Parallel), "-ldflags=-s -w", "-o", b.bin[i] + string(filepath.Separator)}, loadable...)
		out, err := build.command(ctx, dir, "build", args...).CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			return b, err
		}
		b.messages[i] = string(out)
	}
	return b, ctx.Err()
}

// loadable lists the programs of a module of which the go command can make sense: with one of the others it builds nothing.
func loadable(ctx context.Context, dir string) ([]string, error) {
	list, err := goOutput(ctx, dir, "list", "-e", "-f", `{{if not (or .Error .DepsErrors (ne .Name "main"))}}{{.ImportPath}}{{end}}`, "./...")
	return strings.Fields(list), err
}

// all compares all programs of a batch.
func (c Comparison) all(ctx context.Context, b built, programs []Program) ([]Compared, error) {
	result := make([]Compared, len(programs))
	failed := make([]error, len(programs))
	slots := make(chan struct{}, max(1, c.Parallel))
	var wg sync.WaitGroup
	for i, p := range programs {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			result[i], failed[i] = c.one(ctx, b, p)
		})
	}
	wg.Wait()
	return result, errors.Join(failed...)
}

// one compares one program.
func (c Comparison) one(ctx context.Context, b built, p Program) (Compared, error) {
	result := Compared{Program: p.Name}
	var binaries [2]string
	var missing [2]bool
	for i, bin := range b.bin {
		binaries[i] = filepath.Join(bin, p.id())
		_, err := os.Stat(binaries[i])
		missing[i] = err != nil
	}
	switch {
	case missing[0] && missing[1]:
		result.Verdict, result.Reason = Skipped, notBuilt
		return result, nil
	case missing[0] || missing[1]:
		result.Verdict = Differs
		result.Plain = []Outcome{{End: builtOrNot(missing[0]), Stderr: lines(b.messages[0], p.id())}}
		result.Wrapped = []Outcome{{End: builtOrNot(missing[1]), Stderr: lines(b.messages[1], p.id())}}
		return result, nil
	}
	err := c.runBoth(ctx, binaries, p, &result)
	return result, err
}

// runBoth runs both builds of a program, several times if they differ.
func (c Comparison) runBoth(ctx context.Context, binaries [2]string, p Program, result *Compared) error {
	for range max(1, c.Runs) {
		plain, err := run(ctx, binaries[0], p.Args, c.Patience)
		if err != nil {
			return err
		}
		if plain.End == unfinished {
			*result = Compared{Program: p.Name, Verdict: Skipped, Reason: slow}
			return nil
		}
		// A program that ends in time is given more of it, in case the machine is busy.
		wrapped, err := run(ctx, binaries[1], p.Args, 2*c.Patience)
		if err != nil {
			return err
		}
		result.see(plain, wrapped)
		if result.Verdict == Same {
			result.Expected = p.Want != "" && plain.Stdout+plain.Stderr == normal(p.Want, "DIR")
			return nil
		}
	}
	return nil
}

// see takes one more run of each build into account.
func (r *Compared) see(plain, wrapped Outcome) {
	first := len(r.Plain) == 0
	if first && plain == wrapped {
		r.Verdict = Same
		return
	}
	r.Plain = with(r.Plain, plain)
	r.Wrapped = with(r.Wrapped, wrapped)
	r.Verdict = Differs
	agree := slices.ContainsFunc(r.Plain, func(o Outcome) bool { return slices.Contains(r.Wrapped, o) })
	if agree || len(r.Plain) > 1 {
		r.Verdict = Varies
	}
}

// with is a list without repetitions and one more outcome.
func with(list []Outcome, o Outcome) []Outcome {
	if slices.Contains(list, o) {
		return list
	}
	return append(list, o)
}

func builtOrNot(missing bool) string {
	if missing {
		return "not built"
	}
	return "built"
}

// lines are those of a text that have a word in them.
func lines(text, word string) string {
	var found strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			found.WriteString(line)
		}
	}
	return found.String()
}
