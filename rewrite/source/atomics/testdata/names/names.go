package names

import . "sync/atomic"

var faultlinePoint Int64

func f() {
	faultline_ := faultlinePoint.Load()
	faultlinePoint.Store(faultline_)
	AddInt64(&faultline_, 1)
	var Int32 = &faultline_
	LoadInt64(Int32)
}
