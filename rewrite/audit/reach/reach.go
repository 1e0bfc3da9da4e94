// SPDX-License-Identifier: MPL-2.0

// Package reach owns which lines of a program the functions of simulated processes can reach: those that a test gives to World, what
// they call, and the goroutines that they start.
//
// Calls through interfaces and function values are resolved by variable type analysis: it follows which types and functions flow
// into which variable. Class hierarchy analysis would take each method of a name for a callee, and rapid type analysis each function of
// a type that the program uses as a value, which for func() is nearly all of them; both would call most gaps reachable. Rapid type
// analysis only says which functions are alive at all, which makes the other one affordable. What a reachable function mentions as a
// value counts as called, since the runtime, which no analysis follows, calls what it gets, as in time.AfterFunc. Calls by way
// of package reflect are not seen.
//
// The package must not know what a gap is, nor how packages are loaded.
package reach

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// Reach is what process functions can reach.
type Reach struct {
	// Processes is the number of process functions.
	Processes int
	syntax    map[ast.Node]bool // of reached functions
}

// Of analyses programs that were loaded whole, with the tests that start them. A process function is one of a package for which users
// holds.
func Of(programs []*packages.Package, users func(*types.Package) bool) *Reach {
	r := &Reach{syntax: map[ast.Node]bool{}}
	given := processTypes(programs)
	if len(given) == 0 {
		return r
	}
	prog, built := ssautil.AllPackages(programs, ssa.InstantiateGenerics)
	prog.Build()
	alive := rta.Analyze(roots(built), true)
	functions := map[*ssa.Function]bool{}
	for f := range alive.Reachable {
		functions[f] = true
	}
	w := &walk{graph: vta.CallGraph(functions, alive.CallGraph), seen: map[*ssa.Function]bool{}}
	for f, info := range alive.Reachable {
		if info.AddrTaken && isProcess(f, given) && users(packageOf(f)) {
			r.Processes++
			w.visit(f)
		}
	}
	for f := range w.seen {
		if node := f.Syntax(); node != nil {
			r.syntax[node] = true
		}
	}
	return r
}

// roots are where programs start.
func roots(built []*ssa.Package) (list []*ssa.Function) {
	for _, p := range built {
		if p == nil || p.Pkg.Name() != "main" {
			continue
		}
		for _, name := range []string{"init", "main"} {
			if f := p.Func(name); f != nil {
				list = append(list, f)
			}
		}
	}
	return list
}

const faultline = "github.com/hmdsefi/faultline"

// processTypes are the types of the functions that methods of World take to start a node.
func processTypes(programs []*packages.Package) (list []*types.Signature) {
	packages.Visit(programs, nil, func(p *packages.Package) {
		if p.PkgPath != faultline || p.Types == nil {
			return
		}
		world, ok := p.Types.Scope().Lookup("World").(*types.TypeName)
		if !ok {
			return
		}
		methods := types.NewMethodSet(types.NewPointer(world.Type()))
		for _, name := range []string{"AddProcess", "AddClientProcess", "AddServer", "AddClient"} {
			if m := methods.Lookup(p.Types, name); m != nil {
				list = append(list, functionParameters(m.Obj().(*types.Func))...)
			}
		}
	})
	return list
}

func functionParameters(f *types.Func) (list []*types.Signature) {
	for v := range f.Signature().Params().Variables() {
		if s, ok := types.Unalias(v.Type()).Underlying().(*types.Signature); ok {
			list = append(list, s)
		}
	}
	return list
}

// isProcess reports whether a function can be given to World: its type names faultline's own.
func isProcess(f *ssa.Function, given []*types.Signature) bool {
	if f.Signature.Recv() != nil {
		return false
	}
	for _, s := range given {
		if types.Identical(f.Signature, s) {
			return true
		}
	}
	return false
}

// packageOf is the package of a function, also of an instance of a generic one and of a method value.
func packageOf(f *ssa.Function) *types.Package {
	switch {
	case f.Pkg != nil:
		return f.Pkg.Pkg
	case f.Parent() != nil:
		return packageOf(f.Parent())
	case f.Object() != nil:
		return f.Object().Pkg()
	}
	return nil
}

// walk collects functions.
type walk struct {
	graph *callgraph.Graph
	seen  map[*ssa.Function]bool
}

func (w *walk) visit(f *ssa.Function) {
	todo := []*ssa.Function{f}
	for len(todo) > 0 {
		f, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if w.seen[f] {
			continue
		}
		w.seen[f] = true
		if node := w.graph.Nodes[f]; node != nil {
			for _, edge := range node.Out {
				todo = append(todo, edge.Callee.Func)
			}
		}
		todo = append(todo, mentioned(f)...)
	}
}

// mentioned are the functions that are operands in f, as callees or as values.
func mentioned(f *ssa.Function) (list []*ssa.Function) {
	var operands [16]*ssa.Value
	for _, block := range f.Blocks {
		for _, instruction := range block.Instrs {
			for _, operand := range instruction.Operands(operands[:0]) {
				if callee, ok := (*operand).(*ssa.Function); ok {
					list = append(list, callee)
				}
			}
		}
	}
	return list
}
