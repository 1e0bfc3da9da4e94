// SPDX-License-Identifier: MPL-2.0

package netsim_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/shims/driver"
	"github.com/hmdsefi/faultline/shims/netsim"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// HTTP/2 over TLS runs unmodified.
func TestHTTP2OverTLS(t *testing.T) {
	cert, roots := certificate(t, "server")
	inWorld(t, options{}, func(w *world) {
		w.process("server", func(h *netsim.Host, p *driver.Proc) {
			l, err := h.Listen("tcp", ":443")
			if err != nil {
				t.Error(err)
				return
			}
			srv := &http.Server{
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					n, _ := io.Copy(io.Discard, r.Body)
					fmt.Fprintf(w, "%s %d", r.Proto, n)
				}),
				TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}},
			}
			w.wg.Go(func() { <-p.Context().Done(); _ = srv.Close() })
			_ = srv.ServeTLS(l, "", "")
		})
		done := 0
		w.process("client", func(h *netsim.Host, p *driver.Proc) {
			tr := netsim.HTTPTransport(h)
			tr.TLSClientConfig = &tls.Config{RootCAs: roots}
			tr.ForceAttemptHTTP2 = true
			defer tr.CloseIdleConnections()
			client := &http.Client{Transport: tr}
			for range 10 {
				resp, err := client.Post("https://server/", "text/plain", io.LimitReader(rand.Reader, 100_000))
				if err != nil {
					t.Error(err)
					return
				}
				b, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if string(b) != "HTTP/2.0 100000" {
					t.Errorf("response %q", b)
				}
				done++
			}
		})
		w.run(time.Minute)
		if done != 10 {
			t.Errorf("%d of 10 requests ended", done)
		}
	})
}

// certificate returns one for the host that is valid at the time of the bubble.
func certificate(t *testing.T, host string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: kernel.Epoch.Add(-time.Hour), NotAfter: kernel.Epoch.Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, roots
}
