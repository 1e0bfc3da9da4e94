// SPDX-License-Identifier: MPL-2.0

package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

// released is the build information of a wrapper that came from a module proxy.
func released() *debug.BuildInfo {
	return &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Main:      debug.Module{Path: modulePath, Version: "v0.2.0", Sum: "h1:wrapper"},
		Deps: []*debug.Module{
			{Path: "github.com/hmdsefi/faultline", Version: "v0.2.0", Sum: "h1:root"},
			{Path: "github.com/dave/dst", Version: "v0.28.0", Sum: "h1:dst"},
		},
	}
}

// A released wrapper is the same one, whether it was installed or built as another module's tool.
func TestReleasedWrapperIsKnownByItsModules(t *testing.T) {
	installed, ok := moduleSums(released())
	if !ok {
		t.Fatal("no sums")
	}
	tool := released()
	wrapper := tool.Main
	tool.Deps = append(tool.Deps, &wrapper)
	tool.Main = debug.Module{Path: "example.com/service", Version: "(devel)"}
	if got, ok := moduleSums(tool); !ok || got != installed {
		t.Errorf("as a tool: %q, %v; installed: %q", got, ok, installed)
	}
	for what, change := range map[string]func(*debug.BuildInfo){
		"another Go":      func(b *debug.BuildInfo) { b.GoVersion = "go1.27" },
		"another module":  func(b *debug.BuildInfo) { b.Deps[1].Sum = "h1:fork" },
		"another release": func(b *debug.BuildInfo) { b.Main.Version = "v0.2.1" },
	} {
		other := released()
		change(other)
		if got, ok := moduleSums(other); !ok || got == installed {
			t.Errorf("%s: %q, %v", what, got, ok)
		}
	}
}

func TestWorkingTreeHasNoSums(t *testing.T) {
	for what, change := range map[string]func(*debug.BuildInfo){
		"wrapper": func(b *debug.BuildInfo) { b.Main = debug.Module{Path: modulePath, Version: "(devel)"} },
		"module":  func(b *debug.BuildInfo) { b.Deps[0].Sum = "" },
		"replace": func(b *debug.BuildInfo) { b.Deps[1].Replace = &debug.Module{Path: "../dst"} },
	} {
		b := released()
		change(b)
		if got, ok := moduleSums(b); ok {
			t.Errorf("%s from a working tree: %q", what, got)
		}
	}
}

// The test binary is from a working tree, or its checksums are known: it has an identity in either case.
func TestIdentity(t *testing.T) {
	first, err := identity()
	if err != nil || len(first) != 64 || strings.Trim(first, "0123456789abcdef") != "" {
		t.Fatalf("identity %q, %v", first, err)
	}
	if second, err := identity(); second != first || err != nil {
		t.Errorf("identity %q, then %q, %v", first, second, err)
	}
}
