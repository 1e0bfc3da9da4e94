// SPDX-License-Identifier: MPL-2.0

package web_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	randv2 "math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/hmdsefi/faultline"
	"github.com/hmdsefi/faultline/conformance/libraries/onpurpose"
	"github.com/hmdsefi/faultline/conformance/libraries/web"
	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/sim/fault"
	"github.com/hmdsefi/faultline/sim/kernel"
)

const (
	duration = 12 * time.Second
	working  = duration * 3 / 4 // then come no more faults
	workers  = 3                // of a client: requests that share its connection
	clients  = 3
)

var options = faultline.Options{Mode: faultline.ModeGoroutine, Seeds: 3, Duration: duration, FailOnLeak: true}

// No acknowledged blob is lost or mixed up, whatever happens to server and network.
func TestWeb(t *testing.T) {
	faultline.Run(t, options, func(w *faultline.World) { world(w, func(fsys fsx.FS) fsx.FS { return fsys }) })
}

// TestWebForgetsNames runs the service on a disk whose directories are never synced.
func TestWebForgetsNames(t *testing.T) {
	onpurpose.Skip(t)
	opts := options
	opts.Seeds = 20
	faultline.Run(t, opts, func(w *faultline.World) { world(w, func(fsys fsx.FS) fsx.FS { return forgetful{fsys} }) })
}

func TestForgottenNamesAreFound(t *testing.T) {
	onpurpose.Found(t, "TestWebForgetsNames", "invariant:acknowledged blobs survive")
}

// forgetful is a file system that does not sync directories.
type forgetful struct{ fsx.FS }

func (forgetful) SyncDir(string) error { return nil }

func world(w *faultline.World, disk func(fsx.FS) fsx.FS) {
	cert, roots, err := certificate("server")
	if err != nil {
		w.T().Fatal(err)
	}
	w.AddProcess("server", func(ctx context.Context, p *faultline.Process) error {
		ln, err := p.Net.Listen("tcp", ":443")
		if err != nil {
			return err
		}
		return web.Serve(ctx, disk(p.FS), ln, cert)
	})
	book := &ledger{acknowledged: map[string]uint64{}}
	for n := range clients {
		w.AddClientProcess(fmt.Sprintf("c%d", n+1), func(ctx context.Context, p *faultline.Process) error {
			return runClient(ctx, w, p, book, roots)
		})
	}
	w.Plan(fault.Random{MaxDown: 1, Rules: []fault.Rule{
		{Kind: fault.KindCrash, Every: 2 * time.Second, MinFor: 20 * time.Millisecond, MaxFor: time.Second},
		{Kind: fault.KindIsolate, Role: "client", Every: 3 * time.Second, MinFor: 100 * time.Millisecond, MaxFor: 3 * time.Second},
		{Kind: fault.KindLink, Role: fault.AllNodes, Every: 4 * time.Second, MinFor: time.Second, MaxFor: 3 * time.Second},
	}})
	w.Invariant("acknowledged blobs survive", func() error { return book.lost })
	w.Final("every worker read its blob back", book.complete)
	w.Sometimes("a request fails")
}

// certificate returns one for the host that is valid at the time of the run. Its key is of the seed, as all that
// crypto/rand gives in a run.
func certificate(host string) (tls.Certificate, *x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: kernel.Epoch.Add(-time.Hour), NotAfter: kernel.Epoch.Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, roots, nil
}

// ledger is what the workers know. It belongs to the simulator: they reach it through Process.Do.
type ledger struct {
	acknowledged map[string]uint64 // version by key; each key has one worker, which counts up
	readBack     int
	lost         error
}

// read notes what a worker got for its key.
func (l *ledger) read(key string, version uint64) {
	if want := l.acknowledged[key]; version < want && l.lost == nil {
		l.lost = fmt.Errorf("version %d of %s was acknowledged, but the service has %d", want, key, version)
	}
}

func (l *ledger) complete() error {
	if l.readBack != clients*workers {
		return fmt.Errorf("%d of %d did", l.readBack, clients*workers)
	}
	return nil
}

// runClient runs the workers of a client.
func runClient(ctx context.Context, w *faultline.World, p *faultline.Process, book *ledger, roots *x509.CertPool) error {
	transport := web.Transport(p.Net.DialContext, &tls.Config{RootCAs: roots})
	defer transport.CloseIdleConnections()
	errs := make(chan error, workers)
	for n := range workers {
		seed := p.Rand().Uint64()
		go func() {
			errs <- (&worker{
				w: w, p: p, book: book, client: &http.Client{Transport: transport},
				key: fmt.Sprintf("%s-%d", p.Name(), n), rand: randv2.New(randv2.NewPCG(seed, 0)),
			}).run(ctx)
		}()
	}
	var err error
	for range workers {
		err = errors.Join(err, <-errs)
	}
	return err
}

// worker writes versions of one blob and reads them back.
type worker struct {
	w      *faultline.World
	p      *faultline.Process
	book   *ledger
	client *http.Client
	key    string
	rand   *randv2.Rand
}

func (k *worker) run(ctx context.Context) error {
	start := time.Now()
	for version := uint64(1); time.Since(start) < working; version++ {
		if err := k.put(ctx, version); err == nil {
			if err := k.p.Do(func() { k.book.acknowledged[k.key] = version }); err != nil {
				return err
			}
		}
		if err := k.check(ctx); err != nil && !errors.As(err, new(unanswered)) {
			return err
		}
		time.Sleep(time.Duration(k.rand.IntN(500)) * time.Millisecond)
	}
	for ctx.Err() == nil {
		err := k.check(ctx)
		if err == nil {
			return k.p.Do(func() { k.book.readBack++ })
		}
		if !errors.As(err, new(unanswered)) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// put asks once to store a version. No error means that it was acknowledged.
func (k *worker) put(ctx context.Context, version uint64) error {
	body := blob(k.key, version)
	header := http.Header{
		web.VersionHeader:  {strconv.FormatUint(version, 10)},
		web.ChecksumHeader: {fmt.Sprintf("%08x", crc32.ChecksumIEEE(body))},
	}
	resp, _, err := k.do(ctx, http.MethodPut, header, body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode == http.StatusNoContent:
		return nil
	default:
		return fmt.Errorf("%s", resp.Status)
	}
}

// check reads the blob and notes its version. An error that is not unanswered means that the service lies.
func (k *worker) check(ctx context.Context) error {
	resp, body, err := k.do(ctx, http.MethodGet, nil, nil)
	if err != nil {
		return err
	}
	var version uint64
	switch resp.StatusCode {
	case http.StatusOK:
		if version, err = strconv.ParseUint(resp.Header.Get(web.VersionHeader), 10, 64); err != nil {
			return err
		}
		if !bytes.Equal(body, blob(k.key, version)) {
			return fmt.Errorf("%s is not what was sent as version %d", k.key, version)
		}
		if got, want := resp.Trailer.Get(web.ChecksumHeader), fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)); got != want {
			return fmt.Errorf("trailer says %q, want %q", got, want)
		}
	case http.StatusNotFound:
	default:
		return unanswered{errors.New(resp.Status)}
	}
	return k.p.Do(func() { k.book.read(k.key, version) })
}

// unanswered is what became of a request when the service did not tell.
type unanswered struct{ error }

func (k *worker) do(ctx context.Context, method string, header http.Header, body []byte) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "https://server/"+k.key, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header = header
	resp, err := k.client.Do(req)
	if err != nil {
		k.w.Reached("a request fails")
		return nil, nil, unanswered{err}
	}
	defer resp.Body.Close()
	if resp.Proto != "HTTP/2.0" || resp.TLS == nil || resp.TLS.Version != tls.VersionTLS13 {
		return nil, nil, fmt.Errorf("the answer came over %s", resp.Proto)
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		k.w.Reached("a blob arrives in part")
		return nil, nil, unanswered{err}
	}
	return resp, answer, nil
}

// blob returns the bytes of a version: between none and 100 kB, which takes a stream several windows.
func blob(key string, version uint64) []byte {
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[:], version)
	copy(seed[8:], key)
	source := randv2.NewChaCha8(seed)
	b := make([]byte, source.Uint64()%100_000)
	_, _ = source.Read(b)
	return b
}
