// SPDX-License-Identifier: MPL-2.0

package gaps_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/hmdsefi/faultline/gaps"
)

func ExampleWrite() {
	list := []gaps.Gap{{
		File: "kv/store.go", Line: 12,
		Construct: "sync.Map.Range", Reason: "order differs", Cure: "sort the keys",
	}}
	if err := gaps.Write(os.Stdout, list); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # faultline_gaps 1
	// # Constructs that the wrapper left unchanged although they can change goroutine order.
	// # file:line, construct, reason, cure and acceptance, separated by tabs.
	// kv/store.go:12	sync.Map.Range	order differs	cure: sort the keys
}

func ExampleRead() {
	_, err := gaps.Read(strings.NewReader("# faultline_gaps 1\nstore.go\tsync.Map.Range\torder differs\n"))
	fmt.Println(err)
	// Output:
	// gaps: line 2: position "store.go", want file:line
}

func ExampleRegistered() {
	fmt.Println(len(gaps.Registered()), "gaps in a build without the wrapper")
	// Output:
	// 0 gaps in a build without the wrapper
}
