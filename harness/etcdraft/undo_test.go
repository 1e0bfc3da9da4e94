// SPDX-License-Identifier: MPL-2.0

package etcdraft_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// undo takes a fix out of a copy of raft: in one function, the only node of its
// shape that mentions a name, or is just that, gets another text.
type undo struct {
	file     string
	function string
	shape    shape
	mentions string
	becomes  string
}

// shape says which part of which statement is replaced.
type shape int

const (
	condition  shape = iota // of an if statement
	result                  // the only one of a return statement
	assignment              // the only right-hand side
)

// place returns the part of the node that the shape means, or nil.
func (s shape) place(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.IfStmt:
		if s == condition {
			return n.Cond
		}
	case *ast.ReturnStmt:
		if s == result && len(n.Results) == 1 {
			return n.Results[0]
		}
	case *ast.AssignStmt:
		if s == assignment && len(n.Rhs) == 1 {
			return n.Rhs[0]
		}
	}
	return nil
}

// apply edits the copy in dir.
func (u undo) apply(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(u.file))
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, 0)
	if err != nil {
		return err
	}
	text := func(e ast.Expr) string {
		return string(src[fset.Position(e.Pos()).Offset:fset.Position(e.End()).Offset])
	}
	var found, exact []ast.Expr
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != u.function {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if e := u.shape.place(n); e != nil && strings.Contains(text(e), u.mentions) {
				found = append(found, e)
				if text(e) == u.mentions {
					exact = append(exact, e)
				}
			}
			return true
		})
	}
	if len(exact) > 0 {
		found = exact
	}
	if len(found) != 1 {
		return fmt.Errorf("%d places in %s of %s mention %s, want 1", len(found), u.function, u.file, u.mentions)
	}
	from, to := fset.Position(found[0].Pos()).Offset, fset.Position(found[0].End()).Offset
	return os.WriteFile(path, []byte(string(src[:from])+u.becomes+string(src[to:])), 0o644)
}

// buildWith builds this test binary with a raft out of which the fixes were taken,
// and returns its path.
func buildWith(t *testing.T, undos []undo) string {
	t.Helper()
	dir := t.TempDir()
	copied := filepath.Join(dir, "raft")
	copySources(t, moduleDir(t, "go.etcd.io/raft/v3"), copied)
	for _, u := range undos {
		if err := u.apply(copied); err != nil {
			t.Fatal(err)
		}
	}
	mod, binary := filepath.Join(dir, "go.mod"), filepath.Join(dir, "etcdraft.test")
	for _, name := range []string{"go.mod", "go.sum"} {
		copyFile(t, name, filepath.Join(dir, name))
	}
	run(t, "go", "mod", "edit",
		"-replace=go.etcd.io/raft/v3="+copied,
		"-replace=github.com/hmdsefi/faultline="+moduleDir(t, "github.com/hmdsefi/faultline"), mod)
	run(t, "go", "test", "-c", "-modfile="+mod, "-o", binary, ".")
	return binary
}

// moduleDir returns where the sources of a module are.
func moduleDir(t *testing.T, path string) string {
	t.Helper()
	output, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", path, err)
	}
	return strings.TrimSpace(string(output))
}

// copySources copies a module without its tests.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if d.Name() == "testdata" || d.Name() == "rafttest" {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case strings.HasSuffix(rel, "_test.go"), !strings.HasSuffix(rel, ".go") && !strings.HasPrefix(rel, "go."):
			return nil
		}
		copyFile(t, path, filepath.Join(to, rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a command outside the workspace.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
}
