// SPDX-License-Identifier: MPL-2.0

package meaning

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Suite is the tests of some packages of one module, which is made the main module.
type Suite struct {
	Module   string // with its version, as the go command takes it; empty for the standard library, which stays where it is
	Packages []string
	Args     []string // more arguments of go test
}

// Name is the module's, or std.
func (s Suite) Name() string {
	if s.Module == "" {
		return "std"
	}
	return s.Module
}

// Standard is the tests of the packages of the standard library that the wrapper changes, and of some that rest on them.
var Standard = Suite{
	Args: []string{"-short"},
	Packages: []string{
		"container/...", "sort", "strings", "slices", "maps", "iter", "bufio", "io", "errors", "unique", "weak",
		"sync", "sync/atomic", "internal/sync", "internal/synctest", "testing/synctest", "context", "time", "os/signal",
		"internal/runtime/...", "hash/maphash", "math/rand", "math/rand/v2", "reflect",
		"encoding/json", "text/template", "log/slog", "database/sql", "expvar", "net/textproto", "net/http/internal/...",
	},
}

// Suites are those of real modules.
var Suites = []Suite{
	{Module: "golang.org/x/sync@v0.25.0", Packages: []string{"./..."}},
	{Module: "go.etcd.io/raft/v3@v3.7.0", Packages: []string{"./..."}},
	{Module: "github.com/hashicorp/raft@v1.8.0", Packages: []string{"."}, Args: []string{"-short"}},
	{Module: "github.com/alicebob/miniredis/v2@v2.40.0", Packages: []string{"./..."}, Args: []string{"-short"}},
	{Module: "google.golang.org/grpc@v1.85.0", Args: []string{"-short"}, Packages: []string{
		"./internal/transport/...", "./internal/grpcsync", "./internal/buffer", "./internal/idle", "./internal/resolver/...", "./balancer/roundrobin",
	}},
	{Module: "golang.org/x/net@v0.62.0", Args: []string{"-short"}, Packages: []string{"./http2/...", "./websocket", "./context/...", "./netutil"}},
	{Module: "github.com/jackc/puddle/v2@v2.2.3", Packages: []string{"./..."}, Args: []string{"-short"}},
	{Module: "github.com/puzpuzpuz/xsync/v4@v4.5.0", Packages: []string{"./..."}, Args: []string{"-short"}},
	{Module: "github.com/dgraph-io/ristretto/v2@v2.4.2", Packages: []string{"./..."}, Args: []string{"-short"}},
	{Module: "github.com/panjf2000/ants/v2@v2.12.1", Packages: []string{"./..."}, Args: []string{"-short"}},
}

// write makes a module of the suite below dir and returns its folder. Modules come from the module proxy, or its cache.
func (s Suite) write(ctx context.Context, dir string) (string, error) {
	dir, err := os.MkdirTemp(dir, "suite-")
	if err != nil {
		return "", err
	}
	if s.Module == "" {
		return dir, writeModule(ctx, dir)
	}
	text, err := goOutput(ctx, dir, "mod", "download", "-json", s.Module)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Module, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return "", fmt.Errorf("%s: %w", s.Module, err)
	}
	return dir, copyWritable(dir, module.Dir)
}

// copyWritable copies a folder of the module cache, where nothing may be written.
func copyWritable(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()|0o200)
	})
}
