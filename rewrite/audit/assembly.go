// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"go/ast"
	"go/build"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

var synchronising = finding{"its assembly synchronises goroutines, and no scheduling point stands before it", "use sync/atomic"}

// synchronises matches the first word of instructions that are atomic or order memory, of the architectures that Go assembles for.
var synchronises = regexp.MustCompile(`^(` + strings.Join([]string{
	`LOCK|XCHG[BWLQ]|CMPXCHG[BWLQ]|XADD[BWLQ]|[LSM]FENCE`, // 386, amd64
	`LDA?XR[BHW]?|STL?XR[BHW]?|LDA?XP[W]?|STL?XP[W]?|LDAR[BHW]?|STLR[BHW]?|CAS(A?L?)[BHWD]?|SWP(A?L?)[BHWD]?|LD(ADD|CLR|EOR|OR)(A?L?)[BHWD]?|DMB|DSB|LDREX[BD]?|STREX[BD]?`, // arm, arm64
	`L[BHWD]AR|ST[BHWD]CCC|L?W?SYNC`,                 // ppc64
	`LR[WD]|SC[WD]|AMO[A-Z]+|FENCE`,                  // riscv64
	`LLV?|SCV?|DBAR|AM[A-Z]+DB[WV]|CSG?|LAAG?|LAOG?`, // mips, loong64, s390x
}, "|") + `)$`)

func wantsAssembly(n ast.Node) bool {
	fn, ok := n.(*ast.FuncDecl)
	return ok && fn.Body == nil
}

// findAssembly looks for functions without a body whose assembly has an instruction that synchronises. Assembly that it calls is not
// followed, and macros are not expanded.
func findAssembly(p *source.Pass) {
	var texts map[string]string
	for f := range p.Changeable() {
		for _, d := range f.Syntax.Decls {
			if !wantsAssembly(d) {
				continue
			}
			if texts == nil {
				texts = assemblyOf(p.Dir)
			}
			fn := d.(*ast.FuncDecl)
			if instruction := firstSynchronising(texts[fn.Name.Name]); instruction != "" {
				p.Gap(f, fn.Name.Pos(), "assembly with "+instruction, synchronising.reason, synchronising.cure)
			}
		}
	}
}

func firstSynchronising(text string) string {
	for line := range strings.Lines(text) {
		for statement := range strings.SplitSeq(line, ";") {
			if fields := strings.Fields(statement); len(fields) > 0 && synchronises.MatchString(fields[0]) {
				return fields[0]
			}
		}
	}
	return ""
}

// assemblyOf gives the text of each function in the assembly files of a folder, those of the architecture that is built for. One that
// only a build tag selects counts where no other file has the function, since the compiler is not told the tags.
func assemblyOf(dir string) map[string]string {
	texts := map[string]string{}
	names, _ := filepath.Glob(filepath.Join(dir, "*.s"))
	for _, selected := range []bool{true, false} {
		for _, name := range names {
			if ok, err := target.MatchFile(filepath.Split(name)); err != nil || ok != selected {
				continue
			}
			for function, text := range functions(name) {
				texts[function] = cmp.Or(texts[function], text)
			}
		}
	}
	return texts
}

// target is what is built for. The go command passes the variables on when they are not the host's.
var target = func() build.Context {
	c := build.Default
	c.GOOS, c.GOARCH = cmp.Or(os.Getenv("GOOS"), c.GOOS), cmp.Or(os.Getenv("GOARCH"), c.GOARCH)
	return c
}()

var functionHead = regexp.MustCompile(`^TEXT\s+(?:[\w/.∕-]*)·(\w+)`)

// functions cuts a file into functions by their name.
func functions(name string) map[string]string {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	texts := map[string]string{}
	current := ""
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		if m := functionHead.FindStringSubmatch(line); m != nil {
			current = m[1]
		} else if current != "" {
			texts[current] += line + "\n"
		}
	}
	return texts
}
