// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
)

// inBenchWorld runs a world in a bubble made for a benchmark, which synctest.Test
// does not accept. The benchmark's clock runs outside. With -count above 1 the body
// runs as often for one measurement, so repeat the command instead.
func inBenchWorld(b *testing.B, body func(w *world)) {
	b.Helper()
	b.ReportAllocs()
	ok := testing.RunTests(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "bubble", F: func(t *testing.T) {
			inWorld(t, options{quiet: true}, body)
		}}})
	if !ok {
		b.Fatal("the bubble failed")
	}
}

// BenchmarkTransfer is one write of 64 KiB and what it takes to read it.
func BenchmarkTransfer(b *testing.B) {
	const size = 64 << 10
	b.SetBytes(size)
	inBenchWorld(b, func(w *world) {
		done := false
		w.pair(func(c *netsim.Conn) {
			n, err := io.Copy(io.Discard, onlyReader{c})
			if n != int64(b.N)*size || err != nil {
				b.Errorf("%d bytes, %v", n, err)
			}
			done = true
		}, func(c *netsim.Conn) {
			buf := make([]byte, size)
			for range b.N {
				_, _ = c.Write(buf)
			}
			_ = c.CloseWrite()
			_, _ = c.Read(buf)
		})
		w.runUntil(func() bool { return done })
	})
}

// onlyReader hides every method but Read.
type onlyReader struct{ io.Reader }

// BenchmarkHTTP is one small request over a connection that is kept alive.
func BenchmarkHTTP(b *testing.B) {
	inBenchWorld(b, func(w *world) {
		w.process("server", func(h *netsim.Host, p *driver.Proc) {
			serve(w.t, h, p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, "hello")
			}))
		})
		done := false
		w.process("client", func(h *netsim.Host, p *driver.Proc) {
			client := netsim.HTTPClient(h)
			for range b.N {
				resp, err := client.Get("http://server/")
				if err != nil {
					b.Error(err)
					break
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			client.CloseIdleConnections()
			done = true
		})
		w.runUntil(func() bool { return done })
	})
}

// idle adds a server and a client with connections between them that carry nothing.
func (w *world) idle(tb testing.TB, conns int) {
	w.process("server", func(h *netsim.Host, p *driver.Proc) {
		l, _ := h.Listen("tcp", ":80")
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	})
	w.process("client", func(h *netsim.Host, p *driver.Proc) {
		for range conns {
			if _, err := h.Dial("tcp", "server:80"); err != nil {
				tb.Error(err)
			}
		}
		<-p.Context().Done()
	})
}

// BenchmarkIdle is a minute of virtual time with 1,000 idle connections.
func BenchmarkIdle(b *testing.B) {
	const conns = 1000
	inBenchWorld(b, func(w *world) {
		w.idle(b, conns)
		w.sim.Start()
		w.drv.Run(w.sim.Now().Add(time.Duration(b.N)*time.Minute), nil)
	})
}

// BenchmarkMesh is the start of 100 processes each of which connects to all others.
func BenchmarkMesh(b *testing.B) {
	const size = 100
	for range b.N {
		inBenchWorld(b, func(w *world) {
			connected := 0
			w.mesh(size, &connected)
			w.runUntil(func() bool { return connected == size*(size-1) })
		})
	}
}
