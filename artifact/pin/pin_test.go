// SPDX-License-Identifier: MPL-2.0

package pin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/pin"
)

func run(test, message string) *artifact.Run {
	return &artifact.Run{Report: artifact.Report{
		Status: artifact.Fail, Package: "example.com/kv", Test: test, Seed: 0x2a,
		Failure: &artifact.Failure{Kind: "final", Check: "all done", Message: message, At: "1s", Signature: "final:all done"},
	}}
}

func folder(t testing.TB, tests string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kv_test.go"), []byte(tests), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Only a function that go test would call is the test of a seed.
func TestNewWantsTheTest(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		ok     bool
	}{
		"a test":           {"package kv\nfunc TestKV(t *testing.T) {}", true},
		"external":         {"package kv_test\nfunc TestKV(t *testing.T) {}", true},
		"without a name":   {"package kv\nfunc TestKV(*testing.T) {}", true},
		"broken below":     {"package kv\nfunc TestKV(t *testing.T) {}\nfunc broken( {", true},
		"a method":         {"package kv\nfunc (x T) TestKV(t *testing.T) {}", false},
		"generic":          {"package kv\nfunc TestKV[T any](t *testing.T) {}", false},
		"with a result":    {"package kv\nfunc TestKV(t *testing.T) int {}", false},
		"two parameters":   {"package kv\nfunc TestKV(t *testing.T, n int) {}", false},
		"another type":     {"package kv\nfunc TestKV(n int) {}", false},
		"another name":     {"package kv\nfunc TestKV2(t *testing.T) {}", false},
		"pinned already":   {"package kv\nfunc TestKV(t *testing.T) {}\nfunc TestKVSeed000000000000002a(t *testing.T) {}", false},
		"nothing":          {"", false},
		"in a string only": {"package kv\nvar s = `func TestKV(t *testing.T) {}`", false},
	} {
		_, err := pin.New(run("TestKV/sub", "no"), folder(t, c.source))
		if (err == nil) != c.ok {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// What a run says stays within its comment.
func TestMessagesStayInTheComment(t *testing.T) {
	r := run("TestKV/sub\npanic(4)", "one\n*/ panic(1)\n\rpanic(2)\u2028panic(3)")
	r.Report.Failure.At += "\npanic(5)"
	r.Report.Failure.Signature += "\npanic(6)"
	got, err := pin.New(r, folder(t, "package kv\nfunc TestKV(t *testing.T) {}"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(got.Source) {
		if strings.Contains(line, "panic(") && !strings.HasPrefix(line, "//") {
			t.Errorf("line %q", line)
		}
	}
}

func ExampleNew() {
	dir, err := os.MkdirTemp("", "kv")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "kv_test.go"), []byte("package kv\n\nfunc TestKV(t *testing.T) {}\n"), 0o644)
	test, err := pin.New(run("TestKV/two", "c2 is not done"), dir)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s:\n%s", test.File, test.Source)
	// Output:
	// testkvseed000000000000002a_test.go:
	// package kv
	//
	// import (
	// 	"testing"
	//
	// 	"github.com/hmdsefi/faultline"
	// )
	//
	// // TestKVSeed000000000000002a runs seed 0x000000000000002a of TestKV/two once more, with the faults that it had.
	// // It failed with final:all done at t=1s:
	// //
	// //	c2 is not done
	// func TestKVSeed000000000000002a(t *testing.T) {
	// 	faultline.Pin(t, "testdata/faultline/TestKVSeed000000000000002a")
	// 	TestKV(t)
	// }
}
