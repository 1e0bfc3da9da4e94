// SPDX-License-Identifier: MPL-2.0

package simdisk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/sim/simdisk"
)

func TestTree(t *testing.T) {
	_, v := boot(1, simdisk.Config{})
	check(v.MkdirAll("a/b/c", 0o750))
	check(v.MkdirAll("/a/b", 0o700))
	check(v.WriteFile("a/b/f", []byte("abc"), 0o666))
	check(v.WriteFile("/top", nil, 0o600))

	var entries []string
	for _, e := range must(v.ReadDir("a/b")) {
		info := must(e.Info())
		entries = append(entries, fmt.Sprint(info.Name(), " ", info.Mode(), " ", info.Size()))
	}
	if want := []string{"c drwxr-x--- 0", "f -rw-r--r-- 3"}; !slices.Equal(entries, want) {
		t.Errorf("ReadDir gives %q, want %q", entries, want)
	}
	if want := []string{"/a/b/f", "/top"}; !slices.Equal(v.Files(), want) {
		t.Errorf("Files gives %q, want %q", v.Files(), want)
	}
	if info := must(v.Stat("..")); info.Name() != "." || !info.IsDir() {
		t.Errorf("the root is %v", info)
	}

	check(v.Rename("/a/b", "/b"))
	check(v.RemoveAll("/a"))
	check(v.RemoveAll("/a"))
	if data := must(v.ReadFile("b/f")); string(data) != "abc" {
		t.Errorf("the moved file holds %q", data)
	}
	check(v.RemoveAll("/b"))
	if want := []string{"/top"}; !slices.Equal(v.Files(), want) || v.Usage() != 0 {
		t.Errorf("after RemoveAll: files %q of %d bytes, want %q of 0", v.Files(), v.Usage(), want)
	}
}

func TestTreeRefusals(t *testing.T) {
	_, v := boot(1, simdisk.Config{})
	check(v.MkdirAll("/d/e", 0o755))
	check(v.WriteFile("/f", nil, 0o644))
	for _, test := range []struct {
		err, want error
	}{
		{v.Rename("/d", "/d/x"), simdisk.ErrInvalid},
		{v.Rename("/d", "/f"), simdisk.ErrNotDir},
		{v.Rename("/f", "/d"), simdisk.ErrExist},
		{v.Rename("/", "/x"), simdisk.ErrBusy},
		{v.Rename("/f", ""), simdisk.ErrNotExist},
		{v.Rename("/f", "/none/x"), simdisk.ErrNotExist},
		{v.MkdirAll("/f/x", 0o755), simdisk.ErrNotDir},
		{v.MkdirAll("", 0o755), simdisk.ErrNotExist},
		{v.Mkdir("a\x00b", 0o755), simdisk.ErrInvalid},
		{v.Mkdir(strings.Repeat("n", 256), 0o755), simdisk.ErrNameTooLong},
		{v.RemoveAll("/f/x"), simdisk.ErrNotDir},
		{v.Remove("/none/x"), simdisk.ErrNotExist},
		{v.Truncate("/none", 0), simdisk.ErrNotExist},
		{v.Truncate("/d", 0), simdisk.ErrIsDir},
		{v.SyncDir("/none"), simdisk.ErrNotExist},
		{v.SyncDir("/f/x"), simdisk.ErrNotDir},
		{v.WriteFileDurable("/f/x", nil), simdisk.ErrNotDir},
		{v.WriteFileDurable("/d", nil), simdisk.ErrIsDir},
		{second(v.Stat("/none")), simdisk.ErrNotExist},
		{second(v.ReadFile("/none")), simdisk.ErrNotExist},
		{second(v.ReadFile("/d")), simdisk.ErrIsDir},
		{second(v.OpenFile("/f", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)), fs.ErrExist},
	} {
		if !errors.Is(test.err, test.want) {
			t.Errorf("got %v, want %v", test.err, test.want)
		}
	}
	if want := []string{"/f"}; !slices.Equal(v.Files(), want) {
		t.Errorf("the refused operations left the files %q, want %q", v.Files(), want)
	}
}

func TestDirectoryHandle(t *testing.T) {
	n, v := boot(1, simdisk.Config{})
	d := must(v.OpenFile("/", os.O_RDONLY, 0))
	must(v.Create("/f"))
	if entries := must(d.ReadDir()); len(entries) != 1 || !d.IsDir() || d.Name() != "/" {
		t.Errorf("the handle lists %v", entries)
	}
	if _, err := d.ReadAt(make([]byte, 1), 0); !errors.Is(err, simdisk.ErrIsDir) {
		t.Errorf("ReadAt: %v, want %v", err, simdisk.ErrIsDir)
	}
	check(d.Sync())
	n.Crash()
	if want := []string{"/f"}; !slices.Equal(v.Files(), want) {
		t.Errorf("after a sync of the handle the crash left %q, want %q", v.Files(), want)
	}
}

// TestLongLists: a record of a crash does not grow with what the crash lost.
func TestLongLists(t *testing.T) {
	n, v := boot(1, simdisk.Config{Crash: simdisk.CrashLoseUnsynced})
	check(v.WriteFileDurable("/f", nil))
	f := must(v.Open("/f"))
	for i := range int64(20) {
		must(f.WriteAt([]byte("x"), 2*i))
	}
	check(f.Truncate(0))
	n.Crash()
	want := "crash kept 0 of 21 unsynced changes of /f, lost bytes 0 to 0, bytes 2 to 2, bytes 4 to 4, " +
		"bytes 6 to 6, bytes 8 to 8, bytes 10 to 10, bytes 12 to 12, bytes 14 to 14 and 13 more"
	if got := records(v, "disk.crash"); len(got) != 1 || got[0] != want {
		t.Errorf("the crash reports %q, want %q", got, want)
	}
}

func TestDefaults(t *testing.T) {
	n, v := boot(1, simdisk.Config{})
	c := simdisk.New(n.Sim(), simdisk.Config{Crash: simdisk.CrashTorn}).Config()
	if c.Crash != simdisk.CrashTorn || c.Metadata != simdisk.MetadataStrict || c.FailedSync != simdisk.FailedSyncDrop ||
		c.Sector != 512 || c.MaxFile != 1<<30 || len(c.Latency) != 5 {
		t.Errorf("the configuration in effect is %+v", c)
	}
	v.SetCapacity(7)
	if v.Capacity() != 7 {
		t.Errorf("Capacity is %d, want 7", v.Capacity())
	}
	defer func() {
		if recover() == nil {
			t.Error("New accepts a configuration that Validate refuses")
		}
	}()
	simdisk.New(n.Sim(), simdisk.Config{Sector: -1})
}
