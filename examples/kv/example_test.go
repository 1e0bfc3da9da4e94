// SPDX-License-Identifier: MPL-2.0

package kv_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"

	"github.com/hmdsefi/faultline/examples/kv"
	"github.com/hmdsefi/faultline/shims/fsx"
)

// In production the service gets a directory of the real disk and a real socket. This is all that a command needs.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "kv-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	disk, err := fsx.OS(dir)
	if err != nil {
		log.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- kv.Run(ctx, disk, ln, kv.Options{}) }()

	client := kv.Client{URL: "http://" + ln.Addr().String()}
	if err := client.Put(ctx, "greeting", "hello"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Get(ctx, "greeting"))
	stop()
	fmt.Println(<-done)
	// Output:
	// hello true <nil>
	// <nil>
}
