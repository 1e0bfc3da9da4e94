//go:build !ignore

package directives

import "sync/atomic"

var n atomic.Int64

func f() {
	n.Add(1) // ours
	/*line grammar.y:7:3*/ n.Add(2)
	n.Add(n.Load())
//line other.y:30
	n.Add(3)
}
