package linknames

import _ "unsafe"

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname mapclone internal/runtime/maps.clone
func mapclone()

//go:linkname here
func here() {}

//go:linkname there example.com/runtime.there
func there()
