// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
)

// example runs body in a world in a bubble of its own.
func example(body func(w *world)) {
	testing.RunTests(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "example", F: func(t *testing.T) { inWorld(t, options{}, body) }}})
}

func ExampleHost() {
	example(func(w *world) {
		w.process("server", func(h *netsim.Host, p *driver.Proc) {
			l, err := h.Listen("tcp", ":7")
			if err != nil {
				fmt.Println(err)
				return
			}
			c, err := l.Accept()
			if err != nil {
				fmt.Println(err)
				return
			}
			_, _ = io.Copy(c, c)
			_ = c.Close()
		})
		w.process("client", func(h *netsim.Host, p *driver.Proc) {
			c, err := h.DialTimeout("tcp", "server:7", time.Second)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Fprintln(c, "hello")
			line, err := bufio.NewReader(c).ReadString('\n')
			fmt.Printf("%q %v from %v\n", line, err, c.RemoteAddr())
			_ = c.Close()
			_, err = h.Dial("tcp", "server:8")
			fmt.Println(err)
		})
		w.run(time.Minute)
	})
	// Output:
	// "hello\n" <nil> from 10.0.0.1:7
	// dial tcp 10.0.0.1:8: connect: connection refused
}

func ExampleHost_ListenPacket() {
	example(func(w *world) {
		w.process("server", func(h *netsim.Host, p *driver.Proc) {
			c, err := h.ListenPacket("udp", ":53")
			if err != nil {
				fmt.Println(err)
				return
			}
			b := make([]byte, 4) // the rest of a longer datagram is lost
			n, from, err := c.ReadFrom(b)
			fmt.Printf("%q %v from %v\n", b[:n], err, from.(*net.UDPAddr).IP)
		})
		w.process("client", func(h *netsim.Host, p *driver.Proc) {
			c, err := h.Dial("udp", "server:53")
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Fprint(c, "hello")
		})
		w.run(time.Minute)
	})
	// Output: "hell" <nil> from 10.0.0.2
}

func ExampleHost_LookupHost() {
	example(func(w *world) {
		w.process("n1", func(h *netsim.Host, p *driver.Proc) {
			fmt.Println(h.LookupHost(context.Background(), h.Name()))
			fmt.Println(h.LookupHost(context.Background(), "n2"))
		})
		w.run(time.Minute)
	})
	// Output:
	// [10.0.0.1 fd00::1] <nil>
	// [] lookup n2: no such host
}

func ExampleHTTPClient() {
	example(func(w *world) {
		w.process("server", func(h *netsim.Host, p *driver.Proc) {
			l, err := h.Listen("tcp", ":80")
			if err != nil {
				fmt.Println(err)
				return
			}
			srv := &http.Server{Handler: http.NotFoundHandler()}
			context.AfterFunc(p.Context(), func() { _ = srv.Close() })
			_ = srv.Serve(l)
		})
		w.process("client", func(h *netsim.Host, p *driver.Proc) {
			client := netsim.HTTPClient(h)
			defer client.CloseIdleConnections()
			resp, err := client.Get("http://server/")
			if err != nil {
				fmt.Println(err)
				return
			}
			defer resp.Body.Close()
			fmt.Println(resp.Status)
		})
		w.run(time.Minute)
	})
	// Output: 404 Not Found
}

func ExampleConfig_Validate() {
	fmt.Println(netsim.Config{MSS: -1}.Validate())
	fmt.Println(netsim.Config{}.Validate())
	// Output:
	// netsim: MSS is -1: accepted is 1 or more bytes, or 0 for 65536
	// <nil>
}
