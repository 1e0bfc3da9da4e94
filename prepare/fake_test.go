// SPDX-License-Identifier: MPL-2.0

package prepare

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// fakeGo stands in for the go command of a toolchain: it builds nothing, in no time. FAKE_BUILD and FAKE_SELFTEST
// choose how it misbehaves.
const fakeGo = `#!/bin/sh
[ "$GOTOOLCHAIN" = local ] || exit 9
[ -f "$FAULTLINE_TOOLEXEC_ENTRY/manifest.json" ] || exit 8
case "$1:$FAKE_BUILD" in
build:fail) echo "proc.go:7:1: syntax error" >&2; exit 1;;
build:kill) kill -9 $PPID; exit 1;;
build:*) exit 0;;
esac
while [ "$1" != -o ]; do shift; done
echo '#!/bin/sh' > "$2"
case "$FAKE_SELFTEST" in
differs) echo 'echo $$' >> "$2";;
constant) echo 'echo same' >> "$2";;
fail) echo 'echo broken >&2; exit 1' >> "$2";;
*) echo 'echo order of $FAULTLINE_SELFTEST_SEED' >> "$2";;
esac
chmod +x "$2"
`

// newFake makes a toolchain with two source files and a job that replaces one of them and adds another.
func newFake(t testing.TB) (Job, Toolchain) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake go command is a shell script")
	}
	goroot := t.TempDir()
	for name, text := range map[string]string{
		"VERSION":               "go1.26.99\ntime 2026-01-01T00:00:00Z\n",
		"bin/go":                fakeGo,
		"src/runtime/proc.go":   "package runtime // proc\n",
		"src/runtime/rand.go":   "package runtime // rand\n",
		"src/runtime/a/proc.go": "package a\n",
	} {
		put(t, filepath.Join(goroot, name), text)
	}
	tc, err := ToolchainAt(goroot)
	if err != nil {
		t.Fatal(err)
	}
	return Job{
		Cache:   Cache{Dir: filepath.Join(t.TempDir(), "cache"), Identity: "test"},
		Wrapper: "/bin/wrapper",
		Dir:     t.TempDir(),
		Apply: func(string) (*Patch, error) {
			return &Patch{
				Files: map[string][]byte{
					"runtime/proc.go":  []byte("package runtime // patched\n"),
					"runtime/added.go": []byte("package runtime // added\n"),
				},
				Added: map[string]bool{"runtime/added.go": true},
				Rules: []Rule{{Name: "gate", File: "runtime/proc.go", Count: 1}},
			}, nil
		},
		SelfTest: map[string][]byte{"go.mod": []byte("module selftest\n")},
		Started:  func(Toolchain) {},
	}, tc
}

func put(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
