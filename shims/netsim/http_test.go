// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
)

// serve runs an HTTP server until its process ends.
func serve(t *testing.T, h *netsim.Host, p *driver.Proc, handler http.Handler) {
	l, err := h.Listen("tcp", ":80")
	if err != nil {
		t.Error(err)
		return
	}
	srv := &http.Server{Handler: handler}
	context.AfterFunc(p.Context(), func() { srv.Close() })
	_ = srv.Serve(l)
}

func TestHTTP(t *testing.T) {
	inWorld(t, options{}, func(w *world) {
		sum := func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%d %v %x", len(body), err, sha256.Sum256(body))
		}
		remotes := make(map[string]bool)
		w.process("server", func(h *netsim.Host, p *driver.Proc) {
			serve(t, h, p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				remotes[r.RemoteAddr] = true
				sum(w, r)
			}))
		})
		done := false
		w.process("client", func(h *netsim.Host, p *driver.Proc) {
			client := netsim.HTTPClient(h)
			defer client.CloseIdleConnections()
			exchange := func(resp *http.Response, err error) string {
				if err != nil {
					t.Error(err)
					return ""
				}
				defer resp.Body.Close()
				b, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Error(err)
				}
				return string(b)
			}
			empty := fmt.Sprintf("0 <nil> %x", sha256.Sum256(nil))
			for range 10 {
				if got := exchange(client.Get("http://server/")); got != empty {
					t.Errorf("GET: %q", got)
				}
			}
			big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
			want := fmt.Sprintf("%d <nil> %x", len(big), sha256.Sum256(big))
			if got := exchange(client.Post("http://server/", "text/plain", bytes.NewReader(big))); got != want {
				t.Errorf("POST: %q, want %q", got, want)
			}
			done = true
		})
		w.run(10 * time.Second)
		if !done || len(remotes) != 1 {
			t.Errorf("client done %v, connections %v, want one", done, remotes)
		}
		if n := w.count(netsim.KindRetransmit); n != 0 {
			t.Errorf("%d retransmissions without loss", n)
		}
		for remote := range remotes {
			if host, _, _ := net.SplitHostPort(remote); host != "10.0.0.2" {
				t.Errorf("remote address %q", remote)
			}
		}
	})
}
