// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"strings"

	"github.com/hmdsefi/faultline/rewrite/source"
)

// linked says what reaching some functions of the runtime means; any other changes or reads state that no seed decides.
var linked = map[string]finding{
	"runtime.nanotime":     {"it reads the machine's clock, not the virtual one", "use time.Now"},
	"runtime.walltime":     {"it reads the machine's clock, not the virtual one", "use time.Now"},
	"runtime.cputicks":     {"it reads the machine's clock, not the virtual one", "use time.Now"},
	"time.now":             {"it reads the machine's clock, not the virtual one", "use time.Now"},
	"time.runtimeNano":     {"it reads the machine's clock, not the virtual one", "use time.Now"},
	"runtime.procPin":      {"it keeps other goroutines from running where a point would let them", "use a sync.Mutex"},
	"sync.runtime_procPin": {"it keeps other goroutines from running where a point would let them", "use a sync.Mutex"},
	"runtime.memhash":      {"it hashes with a key of the process", "use hash/maphash"},
	"runtime.strhash":      {"it hashes with a key of the process", "use hash/maphash"},
}

var reachesRuntime = finding{"it reads or changes state of the Go runtime that no seed decides", "use the exported API"}

// runtimes are the first elements of the import paths of packages that the runtime's functions are in.
var runtimes = map[string]bool{"internal": true, "net": true, "os": true, "reflect": true, "runtime": true, "sync": true, "syscall": true, "time": true}

// findLinknames looks for directives that name a function of the standard library's inside.
func findLinknames(p *source.Pass) {
	for f := range p.Changeable() {
		for _, group := range f.Syntax.Comments {
			for _, c := range group.List {
				fields := strings.Fields(c.Text)
				if len(fields) != 3 || fields[0] != "//go:linkname" || !isRuntime(fields[2]) {
					continue
				}
				found, known := linked[fields[2]]
				if !known {
					found = reachesRuntime
				}
				p.Gap(f, c.Pos(), "go:linkname "+fields[2], found.reason, found.cure)
			}
		}
	}
}

func isRuntime(symbol string) bool {
	first, _, nested := strings.Cut(symbol, "/")
	if !nested {
		first, _, _ = strings.Cut(symbol, ".")
	}
	return runtimes[first]
}
