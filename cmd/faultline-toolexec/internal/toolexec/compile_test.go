// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/prepare"
)

var preparedRuntime = prepare.Sources{
	Dir:      filepath.FromSlash("/go/src/runtime"),
	EntryDir: filepath.FromSlash("/cache/src/runtime"),
	Replaced: []string{"proc.go", "os_windows.go"},
	Added:    []string{"zfaultline.go"},
}

func TestUsePrepared(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{
			"plain build",
			"-o /w/_pkg_.a -trimpath /w=> -p runtime -std /go/src/runtime/alg.go /go/src/runtime/proc.go",
			"-o /w/_pkg_.a -trimpath /cache/src/runtime=>$GOROOT/src/runtime;/w=> -p runtime -std " +
				"/go/src/runtime/alg.go /cache/src/runtime/proc.go /cache/src/runtime/zfaultline.go",
		},
		{
			"with -trimpath",
			"-o /w/_pkg_.a -trimpath /go/src/runtime=>runtime;/w=> -p runtime -std /go/src/runtime/proc.go",
			"-o /w/_pkg_.a -trimpath /cache/src/runtime=>runtime;/go/src/runtime=>runtime;/w=> -p runtime -std " +
				"/cache/src/runtime/proc.go /cache/src/runtime/zfaultline.go",
		},
		{
			"with -cover",
			"-o /w/_pkg_.a -trimpath /w=> -p runtime -std /w/proc.cover.go /w/covervars.go",
			"-o /w/_pkg_.a -trimpath /cache/src/runtime=>$GOROOT/src/runtime;/w=> -p runtime -std " +
				"/cache/src/runtime/proc.go /w/covervars.go /cache/src/runtime/zfaultline.go",
		},
	}
	for _, test := range tests {
		line := parseCommandLine(strings.Fields(filepath.FromSlash(test.args)))
		if err := usePrepared(&line, preparedRuntime); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := strings.Join(line.args(), " "); got != filepath.FromSlash(test.want) {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// A file that -overlay put in the place of the toolchain's own is not what was prepared.
func TestUsePreparedRefusesOtherSources(t *testing.T) {
	line := parseCommandLine([]string{"-o", "/w/x", "-p", "runtime", "-std", "/overlay/proc.go"})
	err := usePrepared(&line, preparedRuntime)
	if err == nil || !strings.Contains(err.Error(), "/overlay/proc.go") {
		t.Errorf("got %v", err)
	}
}

const modulePackage = "github.com/hmdsefi/faultline/runtime"

// replacing is a wrapper that replaces one file, and the command line of a package that has it.
func replacing(t *testing.T, dir, name, content string) (Wrapper, commandLine) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, name)
	if err := os.WriteFile(source, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	w := Wrapper{Version: "v0.2.0", Replace: func(path, base string) (Replacement, bool) {
		return Replacement{Original: []byte("plain"), Content: []byte("seam")}, path == modulePackage && base == "plain.go"
	}}
	line := parseCommandLine([]string{"-o", filepath.Join(t.TempDir(), "_pkg_.a"), "-p", modulePackage, "/m/doc.go", source})
	return w, line
}

func TestModuleReplacesFile(t *testing.T) {
	w, line := replacing(t, t.TempDir(), "plain.go", "plain")
	if err := w.module(&line); err != nil {
		t.Fatal(err)
	}
	if line.sources[0] != "/m/doc.go" || filepath.Dir(line.sources[1]) != filepath.Dir(line.value("-o")) {
		t.Errorf("sources %q", line.sources)
	}
	if text, err := os.ReadFile(line.sources[1]); string(text) != "seam" || err != nil {
		t.Errorf("replacement %q, %v", text, err)
	}
}

func TestModuleReplacesCoveredFile(t *testing.T) {
	original := filepath.Join(t.TempDir(), "plain.go")
	if err := os.WriteFile(original, []byte("plain"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, line := replacing(t, t.TempDir(), "plain.cover.go", "//line "+original+":1:1\npackage runtime; counters")
	if err := w.module(&line); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(line.sources[1]); string(text) != "seam" || err != nil {
		t.Errorf("replacement %q, %v", text, err)
	}
}

func TestModuleOfAnotherPathKeepsItsFile(t *testing.T) {
	w, line := replacing(t, t.TempDir(), "plain.go", "whatever")
	line.set("-p", "example.com/runtime")
	before := line.sources[1]
	if err := w.module(&line); err != nil || line.sources[1] != before {
		t.Errorf("sources %q, %v", line.sources, err)
	}
}

func TestModuleOfAnotherVersion(t *testing.T) {
	for dir, cure := range map[string]string{
		"faultline@v0.3.1/runtime": "go install github.com/hmdsefi/faultline/cmd/faultline-toolexec@v0.3.1",
		"checkout/runtime":         "the module's own checkout",
	} {
		w, line := replacing(t, filepath.Join(t.TempDir(), dir), "plain.go", "newer")
		err := w.module(&line)
		if err == nil || !strings.Contains(err.Error(), cure) || !strings.Contains(err.Error(), "v0.2.0") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
