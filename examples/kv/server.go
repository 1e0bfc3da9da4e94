// SPDX-License-Identifier: MPL-2.0

package kv

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/hmdsefi/faultline/shims/fsx"
)

// maxValue bounds the length of a value in bytes.
const maxValue = 1 << 20

// Run opens the store in fsys and serves it on ln until ctx ends, which is not an error, or until the store or the
// listener fails. It closes both.
func Run(ctx context.Context, fsys fsx.FS, ln net.Listener, opts Options) error {
	store, err := Open(fsys, opts)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	return errors.Join(Serve(ctx, ln, store), store.Close())
}

// Serve answers requests on ln until ctx ends, the store stops or the listener fails; only the last is an error.
func Serve(ctx context.Context, ln net.Listener, store *Store) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv := &http.Server{Handler: Handler(store), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		select {
		case <-ctx.Done():
		case <-store.Done():
		}
		srv.Close()
	}()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Handler answers GET /key with the value or 404, and PUT /key with 204 once the value is on disk.
func Handler(store *Store) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{key...}", func(w http.ResponseWriter, r *http.Request) {
		value, ok := store.Get(r.PathValue("key"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, value)
	})
	mux.HandleFunc("PUT /{key...}", func(w http.ResponseWriter, r *http.Request) {
		value, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxValue))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := store.Put(r.PathValue("key"), string(value)); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}
