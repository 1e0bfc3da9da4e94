//line a.go:1:1
package cgo

import _ "unsafe"

func f() {
	( /*line :6:4*/ _Cfunc_puts /*line :6:7*/)()
	_Cfunc__CMalloc()
	_Cfunc_GoString()
	if err := ( /*line :9:12*/ _C2func_open /*line :9:15*/)(); err != nil {
		panic(err)
	}
}
