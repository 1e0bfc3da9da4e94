//line /src/covered.go:1:1
package covered

import _cover_atomic_ "sync/atomic"

var counters [2]uint32

var done bool

func atomic() {
	for !done {
		_cover_atomic_.AddUint32(&counters[0], 1)
	}
}

func count() {
	for !done {
		counters[1]++
	}
}

func set() {
	for !done {
		counters[1] = 1
	}
}
