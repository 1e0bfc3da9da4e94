// SPDX-License-Identifier: MPL-2.0

package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/artifact/catalog"
)

func write(t testing.TB, root, test string, seed uint64, failure string) string {
	t.Helper()
	run := &artifact.Run{Report: artifact.Report{Status: artifact.Pass, Package: "example.com/kv", Test: test, Seed: artifact.Hex64(seed)}}
	if failure != "" {
		run.Report.Status, run.Report.Failure = artifact.Fail, &artifact.Failure{Kind: "invariant", Check: failure}
	}
	dir, err := artifact.Write(root, run)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestResolve(t *testing.T) {
	root := t.TempDir()
	one := write(t, root, "TestOne", 0x1234567890123456, "a")
	shared, other := write(t, root, "TestOne", 16, "a"), write(t, root, "TestTwo", 16, "a")
	for _, c := range []struct{ word, near, want, err string }{
		{one, "", one, ""},
		{filepath.Join(one, artifact.ReportFile), "", one, ""},
		{"1234567890123456", "", one, ""},
		{"0X1234567890123456", "", one, ""},
		{"1311768467284833366", "", one, ""},
		{"16", one, shared, ""},
		{"0x10", other + "/", other, ""},
		{"16", "", "", "several tests have an artifact of that seed; name one:\n  " + shared + "\n  " + other},
		{"17", one, "", "17: no artifact of that seed below " + root},
		{"nowhere", "", "", "nowhere: there is no such directory, and it is no seed"},
		{"0xfffffffffffffffff", "", "", "it is no seed"},
	} {
		got, err := catalog.Resolve(c.word, root, c.near)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("Resolve(%s, near %q) = %s, %v; want %s%s", c.word, c.near, got, err, c.want, c.err)
		}
	}
}

func TestRootsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	if list, problems, err := catalog.Find(filepath.Join(dir, "absent"), nil); len(list)+len(problems) > 0 || err != nil {
		t.Errorf("a root that does not exist: %v, %v, %v", list, problems, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := catalog.Find(file, nil); err == nil || !strings.Contains(err.Error(), file+" is not a directory") {
		t.Errorf("a root that is a file: %v", err)
	}
}

// Whoever writes an artifact while others are removed gets it written.
func TestRemoveBesideWriters(t *testing.T) {
	root := t.TempDir()
	var writers sync.WaitGroup
	for w := range uint64(3) {
		writers.Go(func() {
			for seed := range uint64(30) {
				write(t, root, "TestOne", w<<8+seed, "a")
			}
		})
	}
	done := make(chan struct{})
	go func() { defer close(done); writers.Wait() }()
	for last := false; !last; {
		select {
		case <-done:
			last = true // once more, for what came since
		default:
		}
		list, problems, err := catalog.Find(root, nil)
		for _, e := range list {
			if err := catalog.Remove(root, e); err != nil {
				t.Error(err)
			}
		}
		if err != nil || len(problems) > 0 {
			t.Error(err, problems)
		}
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func ExampleGroups() {
	root, err := os.MkdirTemp("", "catalog")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	for seed := range artifact.Hex64(5) {
		run := &artifact.Run{Report: artifact.Report{Status: artifact.Pass, Package: "example.com/kv", Test: "TestKV", Seed: seed}}
		if seed > 2 {
			run.Report.Status, run.Report.Failure = artifact.Fail, &artifact.Failure{Kind: "leak", Check: "goroutines"}
		}
		if _, err := artifact.Write(root, run); err != nil {
			panic(err)
		}
	}
	list, _, err := catalog.Find(root, nil)
	for _, g := range catalog.Groups(list) {
		fmt.Println(g.Test, len(g.Entries), g.Signature, err)
	}
	// Output:
	// TestKV 2 leak:goroutines <nil>
	// TestKV 3 pass <nil>
}
