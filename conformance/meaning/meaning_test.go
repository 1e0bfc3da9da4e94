// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// wrapper is the path of a wrapper that is prepared.
var wrapper string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "faultline-meaning-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if wrapper, err = Wrapper(context.Background(), "", dir); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

func comparison(t *testing.T) Comparison {
	return Comparison{Wrapper: wrapper, Dir: t.TempDir(), Patience: time.Minute, Runs: 3, Parallel: 2}
}

func programs(t *testing.T) ([]Program, Skips) {
	t.Helper()
	list, skips, err := Programs(filepath.Join("testdata", "programs"), []string{"."}, false)
	if err != nil {
		t.Fatal(err)
	}
	return list, skips
}

// Programs do the same in both builds, and one that does not is found.
func TestProgramsAreCompared(t *testing.T) {
	list, _ := programs(t)
	results, err := comparison(t).Batch(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Compared{
		"broken.go":   {Verdict: Skipped, Reason: notBuilt},
		"callers.go":  {Verdict: Same, Success: true},
		"deadlock.go": {Verdict: Same},
		"differs.go":  {Verdict: Differs},
		"early.go":    {Verdict: Same, Success: true, Expected: true},
		"iterate.go":  {Verdict: Same, Success: true},
		"packages.go": {Verdict: Same, Success: true, Expected: true},
		"panics.go":   {Verdict: Same},
		"select.go":   {Verdict: Same, Success: true, Expected: true},
		"spin.go":     {Verdict: Same, Success: true, Expected: true},
		"varies.go":   {Verdict: Varies},
	}
	report := NewReport("")
	for _, c := range results {
		report.Add(c)
		w := want[c.Program]
		if c.Verdict != w.Verdict || c.Reason != w.Reason || c.Success != w.Success || c.Expected != w.Expected {
			t.Errorf("%+v, want %+v", c, w)
		}
		delete(want, c.Program)
	}
	if len(want) > 0 {
		t.Errorf("not compared: %v", slices.Collect(maps.Keys(want)))
	}
	if total := report.Total(); total != (Tally{Compared: 10, Same: 8, Success: 6, Expected: 4, Varies: 1, Differs: 1}) {
		t.Errorf("total %+v", total)
	}
	if err := report.Err(); err == nil || err.Error() != "differs.go differs" {
		t.Errorf("error %v", err)
	}
}

// A program that only one build gets done is a difference.
func TestMissingBinaryDiffers(t *testing.T) {
	list, _ := programs(t)
	i := slices.IndexFunc(list, func(p Program) bool { return p.Name == "select.go" })
	path := modulePath + "/" + list[i].id()
	b := built{compiled: [2]compiled{{path: ""}, {path: "select.go:1:1: message"}}}
	c, err := comparison(t).one(t.Context(), b, list[i])
	if err != nil || c.Verdict != Differs || c.Plain[0] != (Outcome{End: "built"}) || c.Wrapped[0] != (Outcome{End: "not built", Stderr: "select.go:1:1: message"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// A program that runs code before main is not in one binary with others.
func TestSomeProgramsAreAlone(t *testing.T) {
	dir := t.TempDir()
	for declaration, want := range map[string]bool{
		"var x = 1":                           false,
		"var f = func() { g() }":              false,
		"var x = f()":                         true,
		"var x = <-c":                         true,
		"func init() {}":                      true,
		"type t int\n\nfunc (t) init() {}":    false,
		"//go:linkname f runtime.f\nfunc f()": true,
	} {
		name := filepath.Join(dir, "main.go")
		if err := os.WriteFile(name, []byte("package main\n\n"+declaration+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		p := Program{packages: []files{{paths: []string{name}}}}
		if got := p.alone(); got != want {
			t.Errorf("%s: alone %t", declaration, got)
		}
	}
}

func TestProgramsAreFound(t *testing.T) {
	list, skips := programs(t)
	if want := (Skips{notRun: 1, unconcerned: 1}); !maps.Equal(skips, want) {
		t.Errorf("skipped %v, want %v", skips, want)
	}
	args := map[string]string{}
	for _, p := range list {
		args[p.Name] = strings.Join(p.Args, " ")
	}
	if got, ok := args["panics.go"]; !ok || got != "one two" {
		t.Errorf("arguments %v", args)
	}
	if _, _, err := Programs(t.TempDir(), []string{"."}, true); err == nil || !strings.Contains(err.Error(), "no programs") {
		t.Errorf("error of an empty folder: %v", err)
	}
}

func TestRecipe(t *testing.T) {
	for text, want := range map[string]string{
		"// run\n\npackage main\n":                          "run",
		"\n//go:build linux\n// +build linux\n\n// run a b": "run a b",
		"// rundir -l=4\n":                                  "rundir -l=4",
		"package main\n// run\n":                            "",
		"":                                                  "",
	} {
		kind, args := recipe([]byte(text))
		if got := strings.TrimSpace(kind + " " + strings.Join(args, " ")); got != want {
			t.Errorf("recipe of %q: %q, want %q", text, got, want)
		}
	}
}

func TestWhatVariesIsTheSame(t *testing.T) {
	const text = "goroutine 18 [running]:\nmain.f(0xc000012345)\n\t/tmp/x/a.go:7 +0x1d\n\t/usr/go/src/runtime/panic.go:787 +0x132\n" +
		"internal/sync.(*Mutex).faultlineLock(0x1?)\n\t/usr/go/src/internal/sync/zfaultline_point.go:31 +0x1\nsync.(*Mutex).Lock(...)\nin /run/1\n"
	const want = "goroutine ? [running]:\nmain.f(0x?)\n\t/tmp/x/a.go:7 +0x?\n\t/usr/go/src/runtime/panic.go:? +0x?\n" +
		"sync.(*Mutex).Lock(...)\nin DIR\n"
	if got := normal(text, "/run/1"); got != want {
		t.Errorf("%s", got)
	}
}

// A program that agrees in one of several runs varies; one that always prints something else in each build differs.
func TestVerdicts(t *testing.T) {
	a, b, c := Outcome{Stdout: "a"}, Outcome{Stdout: "b"}, Outcome{Stdout: "c"}
	for _, test := range []struct {
		plain, wrapped []Outcome
		want           Verdict
	}{
		{[]Outcome{a}, []Outcome{a}, Same},
		{[]Outcome{a, a, a}, []Outcome{b, b, b}, Differs},
		{[]Outcome{a, a}, []Outcome{b, c}, Differs},
		{[]Outcome{a, a}, []Outcome{b, a}, Varies},
		{[]Outcome{a, b}, []Outcome{b, b}, Varies},
		{[]Outcome{a, b}, []Outcome{c, c}, Varies},
	} {
		var r Compared
		for i := range test.plain {
			r.see(test.plain[i], test.wrapped[i])
		}
		if r.Verdict != test.want {
			t.Errorf("%v and %v: %s, want %s", test.plain, test.wrapped, r.Verdict, test.want)
		}
	}
}

// suite has a test that fails in the wrapped build, which it knows by the names in its binary, and one that fails every second time.
const suite = `package suite

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestPasses(t *testing.T) {
	t.Run(fmt.Sprint("sub of ", new(int)), func(t *testing.T) {})
	t.Run("skipped", func(t *testing.T) { t.Skip() })
}

func TestDiffers(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte(strings.ToLower("runtime.FAULTLINE"))) {
		t.Fail()
	}
}

func TestVaries(t *testing.T) {
	if os.Remove("mark") == nil {
		t.Fail()
	} else if err := os.WriteFile("mark", nil, 0o666); err != nil {
		t.Fatal(err)
	}
}
`

// Tests that differ are found, with how often they did.
func TestSuitesAreCompared(t *testing.T) {
	dir := t.TempDir()
	if err := writeModule(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "suite_test.go"), []byte(suite), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := comparison(t).tests(t.Context(), dir, Suite{Packages: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Packages != 1 || r.Tests != 5 || r.Plain != (Counts{Pass: 4, Skip: 1}) || r.Wrapped != (Counts{Pass: 2, Fail: 2, Skip: 1}) {
		t.Errorf("%+v", r)
	}
	want := []TestDifference{
		{Test{modulePath, "TestDiffers"}, Differs, Counts{Pass: 4}, Counts{Fail: 4}},
		{Test{modulePath, "TestVaries"}, Varies, Counts{Pass: 3, Fail: 1}, Counts{Pass: 1, Fail: 3}},
	}
	if !slices.Equal(r.Differences, want) {
		t.Errorf("differences %+v, want %+v", r.Differences, want)
	}
	report := NewReport("")
	report.Suites = []SuiteResult{r}
	if err := report.Err(); err == nil || err.Error() != "std: meaning.test TestDiffers differs" {
		t.Errorf("error %v", err)
	}
}

// A test that one build does not get to differs; one that both never finish does not.
func TestUnfinishedTestsDiffer(t *testing.T) {
	const plain = `{"Action":"run","Package":"p","Test":"T"}
{"Action":"pass","Package":"p","Test":"T"}
{"Action":"run","Package":"p","Test":"Hangs"}
text that is no event
{"Action":"fail","Package":"p"}`
	const wrapped = `{"Action":"run","Package":"p","Test":"T"}
{"Action":"fail","Package":"p"}
`
	var results [2]Results
	for i, text := range []string{plain, wrapped} {
		var err error
		if results[i], err = read(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	got := differences(differing(results), results)
	if want := []TestDifference{{Test{"p", "T"}, Differs, Counts{Pass: 1}, Counts{}}}; !slices.Equal(got, want) {
		t.Errorf("differences %+v, want %+v", got, want)
	}
}
