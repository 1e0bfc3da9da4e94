// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	Success  bool      `json:"success,omitempty"`  // both ended with exit status 0
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

// built is what the two builds of a batch gave.
type built struct {
	bin      [2]string   // where the drivers are
	compiled [2]compiled // packages
	messages [2]string   // of the linker
	drivers  drivers
}

// build builds the programs of a module. One that does not compile has no driver.
func (c Comparison) build(ctx context.Context, dir string, programs []Program) (b built, err error) {
	b.drivers = drivers{}
	for i, build := range Builds(c.Wrapper) {
		if b.compiled[i], err = build.compile(ctx, dir); err != nil {
			return b, err
		}
	}
	for _, p := range programs {
		if b.compiles(p) == [2]bool{true, true} {
			b.drivers.add(p)
		}
	}
	if err := b.drivers.write(dir); err != nil {
		return b, err
	}
	for i, build := range Builds(c.Wrapper) {
		b.bin[i] = filepath.Join(dir, build.String())
		if b.messages[i], err = build.link(ctx, dir, b.bin[i]); err != nil {
			return b, err
		}
	}
	if len(b.drivers[common]) > 0 && b.exist(common) == [2]bool{} {
		return b, fmt.Errorf("the driver of %d programs does not link\n%s", len(b.drivers[common]), b.messages[0])
	}
	return b, nil
}

// compiles reports which builds of a program compile.
func (b built) compiles(p Program) (ok [2]bool) {
	for i, c := range b.compiled {
		message, known := c[path.Join(modulePath, p.id())]
		ok[i] = known && message == ""
	}
	return ok
}

// exist reports which builds have a driver.
func (b built) exist(driver string) (ok [2]bool) {
	for i, bin := range b.bin {
		_, err := os.Stat(filepath.Join(bin, driver))
		ok[i] = err == nil
	}
	return ok
}

// of finds the driver of a program.
func (b built) of(p Program) string {
	if _, ok := b.drivers[p.id()]; ok {
		return p.id()
	}
	return common
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
	ok, messages := b.compiles(p), [2]string{}
	if ok == [2]bool{true, true} {
		ok, messages = b.exist(b.of(p)), b.messages
	} else {
		for i, c := range b.compiled {
			messages[i] = c[path.Join(modulePath, p.id())]
		}
	}
	switch ok {
	case [2]bool{true, true}:
		err := c.runBoth(ctx, b, p, &result)
		return result, err
	case [2]bool{}:
		result.Verdict, result.Reason = Skipped, notBuilt
	default:
		result.Verdict = Differs
		result.Plain = []Outcome{buildOutcome(ok[0], messages[0])}
		result.Wrapped = []Outcome{buildOutcome(ok[1], messages[1])}
	}
	return result, nil
}

// runBoth runs both builds of a program, several times if they differ.
func (c Comparison) runBoth(ctx context.Context, b built, p Program, result *Compared) error {
	name, args := b.of(p), append([]string{p.id()}, p.Args...)
	for range max(1, c.Runs) {
		plain, err := run(ctx, filepath.Join(b.bin[0], name), args, c.Patience)
		if err != nil {
			return err
		}
		if plain.End == unfinished {
			*result = Compared{Program: p.Name, Verdict: Skipped, Reason: slow}
			return nil
		}
		// A program that ends in time is given more of it, in case the machine is busy.
		wrapped, err := run(ctx, filepath.Join(b.bin[1], name), args, 2*c.Patience)
		if err != nil {
			return err
		}
		result.see(plain, wrapped)
		if result.Verdict == Same {
			result.Success = plain.End == "exit status 0"
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

// buildOutcome is the outcome of a program of which one build fails.
func buildOutcome(ok bool, message string) Outcome {
	if ok {
		return Outcome{End: "built"}
	}
	return Outcome{End: "not built", Stderr: message}
}
