// SPDX-License-Identifier: MPL-2.0

package kv_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hmdsefi/faultline/examples/kv"
	"github.com/hmdsefi/faultline/shims/fsx"
)

// These tests run the service on a real directory and a real socket, as production does.

func realFS(t *testing.T, dir string) fsx.FS {
	t.Helper()
	fsys, err := fsx.OS(dir)
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

func open(t *testing.T, dir string, opts kv.Options) *kv.Store {
	t.Helper()
	s, err := kv.Open(realFS(t, dir), opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *kv.Store, key, value string) {
	t.Helper()
	if err := s.Put(key, value); err != nil {
		t.Fatalf("Put(%q): %v", key, err)
	}
}

func wantValue(t *testing.T, s *kv.Store, key, want string) {
	t.Helper()
	if got, ok := s.Get(key); !ok || got != want {
		t.Errorf("Get(%q) = %q, %t; want %q", key, got, ok, want)
	}
}

func TestStoreSurvivesReopening(t *testing.T) {
	dir := t.TempDir()
	for round := range 3 {
		s := open(t, dir, kv.Options{LogRecords: 10})
		if round > 0 {
			wantValue(t, s, "round", fmt.Sprint(round-1))
		}
		put(t, s, "round", fmt.Sprint(round))
		put(t, s, fmt.Sprint("only", round), "é\x00\n")
		put(t, s, "", "an empty key")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dir, kv.Options{})
	defer s.Close()
	wantValue(t, s, "round", "2")
	wantValue(t, s, "only0", "é\x00\n")
	wantValue(t, s, "", "an empty key")
}

func TestSnapshotsReplaceLogs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, kv.Options{LogRecords: 5})
	for i := range 100 {
		put(t, s, fmt.Sprint("key", i%7), fmt.Sprint(i))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	snapshots, err := filepath.Glob(filepath.Join(dir, "snap-*"))
	if err != nil || len(snapshots) == 0 {
		t.Fatalf("snapshots: %q, %v", snapshots, err)
	}
	s = open(t, dir, kv.Options{})
	defer s.Close()
	for i := 93; i < 100; i++ {
		wantValue(t, s, fmt.Sprint("key", i%7), fmt.Sprint(i))
	}
}

func TestTornRecordIsCutOff(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, kv.Options{})
	put(t, s, "whole", "1")
	put(t, s, "torn", "2")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "log-00000001")
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, b[:len(b)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, kv.Options{})
	defer s.Close()
	wantValue(t, s, "whole", "1")
	if value, ok := s.Get("torn"); ok {
		t.Errorf("Get(torn) = %q; the record was cut", value)
	}
}

func TestClosedStoreRefusesWrites(t *testing.T) {
	s := open(t, t.TempDir(), kv.Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Put("key", "value"); err != kv.ErrClosed {
		t.Errorf("Put on a closed store: %v; want %v", err, kv.ErrClosed)
	}
}

func TestServiceOnARealSocket(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- kv.Run(ctx, realFS(t, t.TempDir()), ln, kv.Options{LogRecords: 10}) }()

	client := &kv.Client{URL: "http://" + ln.Addr().String()}
	var wg sync.WaitGroup
	for id := range 8 {
		wg.Go(func() {
			for i := range 10 {
				key, value := fmt.Sprintf("dir/%d", id), strings.Repeat("x", i)
				if err := client.Put(ctx, key, value); err != nil {
					t.Error(err)
				}
				if got, found, err := client.Get(ctx, key); got != value || !found || err != nil {
					t.Errorf("Get(%q) = %q, %t, %v; want %q", key, got, found, err, value)
				}
			}
		})
	}
	wg.Wait()
	if _, found, err := client.Get(ctx, "absent"); found || err != nil {
		t.Errorf("Get(absent): found %t, %v", found, err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
