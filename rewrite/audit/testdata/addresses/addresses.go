package addresses

import (
	"reflect"
	"unsafe"
)

type number uintptr

func of(p *int, v reflect.Value) (uintptr, number) {
	_ = unsafe.Sizeof(p)
	_ = uintptr(1)
	v.Pointer()
	return uintptr(unsafe.Pointer(p)), number(unsafe.Pointer(p))
}
