// SPDX-License-Identifier: MPL-2.0

package toolexec

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestResponseFileKeepsArguments(t *testing.T) {
	args := []string{"-p", `C:\dir\new`, "two words", "line\nbreak", `back\slash\\n`, ""}
	for i := range 1000 {
		args = append(args, fmt.Sprintf("/home/gopher/a long directory/file%04d.go", i))
	}
	file := filepath.Join(t.TempDir(), "args")
	short, err := shorten(args, file)
	if err != nil || len(short) != 1 || short[0] != "@"+file {
		t.Fatalf("shorten = %d arguments, %v", len(short), err)
	}
	got, err := expandResponse(short)
	if err != nil || !slices.Equal(got, args) {
		t.Errorf("%d of %d arguments came back, %v", len(got), len(args), err)
	}
}

func TestShortCommandLinesNeedNoFile(t *testing.T) {
	args := []string{"-o", "x", "m.go"}
	file := filepath.Join(t.TempDir(), "args")
	got, err := shorten(args, file)
	if err != nil || !slices.Equal(got, args) {
		t.Errorf("shorten = %q, %v", got, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
}

func TestMissingResponseFile(t *testing.T) {
	if args, err := expandResponse([]string{"@" + filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Errorf("got %q", args)
	}
}
