// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"slices"
	"strings"
	"testing"
)

// compilerArgs is what go1.26 passes to the compiler for a package of the standard library.
const compilerArgs = "-o /w/b002/_pkg_.a -trimpath /w/b002=> -p runtime -lang=go1.26 -std -buildid x/x -goversion " +
	"go1.26.8 -symabis /w/b002/symabis -c=2 -shared -nolocalimports -importcfg /w/b002/importcfg -pack -asmhdr " +
	"/w/b002/go_asm.h /go/src/runtime/alg.go /go/src/runtime/proc.go"

func TestParseCommandLine(t *testing.T) {
	args := strings.Fields(compilerArgs)
	line := parseCommandLine(args)
	if want := []string{"/go/src/runtime/alg.go", "/go/src/runtime/proc.go"}; !slices.Equal(line.sources, want) {
		t.Errorf("sources %q", line.sources)
	}
	if !slices.Equal(line.args(), args) {
		t.Errorf("arguments changed: %q", line.args())
	}
	for flag, want := range map[string]string{"-p": "runtime", "-o": "/w/b002/_pkg_.a", "-c": "2", "-lang": "go1.26", "-q": ""} {
		if got := line.value(flag); got != want {
			t.Errorf("%s is %q, want %q", flag, got, want)
		}
	}
	if !line.has("-std") || line.has("-complete") {
		t.Errorf("-std %v, -complete %v", line.has("-std"), line.has("-complete"))
	}
}

func TestCommandLinesWithoutSources(t *testing.T) {
	for _, args := range []string{"", "-V=full", "-h", "-o x.go -p m"} {
		if line := parseCommandLine(strings.Fields(args)); len(line.sources) > 0 {
			t.Errorf("%q has sources %q", args, line.sources)
		}
	}
}

func TestSetFlag(t *testing.T) {
	tests := []struct{ before, want string }{
		{"-o x -trimpath a=> m.go", "-o x -trimpath new m.go"},
		{"-trimpath=a=> -o x m.go", "-trimpath=new -o x m.go"},
		{"-o x m.go", "-o x -trimpath new m.go"},
	}
	for _, test := range tests {
		line := parseCommandLine(strings.Fields(test.before))
		line.set("-trimpath", "new")
		if got := strings.Join(line.args(), " "); got != test.want {
			t.Errorf("%q became %q, want %q", test.before, got, test.want)
		}
	}
}
