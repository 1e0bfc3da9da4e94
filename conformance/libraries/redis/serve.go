// SPDX-License-Identifier: MPL-2.0

// Package redis runs a go-redis client and an alicebob/miniredis server on a simulated network. It owns what joins the server to the
// network; what the two must hold is in its test.
package redis

import (
	"errors"
	"io"
	"net"
	"sync"

	"github.com/alicebob/miniredis/v2"
)

// Serve lets clients of ln talk to m until ln is closed. Miniredis listens on real sockets only, but gives away ends of pipes.
func Serve(ln net.Listener, m *miniredis.Miniredis) error {
	var clients sync.WaitGroup
	defer clients.Wait()
	for {
		client, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		clients.Go(func() { serve(client, m) })
	}
}

// serve copies both ways until one end closes.
func serve(client net.Conn, m *miniredis.Miniredis) {
	defer client.Close()
	server, err := m.Dial()
	if err != nil {
		return
	}
	var replies sync.WaitGroup
	replies.Go(func() {
		_, _ = io.Copy(client, server)
		client.Close()
	})
	_, _ = io.Copy(server, client)
	server.Close()
	replies.Wait()
}
