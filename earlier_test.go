// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

func TestEarlierArtifacts(t *testing.T) {
	now := artifact.Report{
		Package: "example.com/kv", Test: "TestKV", Seed: 7, OptionsHash: 1,
		Versions: artifact.Versions{Faultline: "v0.2.0", Go: "go1.27.3", OS: "linux", Arch: "amd64", BinaryHash: "aa"},
	}
	const other = "the earlier artifact of this seed has another "
	for _, test := range []struct {
		name   string
		before func(r *artifact.Report)
		want   []string
	}{
		{"the same", func(*artifact.Report) {}, nil},
		{"Go", func(r *artifact.Report) { r.Versions.Go = "go1.26.8" }, []string{other + "Go: go1.26.8, now go1.27.3"}},
		{"system and binary", func(r *artifact.Report) { r.Versions.Arch, r.Versions.BinaryHash = "arm64", "bb" },
			[]string{other + "system: linux/arm64, now linux/amd64", other + "test binary: bb, now aa"}},
		{"options and faultline", func(r *artifact.Report) { r.OptionsHash, r.Versions.Faultline = 2, "v0.1.0" },
			[]string{other + "faultline: v0.1.0, now v0.2.0", other + "hash of options: 0x0000000000000002, now 0x0000000000000001"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, before := t.TempDir(), now
			test.before(&before)
			before.Status = artifact.Fail
			before.Failure = &artifact.Failure{Kind: "final", Check: "x"}
			if _, err := artifact.Write(root, &artifact.Run{Report: before}); err != nil {
				t.Fatal(err)
			}
			if got := earlierWarnings(root, &now); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestNoEarlierArtifact(t *testing.T) {
	root := t.TempDir()
	now := artifact.Report{Package: "p", Test: "T", Seed: 1, OptionsHash: 1}
	if got := earlierWarnings(root, &now); got != nil {
		t.Errorf("without a directory: %q", got)
	}
	dir := artifact.Dir(root, "p", "T", 1)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, artifact.ReportFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := earlierWarnings(root, &now); got != nil {
		t.Errorf("with a report that is none: %q", got)
	}
}
