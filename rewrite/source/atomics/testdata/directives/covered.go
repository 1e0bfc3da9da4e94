//line /src/covered.go:1:1
package directives

import _cover_atomic_ "sync/atomic"

var counters [1]uint32

func g() {
	_cover_atomic_.AddUint32(&counters[0], 1)
	if n.Load() > 0 {
		_cover_atomic_.AddUint32(&counters[0], 1)
	}
}
