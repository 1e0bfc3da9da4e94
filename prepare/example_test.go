// SPDX-License-Identifier: MPL-2.0

package prepare_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/hmdsefi/faultline/prepare"
)

func ExampleCache_Open() {
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	cache := prepare.Cache{Dir: dir, Identity: "wrapper v0.2.0"}
	_, err = cache.Open(prepare.Toolchain{Goroot: "/usr/local/go", Version: "go1.26.8"})
	fmt.Println(errors.Is(err, prepare.ErrNotPrepared))
	// Output: true
}

func ExampleToolexecFlag() {
	flag, err := prepare.ToolexecFlag("/home/gopher/my tools/faultline-toolexec")
	fmt.Println(flag, err)
	// Output: -toolexec='/home/gopher/my tools/faultline-toolexec' <nil>
}
