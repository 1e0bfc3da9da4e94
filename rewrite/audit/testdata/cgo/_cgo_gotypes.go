package cgo

func _Cfunc_puts() int    { return 0 }
func _Cfunc__CMalloc()    {}
func _Cfunc_GoString()    {}
func _C2func_open() error { return nil }
