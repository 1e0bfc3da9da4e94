// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// installVariable turns on a test that compiles the standard library twice, since it starts with empty caches.
const installVariable = "FAULTLINE_TEST_INSTALL"

// published are the modules of the repository that users require, by their folders.
var published = map[string]string{
	"":                       "github.com/hmdsefi/faultline",
	"rewrite":                "github.com/hmdsefi/faultline/rewrite",
	"cmd/faultline-toolexec": modulePath,
	"harness/etcdraft":       "github.com/hmdsefi/faultline/harness/etcdraft",
	"shims/grpcsim":          "github.com/hmdsefi/faultline/shims/grpcsim",
}

// TestInstall does what the manual tells a user to do, with the modules of this tree as a proxy serves them, and nothing in any cache.
func TestInstall(t *testing.T) {
	if os.Getenv(installVariable) == "" {
		t.Skipf("it takes minutes; %s=1 runs it", installVariable)
	}
	proxy := t.TempDir()
	for dir, path := range published {
		serve(t, proxy, filepath.Join(repository(t), dir), module.Version{Path: path, Version: "v0.2.0"})
	}
	testscript.Run(t, testscript.Params{
		Files:               []string{"testdata/install.txtar"},
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, userEnv(env.WorkDir)...)
			bin := filepath.Join(env.WorkDir, "bin")
			for name, value := range map[string]string{
				"GOCACHE":    filepath.Join(env.WorkDir, "gocache"),
				"GOMODCACHE": filepath.Join(env.WorkDir, "modcache"),
				"GOBIN":      bin,
				"GOPROXY":    fileURL(proxy) + "," + fileURL(filepath.Join(goEnv("GOMODCACHE"), "cache", "download")) + "," + goEnv("GOPROXY"),
				"GOSUMDB":    "off", // it cannot know these modules
				"PATH":       bin + string(os.PathListSeparator) + filepath.Join(goEnv("GOROOT"), "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
			} {
				env.Setenv(name, value)
			}
			return os.CopyFS(filepath.Join(env.WorkDir, "user"), os.DirFS(filepath.Join("testdata", "exact")))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"disjoint": disjoint,
			"exact":    exact,
		},
	})
}

// serve adds a module to a proxy in a folder.
func serve(t *testing.T, proxy, dir string, m module.Version) {
	t.Helper()
	versions := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	gomod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	must(t, err)
	info, err := json.Marshal(map[string]string{"Version": m.Version})
	must(t, err)
	must(t, os.MkdirAll(versions, 0o777))
	for name, text := range map[string][]byte{
		"list": []byte(m.Version + "\n"), m.Version + ".info": info, m.Version + ".mod": gomod,
	} {
		must(t, os.WriteFile(filepath.Join(versions, name), text, 0o666))
	}
	archive, err := os.Create(filepath.Join(versions, m.Version+".zip"))
	must(t, err)
	must(t, zip.CreateFromDir(archive, m, dir))
	must(t, archive.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fileURL(dir string) string { return "file://" + filepath.ToSlash(dir) }
