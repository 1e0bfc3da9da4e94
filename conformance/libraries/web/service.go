// SPDX-License-Identifier: MPL-2.0

// Package web runs net/http as a service would: HTTP/2 over TLS, many streams on a connection, bodies larger than a
// window, trailers. Its listener and its files come from outside. What the clients of the tests want of it is that
// a blob which it has acknowledged is never lost, and never half there.
//
// It knows nothing of simulations.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/hmdsefi/faultline/shims/fsx"
)

// Headers of the service. The checksum of a body that the service sends is a trailer.
const (
	VersionHeader  = "Blob-Version"
	ChecksumHeader = "Blob-Checksum"
)

// Serve serves blobs that it keeps in fsys on ln until ctx ends. It offers nothing but HTTP/2.
func Serve(ctx context.Context, fsys fsx.FS, ln net.Listener, cert tls.Certificate) error {
	store, err := open(fsys)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /{key}", store.put)
	mux.HandleFunc("GET /{key}", store.get)
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	srv := &http.Server{
		Handler:   mux,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}},
		Protocols: &protocols,
		HTTP2:     pings,
		ErrorLog:  quiet,
	}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	if err := srv.ServeTLS(ln, "", ""); ctx.Err() == nil {
		return err
	}
	return nil
}

// pings find out that the other end of an idle connection is gone. Without them a client keeps sending requests into
// a connection that a partition has broken, until TCP gives up on it.
var pings = &http.HTTP2Config{SendPingTimeout: time.Second, PingTimeout: time.Second}

// Transport returns a client's side of Serve, which dials with dial and trusts config.
func Transport(dial func(ctx context.Context, network, address string) (net.Conn, error), config *tls.Config) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	return &http.Transport{
		DialContext: dial, TLSClientConfig: config, TLSHandshakeTimeout: 2 * time.Second,
		Protocols: &protocols, HTTP2: pings,
	}
}

// put stores the body if its version is newer than what is stored.
func (s *store) put(w http.ResponseWriter, r *http.Request) {
	version, err := strconv.ParseUint(r.Header.Get(VersionHeader), 10, 64)
	if err != nil {
		http.Error(w, VersionHeader+" is not a number", http.StatusBadRequest)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	if sum := checksum(body); sum != r.Header.Get(ChecksumHeader) {
		http.Error(w, fmt.Sprintf("body has checksum %s", sum), http.StatusBadRequest)
		return
	}
	switch err := s.write(r.Context(), r.PathValue("key"), version, body); {
	case errors.Is(err, errOlder):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// get sends a blob in small writes, and its checksum behind it.
func (s *store) get(w http.ResponseWriter, r *http.Request) {
	version, body, err := s.read(r.PathValue("key"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		http.NotFound(w, r)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set(VersionHeader, strconv.FormatUint(version, 10))
	w.Header().Set("Trailer", ChecksumHeader)
	w.WriteHeader(http.StatusOK)
	sum := crc32.NewIEEE()
	for len(body) > 0 {
		n, err := w.Write(body[:min(len(body), 20_000)])
		if err != nil {
			return
		}
		sum.Write(body[:n])
		body = body[n:]
	}
	w.Header().Set(ChecksumHeader, fmt.Sprintf("%08x", sum.Sum32()))
}

func checksum(b []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(b)) }
