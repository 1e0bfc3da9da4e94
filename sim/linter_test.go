// SPDX-License-Identifier: MPL-2.0

package sim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The rules.
const (
	ruleGoroutine = "goroutine"
	ruleChannel   = "channel"
	ruleClock     = "wall-clock"
	ruleRandom    = "random"
	ruleFloat     = "float"
	ruleMapOrder  = "map-order"
)

// banned are the functions, methods and packages (name "*") that break a rule by
// being named.
var banned = map[string]string{
	"time.Now": ruleClock, "time.Since": ruleClock, "time.Until": ruleClock, "time.Sleep": ruleClock,
	"time.After": ruleClock, "time.AfterFunc": ruleClock, "time.Tick": ruleClock,
	"time.NewTimer": ruleClock, "time.NewTicker": ruleClock,
	"context.WithTimeout": ruleClock, "context.WithDeadline": ruleClock,

	"context.AfterFunc": ruleGoroutine, "sync.WaitGroup.Go": ruleGoroutine,
	"iter.Pull": ruleGoroutine, "iter.Pull2": ruleGoroutine,
	"runtime.SetFinalizer": ruleGoroutine, "runtime.AddCleanup": ruleGoroutine,
	"os/exec.*": ruleGoroutine,

	"reflect.Select": ruleChannel, "reflect.MakeChan": ruleChannel,

	"math/rand.*": ruleRandom, "crypto/rand.*": ruleRandom, "hash/maphash.*": ruleRandom, "math/rand/v2.*": ruleRandom,

	"sync.Map.Range": ruleMapOrder, "reflect.Value.MapKeys": ruleMapOrder, "reflect.Value.MapRange": ruleMapOrder,
	"maps.Keys": ruleMapOrder, "maps.Values": ruleMapOrder, "maps.All": ruleMapOrder,

	"math.*": ruleFloat,
}

// allowed are the exceptions from the banned packages: generators that get their
// seed, and the integers of package math.
var allowed = map[string]bool{
	"math/rand/v2.New": true, "math/rand/v2.NewPCG": true, "math/rand/v2.NewChaCha8": true,
	"math/rand/v2.Rand": true, "math/rand/v2.PCG": true, "math/rand/v2.ChaCha8": true, "math/rand/v2.Source": true,
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// linter checks packages against the rules with the types that the compiler sees.
type linter struct {
	t        *testing.T
	fset     *token.FileSet
	packages []listed
	importer types.Importer

	info     types.Info
	findings []finding
}

func newLinter(t *testing.T) *linter {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", "./..."}
	// What fixtures import beyond the simulator.
	args = append(args, "context", "crypto/rand", "hash/maphash", "iter", "maps", "math/rand", "reflect", "sort", "sync")
	cmd := exec.Command("go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	l := &linter{t: t, fset: token.NewFileSet()}
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		l.packages = append(l.packages, p)
		exports[p.ImportPath] = p.Export
	}
	l.importer = importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %q: name it in newLinter", path)
		}
		return os.Open(exports[path])
	})
	return l
}

// check returns the findings in one package, one per line and rule.
func (l *linter) check(path string, files []*ast.File) []finding {
	l.t.Helper()
	l.info = types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
		Defs:  map[*ast.Ident]types.Object{},
	}
	l.findings = nil
	config := types.Config{Importer: l.importer}
	if _, err := config.Check(path, l.fset, files, &l.info); err != nil {
		l.t.Fatalf("%s: %v", path, err)
	}
	for _, f := range files {
		ast.PreorderStack(f, nil, func(n ast.Node, parents []ast.Node) bool {
			l.visit(n, parents)
			return true
		})
	}
	return l.findings
}

func (l *linter) report(n ast.Node, rule, what string) {
	f := finding{at: l.fset.Position(n.Pos()), rule: rule, what: what}
	if !slices.ContainsFunc(l.findings, func(o finding) bool { return o.place() == f.place() }) {
		l.findings = append(l.findings, f)
	}
}

func (l *linter) visit(n ast.Node, parents []ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		l.report(n, ruleGoroutine, "a go statement")
	case *ast.SelectStmt:
		l.report(n, ruleChannel, "a select statement")
	case *ast.SendStmt:
		l.report(n, ruleChannel, "a send")
	case *ast.RangeStmt:
		l.visitRange(n, parents)
	case *ast.Ident:
		l.visitIdent(n, parents)
	}
	if e, ok := n.(ast.Expr); ok {
		l.visitType(e)
	}
}

// visitType reports values of a channel or floating-point type.
func (l *linter) visitType(e ast.Expr) {
	t := l.info.TypeOf(e)
	if t == nil {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Chan:
		l.report(e, ruleChannel, "a channel")
	case *types.Basic:
		if u.Info()&(types.IsFloat|types.IsComplex) != 0 {
			l.report(e, ruleFloat, "a value of type "+t.String())
		}
	}
}

func (l *linter) visitIdent(id *ast.Ident, parents []ast.Node) {
	obj := l.info.Uses[id]
	if obj == nil || obj.Pkg() == nil {
		return
	}
	if _, local := obj.(*types.PkgName); local {
		return
	}
	name := qualified(obj)
	rule := banned[name]
	if rule == "" && obj.Parent() == obj.Pkg().Scope() && !allowed[name] {
		rule = banned[obj.Pkg().Path()+".*"]
	}
	switch {
	case rule == "":
	case rule == ruleFloat && isInteger(obj):
	case rule == ruleMapOrder && l.sortedAtOnce(parents):
	default:
		l.report(id, rule, name)
	}
}

// qualified names an object as its package and name, with the receiver's type
// between them for a method.
func qualified(obj types.Object) string {
	name := obj.Name()
	if fn, ok := obj.(*types.Func); ok {
		if recv := fn.Signature().Recv(); recv != nil {
			t := recv.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			if named, ok := t.(*types.Named); ok {
				name = named.Obj().Name() + "." + name
			}
		}
	}
	return obj.Pkg().Path() + "." + name
}

// isInteger reports whether obj is an integer constant, such as math.MaxInt64.
func isInteger(obj types.Object) bool {
	c, ok := obj.(*types.Const)
	if !ok {
		return false
	}
	b, ok := c.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// sortedAtOnce reports whether the call that the innermost parents make of an
// iterator over a map is the argument of slices.Sorted or a sibling of it.
func (l *linter) sortedAtOnce(parents []ast.Node) bool {
	// maps.Keys(m) is CallExpr{Fun: SelectorExpr{Sel: the identifier}}.
	if len(parents) < 3 {
		return false
	}
	outer, ok := parents[len(parents)-3].(*ast.CallExpr)
	return ok && len(outer.Args) > 0 && outer.Args[0] == parents[len(parents)-2] &&
		strings.HasPrefix(l.callee(outer), "slices.Sorted")
}

// callee returns the qualified name of the function that is called, or "".
func (l *linter) callee(call *ast.CallExpr) string {
	fun := call.Fun
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		fun = sel.Sel
	}
	if id, ok := fun.(*ast.Ident); ok {
		if obj := l.info.Uses[id]; obj != nil && obj.Pkg() != nil {
			return qualified(obj)
		}
	}
	return ""
}

// visitRange reports a range over a map, unless all it does is to collect the
// keys in a slice that the next statement sorts.
func (l *linter) visitRange(r *ast.RangeStmt, parents []ast.Node) {
	if _, ok := l.info.TypeOf(r.X).Underlying().(*types.Map); !ok {
		return
	}
	keys := l.collectsKeys(r)
	if keys == nil || len(parents) == 0 || !l.sorts(following(parents[len(parents)-1], r), keys) {
		l.report(r, ruleMapOrder, "a range over a map whose keys are not just collected and sorted")
	}
}

// collectsKeys returns the variable keys of a loop that is
//
//	for k := range m { keys = append(keys, k) }
//
// and nil of any other.
func (l *linter) collectsKeys(r *ast.RangeStmt) types.Object {
	key, ok := r.Key.(*ast.Ident)
	if !ok || r.Value != nil || len(r.Body.List) != 1 {
		return nil
	}
	assign, ok := r.Body.List[0].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil
	}
	call, ok := assign.Rhs[0].(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || call.Ellipsis.IsValid() {
		return nil
	}
	if fun, ok := call.Fun.(*ast.Ident); !ok || l.info.Uses[fun] != types.Universe.Lookup("append") {
		return nil
	}
	keys := l.variable(assign.Lhs[0])
	if keys == nil || keys != l.variable(call.Args[0]) || l.variable(call.Args[1]) != l.info.ObjectOf(key) {
		return nil
	}
	return keys
}

func (l *linter) variable(e ast.Expr) types.Object {
	if id, ok := e.(*ast.Ident); ok {
		return l.info.ObjectOf(id)
	}
	return nil
}

// sorts reports whether the statement sorts keys.
func (l *linter) sorts(stmt ast.Stmt, keys types.Object) bool {
	expr, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := expr.X.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || l.variable(call.Args[0]) != keys {
		return false
	}
	switch l.callee(call) {
	case "slices.Sort", "slices.SortFunc", "slices.SortStableFunc", "sort.Strings", "sort.Ints", "sort.Slice", "sort.SliceStable":
		return true
	}
	return false
}

// following returns the statement after s in the list that parent holds, or nil.
func following(parent ast.Node, s ast.Stmt) ast.Stmt {
	var list []ast.Stmt
	switch p := parent.(type) {
	case *ast.BlockStmt:
		list = p.List
	case *ast.CaseClause:
		list = p.Body
	}
	if i := slices.Index(list, s); i >= 0 && i+1 < len(list) {
		return list[i+1]
	}
	return nil
}
