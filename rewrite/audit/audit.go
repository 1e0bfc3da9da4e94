// SPDX-License-Identifier: MPL-2.0

// Package audit owns the rule that finds what no scheduling point and no seed can decide: constructs that can change the order of
// goroutines, or a value that they see, from one run of a seed to the next. It changes nothing; it records gaps.
//
// Each kind of construct is a file; most are a row of the table in calls.go. Left out are, since nearly every program has them or
// since they differ from machine to machine only, not from run to run: package-level variables that keep state from one seed to the
// next, environment variables, flags, time zones; what os.Exit and log.Fatal do; calls of methods of what an entry of the table
// returned, such as (*os.File).Read; package unique, whose handles compare alike whatever the collector does; and sync.Pool,
// which exact runs empty at their start and the collector leaves alone during them. Package audit must not know which packages are
// rewritten, nor how a program is loaded.
package audit

import (
	"go/ast"
	"slices"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// kind is one kind of construct: what a node must be for the package to be looked at, and the search.
type kind struct {
	wants func(ast.Node) bool
	find  func(*source.Pass)
}

var kinds = []kind{
	{wantsCall, findCalls},
	{wantsLiteral, findLiterals},
	{wantsPrint, findPrints},
	{importsUnsafe, findAddresses},
	{importsUnsafe, findLinknames},
	{wantsC, findC},
	{wantsAssembly, findAssembly},
	{wantsStart, findStarts},
}

// Rule is the rule.
func Rule() source.Rule { return source.Rule{Wants: wants, Run: run} }

func wants(n ast.Node) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.wants(n) })
}

func run(p *source.Pass) {
	for _, k := range kinds {
		k.find(p)
	}
}

// finding is what a gap says of a construct.
type finding struct{ reason, cure string }

// imports reports whether a node imports one of some packages.
func imports(n ast.Node, has func(path string) bool) bool {
	spec, ok := n.(*ast.ImportSpec)
	return ok && len(spec.Path.Value) > 2 && has(spec.Path.Value[1:len(spec.Path.Value)-1])
}

func importsUnsafe(n ast.Node) bool {
	return imports(n, func(path string) bool { return path == "unsafe" })
}
