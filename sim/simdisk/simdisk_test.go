// SPDX-License-Identifier: MPL-2.0

package simdisk_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// boot returns a volume of a node that is up.
func boot(seed uint64, c simdisk.Config) (*kernel.Node, *simdisk.Volume) {
	sim := kernel.New(kernel.Config{Seed: seed, Record: true})
	n := sim.AddNode("n1", nil)
	v := simdisk.New(sim, c).Volume(n)
	sim.Start()
	sim.Run()
	return n, v
}

// records returns the texts of the records of a kind.
func records(v *simdisk.Volume, kind kernel.Kind) []string {
	var texts []string
	for _, r := range v.Node().Sim().Records() {
		if r.Kind == kind {
			texts = append(texts, r.Text)
		}
	}
	return texts
}

// outcomes returns what a crash leaves of /f over many seeds, sorted. Missing is "-".
func outcomes(c simdisk.Config, prepare func(v *simdisk.Volume)) []string {
	seen := map[string]bool{}
	for seed := range uint64(200) {
		n, v := boot(seed, c)
		prepare(v)
		n.Crash()
		data, err := v.ReadFile("/f")
		if err != nil {
			data = []byte("-")
		}
		seen[string(data)] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// TestCrashModels states for each model exactly which contents a crash can leave.
func TestCrashModels(t *testing.T) {
	writes := func(v *simdisk.Volume) {
		check(v.WriteFileDurable("/f", []byte("old")))
		f := must(v.Open("/f"))
		must(f.WriteAt([]byte("AAA"), 0))
		must(f.WriteAt([]byte("BBBB"), 2))
		check(f.Truncate(5))
	}
	for _, test := range []struct {
		model simdisk.CrashModel
		want  string
	}{
		{simdisk.CrashLoseUnsynced, "old"},
		{simdisk.CrashKeepPrefix, "AAA AABBB AABBBB old"},
		{simdisk.CrashKeepSubset, "AAA AAA00 AABBB AABBBB old old00 olBBB olBBBB"},
		// In sectors of four bytes, only the second write crosses a boundary.
		{simdisk.CrashTorn, "AAA AAA0BB AABB AABBBB old"},
		{simdisk.CrashAny, "AAA AAA00 AAA0BB AABB AABBB AABBBB old old00 olBBB olBBBB"},
	} {
		got := strings.Join(outcomes(simdisk.Config{Crash: test.model, Sector: 4}, writes), " ")
		got = strings.ReplaceAll(got, "\x00", "0")
		if sorted(got) != sorted(test.want) {
			t.Errorf("%s leaves %s, want %s", test.model, sorted(got), sorted(test.want))
		}
	}
}

func sorted(words string) string {
	list := strings.Fields(words)
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestCrashEntries states which entries a crash can leave under strict metadata.
func TestCrashEntries(t *testing.T) {
	create := func(v *simdisk.Volume) {
		f := must(v.Create("/f"))
		must(f.Append([]byte("x")))
		check(f.Sync())
	}
	replace := func(v *simdisk.Volume) {
		create(v)
		check(v.SyncDir("/"))
		f := must(v.Create("/g"))
		must(f.Append([]byte("y")))
		check(f.Sync())
		check(v.Rename("/g", "/f"))
	}
	for _, test := range []struct {
		name     string
		metadata simdisk.Metadata
		prepare  func(v *simdisk.Volume)
		want     []string
	}{
		{"created", simdisk.MetadataStrict, create, []string{"-", "x"}},
		{"created, immediate", simdisk.MetadataImmediate, create, []string{"x"}},
		{"created, directory synced", "", func(v *simdisk.Volume) { create(v); check(v.SyncDir("/")) }, []string{"x"}},
		{"replaced", "", replace, []string{"x", "y"}},
		{"replaced, directory synced", "", func(v *simdisk.Volume) { replace(v); check(v.SyncDir("/")) }, []string{"y"}},
		{"removed", "", func(v *simdisk.Volume) { create(v); check(v.SyncDir("/")); check(v.Remove("/f")) }, []string{"-", "x"}},
		{"removed, directory synced", "", func(v *simdisk.Volume) {
			create(v)
			check(v.Remove("/f"))
			check(v.SyncDir("/"))
		}, []string{"-"}},
	} {
		got := outcomes(simdisk.Config{Metadata: test.metadata}, test.prepare)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: a crash leaves %q, want %q", test.name, got, test.want)
		}
	}
}

// TestMovedDirectories: whatever the order in which directories that moved around
// each other are synced, no crash makes one contain itself and vanish.
func TestMovedDirectories(t *testing.T) {
	for seed := range uint64(50) {
		n, v := boot(seed, simdisk.Config{})
		for _, dir := range []string{"/a/p", "/b/q", "/c"} {
			check(v.MkdirAll(dir, 0o755))
		}
		check(v.WriteFileDurable("/b/q/f", []byte("x")))
		for _, dir := range []string{"/", "/a", "/b"} {
			check(v.SyncDir(dir))
		}
		check(v.Rename("/a/p", "/b/q/p"))
		check(v.Rename("/b/q/p", "/c/p"))
		check(v.Rename("/b/q", "/c/p/q"))
		check(v.SyncDir("/b"))
		n.Crash()
		if files := v.Files(); len(files) != 1 {
			t.Fatalf("seed %d: the crash left the files %q, want one", seed, files)
		}
	}
}

func TestFailedSync(t *testing.T) {
	for _, test := range []struct {
		model simdisk.FailedSync
		want  string // after the crash
	}{
		{simdisk.FailedSyncDrop, "one\x00\x00\x00six"},
		{simdisk.FailedSyncRetain, "onetwosix"},
	} {
		n, v := boot(1, simdisk.Config{FailedSync: test.model})
		check(v.WriteFileDurable("/f", []byte("one")))
		f := must(v.Open("/f"))
		must(f.Append([]byte("two")))
		v.FailSyncs(1)
		if err := f.Sync(); !errors.Is(err, simdisk.ErrIO) || !errors.Is(err, syscall.EIO) {
			t.Fatalf("%s: the sync returned %v, want %v", test.model, err, simdisk.ErrIO)
		}
		must(f.Append([]byte("six")))
		check(f.Sync())
		if data := must(v.ReadFile("/f")); string(data) != "onetwosix" {
			t.Errorf("%s: before the crash the file reads %q", test.model, data)
		}
		n.Crash()
		if data := must(v.ReadFile("/f")); string(data) != test.want {
			t.Errorf("%s: after the crash the file reads %q, want %q", test.model, data, test.want)
		}
	}
}

// TestSyncFlag: a file that was opened with O_SYNC syncs with each write.
func TestSyncFlag(t *testing.T) {
	n, v := boot(1, simdisk.Config{Crash: simdisk.CrashLoseUnsynced})
	check(v.WriteFileDurable("/f", nil))
	f := must(v.OpenFile("/f", os.O_WRONLY|os.O_SYNC, 0))
	must(f.Append([]byte("one")))
	v.FailSyncs(1)
	if _, err := f.Append([]byte("two")); !errors.Is(err, simdisk.ErrIO) {
		t.Errorf("a write whose sync fails: %v, want %v", err, simdisk.ErrIO)
	}
	n.Crash()
	if data := must(v.ReadFile("/f")); string(data) != "one" {
		t.Errorf("the crash left %q", data)
	}
}

func TestFailSyncs(t *testing.T) {
	_, v := boot(1, simdisk.Config{})
	f := must(v.Create("/f"))
	v.FailSyncs(-1)
	for range 3 {
		if err := f.Sync(); !errors.Is(err, simdisk.ErrIO) {
			t.Errorf("Sync: %v, want %v", err, simdisk.ErrIO)
		}
		if err := v.SyncDir("/"); !errors.Is(err, simdisk.ErrIO) {
			t.Errorf("SyncDir: %v, want %v", err, simdisk.ErrIO)
		}
	}
	v.FailSyncs(0)
	check(v.SyncDir("/"))
	check(f.Sync())
}

// TestDroppedAndWrittenAgain: data that is written anew after a failed sync is safe,
// and the crash does not report it lost.
func TestDroppedAndWrittenAgain(t *testing.T) {
	n, v := boot(1, simdisk.Config{})
	check(v.WriteFileDurable("/f", nil))
	f := must(v.Open("/f"))
	must(f.WriteAt([]byte("data"), 0))
	v.FailSyncs(1)
	if f.Sync() == nil {
		t.Fatal("the sync did not fail")
	}
	must(f.WriteAt([]byte("data"), 0))
	check(f.Sync())
	n.Crash()
	if data := must(v.ReadFile("/f")); string(data) != "data" {
		t.Errorf("the file reads %q", data)
	}
	if lost := records(v, "disk.crash"); len(lost) > 0 {
		t.Errorf("the crash reports %q", lost)
	}
}

func TestStaleHandles(t *testing.T) {
	n, v := boot(1, simdisk.Config{})
	f := must(v.Create("/f"))
	check(v.SyncDir("/"))
	n.Crash()
	n.Restart()
	b := make([]byte, 1)
	for name, err := range map[string]error{
		"ReadAt":   second(f.ReadAt(b, 0)),
		"WriteAt":  second(f.WriteAt(b, 0)),
		"Append":   second(f.Append(b)),
		"Size":     second(f.Size()),
		"Stat":     second(f.Stat()),
		"Truncate": f.Truncate(0),
		"Sync":     f.Sync(),
		"Close":    f.Close(),
	} {
		if !errors.Is(err, simdisk.ErrStale) || !errors.Is(err, syscall.ESTALE) {
			t.Errorf("%s: %v, want %v", name, err, simdisk.ErrStale)
		}
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the second Close: %v, want %v", err, fs.ErrClosed)
	}
	must(v.Open("/f"))
}

func second[T any](_ T, err error) error { return err }

func TestErrors(t *testing.T) {
	_, v := boot(1, simdisk.Config{MaxFile: 100})
	check(v.MkdirAll("/d/d", 0o755))
	check(v.WriteFile("/f", nil, 0o644))
	f := must(v.Open("/f"))
	for _, test := range []struct {
		err, want error
	}{
		{second(v.Open("/none")), simdisk.ErrNotExist},
		{second(v.Open("/none")), fs.ErrNotExist},
		{v.Mkdir("/d", 0o755), simdisk.ErrExist},
		{v.Mkdir("/d", 0o755), fs.ErrExist},
		{v.Remove("/d"), simdisk.ErrNotEmpty},
		{v.Remove("/"), simdisk.ErrInvalid},
		{v.RemoveAll("/"), simdisk.ErrInvalid},
		{second(v.ReadDir("/f")), simdisk.ErrNotDir},
		{second(v.Open("/f/g")), simdisk.ErrNotDir},
		{second(v.Open("/d")), simdisk.ErrIsDir},
		{second(v.ReadDurable("/f")), simdisk.ErrNotExist},
		{second(v.ReadDurable("/")), simdisk.ErrIsDir},
		{v.SyncDir("/f"), simdisk.ErrNotDir},
		{v.Corrupt("/d", 0, 1), simdisk.ErrIsDir},
		{v.Corrupt("/f", -1, 1), simdisk.ErrInvalid},
		{v.Corrupt("/none", 0, 1), simdisk.ErrNotExist},
		{second(f.WriteAt([]byte("x"), 100)), simdisk.ErrTooLarge},
		{f.Truncate(101), simdisk.ErrTooLarge},
		{second(f.ReadDir()), simdisk.ErrNotDir},
	} {
		var named *fs.PathError
		if !errors.Is(test.err, test.want) || !errors.As(test.err, &named) {
			t.Errorf("got %v, want a *fs.PathError with %v", test.err, test.want)
		}
	}
	var renamed *os.LinkError
	if err := v.Rename("/none", "/f"); !errors.Is(err, simdisk.ErrNotExist) || !errors.As(err, &renamed) {
		t.Errorf("got %v, want a *os.LinkError with %v", err, simdisk.ErrNotExist)
	}
}

func TestCapacity(t *testing.T) {
	_, v := boot(1, simdisk.Config{Capacity: 10})
	f := must(v.Create("/f"))
	n, err := f.Append([]byte("0123456789abc"))
	if n != 10 || !errors.Is(err, simdisk.ErrNoSpace) {
		t.Errorf("Append of 13 bytes: %d, %v; want 10, %v", n, err, simdisk.ErrNoSpace)
	}
	if _, err := f.WriteAt([]byte("over"), 6); err != nil {
		t.Errorf("a write that does not grow the file: %v", err)
	}
	if n, err := f.WriteAt([]byte("x"), 50); n != 0 || !errors.Is(err, simdisk.ErrNoSpace) {
		t.Errorf("a write behind the end: %d, %v; want 0, %v", n, err, simdisk.ErrNoSpace)
	}
	check(v.Remove("/f"))
	if got := v.Usage(); got != 10 {
		t.Errorf("Usage is %d while the removed file is open, want 10", got)
	}
	check(f.Close())
	if got := v.Usage(); got != 0 {
		t.Errorf("Usage is %d after the close, want 0", got)
	}
	check(v.WriteFile("/g", []byte("0123456789"), 0o644))
	v.SetCapacity(5)
	if err := v.WriteFile("/h", []byte("x"), 0o644); !errors.Is(err, simdisk.ErrNoSpace) {
		t.Errorf("a write beyond a lowered capacity: %v, want %v", err, simdisk.ErrNoSpace)
	}
	v.SetCapacity(0)
	check(v.WriteFile("/h", []byte("x"), 0o644))
}

// TestUsageAfterCrash: usage is counted anew, whatever entries the crash lost.
func TestUsageAfterCrash(t *testing.T) {
	for seed := range uint64(20) {
		n, v := boot(seed, simdisk.Config{Metadata: simdisk.MetadataStrict})
		check(v.WriteFileDurable("/kept", []byte("12345")))
		check(v.WriteFile("/f", []byte("123"), 0o644))
		must(v.Open("/f"))
		n.Crash()
		var want int64
		for _, name := range v.Files() {
			want += int64(len(must(v.ReadFile(name))))
		}
		if got := v.Usage(); got != want {
			t.Errorf("seed %d: Usage is %d, the files hold %d", seed, got, want)
		}
	}
}

func TestCorrupt(t *testing.T) {
	n, v := boot(1, simdisk.Config{})
	check(v.WriteFileDurable("/f", []byte("0123456789")))
	f := must(v.Open("/f"))
	must(f.WriteAt([]byte("ab"), 4))
	check(v.Corrupt("/f", 3, 4))
	check(v.Corrupt("/f", 8, 100))
	before := must(v.ReadFile("/f"))
	for i, want := range []byte("0123ab6789") {
		corrupt := 3 <= i && i < 7 || i >= 8
		if (before[i] != want) != corrupt {
			t.Errorf("byte %d is %q, was %q; corrupt: %v", i, before[i], want, corrupt)
		}
	}
	check(f.Sync())
	n.Crash()
	if after := must(v.ReadFile("/f")); string(after) != string(before) {
		t.Errorf("the medium holds %q, readers saw %q", after, before)
	}
}

func TestDurableFiles(t *testing.T) {
	n, v := boot(1, simdisk.Config{})
	check(v.WriteFileDurable("/a/b/f", []byte("old content")))
	check(v.WriteFileDurable("/a/b/f", []byte("content")))
	f := must(v.Open("/a/b/f"))
	must(f.Append([]byte(" unsynced")))
	must(v.Create("/a/b/g"))
	if data := must(v.ReadDurable("/a/b/f")); string(data) != "content" {
		t.Errorf("ReadDurable gives %q", data)
	}
	if _, err := v.ReadDurable("/a/b/g"); !errors.Is(err, simdisk.ErrNotExist) {
		t.Errorf("ReadDurable of a file without a durable entry: %v", err)
	}
	n.Crash()
	if data := must(v.ReadFile("/a/b/f")); !strings.HasPrefix(string(data), "content") {
		t.Errorf("the crash left %q", data)
	}
}

func TestTimesAreVirtual(t *testing.T) {
	n, v := boot(1, simdisk.Config{})
	check(v.WriteFileDurable("/f", []byte("x")))
	n.Sim().RunFor(time.Minute)
	f := must(v.Open("/f"))
	must(f.Append([]byte("y")))
	if got, want := must(f.Stat()).ModTime(), kernel.Epoch.Add(time.Minute); !got.Equal(want) {
		t.Errorf("the file was changed at %v, want %v", got, want)
	}
}

func TestReadAt(t *testing.T) {
	_, v := boot(1, simdisk.Config{})
	check(v.WriteFile("/f", []byte("abc"), 0o644))
	f := must(v.Open("/f"))
	b := make([]byte, 2)
	for _, test := range []struct {
		off  int64
		want string
		err  error
	}{{0, "ab", nil}, {1, "bc", nil}, {2, "c", io.EOF}, {3, "", io.EOF}, {9, "", io.EOF}} {
		if n, err := f.ReadAt(b, test.off); string(b[:n]) != test.want || err != test.err {
			t.Errorf("ReadAt %d gives %q, %v; want %q, %v", test.off, b[:n], err, test.want, test.err)
		}
	}
}

func TestLatency(t *testing.T) {
	_, v := boot(1, simdisk.Config{Latency: map[simdisk.Op]simdisk.Latencies{
		simdisk.OpSync: {Min: time.Second, Max: 2 * time.Second},
		simdisk.OpRead: {},
	}})
	for range 100 {
		if d := v.Latency(simdisk.OpSync); d < time.Second || d > 2*time.Second {
			t.Errorf("a sync takes %v", d)
		}
		if d := v.Latency(simdisk.OpRead); d != 0 {
			t.Errorf("a read takes %v", d)
		}
		if d := v.Latency(simdisk.OpWrite); d < time.Microsecond || d > time.Millisecond {
			t.Errorf("a write takes %v", d)
		}
	}
}

func TestConfigRefused(t *testing.T) {
	for want, c := range map[string]simdisk.Config{
		"Config.Crash":                  {Crash: "some"},
		"Config.Metadata":               {Metadata: "lazy"},
		"Config.FailedSync":             {FailedSync: "ignore"},
		"Config.Sector":                 {Sector: -1},
		"Config.Capacity":               {Capacity: -1},
		"Config.MaxFile":                {MaxFile: -1},
		`Config.Latency["read"]`:        {Latency: map[simdisk.Op]simdisk.Latencies{simdisk.OpRead: {Min: 2, Max: 1}}},
		"Config.Latency has an unknown": {Latency: map[simdisk.Op]simdisk.Latencies{"reed": {}}},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "accepts") {
			t.Errorf("Validate: %v, want an error that has %s and what it accepts", err, want)
		}
	}
	check(simdisk.Config{}.Validate())
}

// TestTrace states what the records of a crash tell.
func TestTrace(t *testing.T) {
	n, v := boot(3, simdisk.Config{Crash: simdisk.CrashLoseUnsynced})
	check(v.WriteFileDurable("/wal", nil))
	f := must(v.Open("/wal"))
	must(f.Append([]byte("0123456789")))
	must(f.Append([]byte("0123456789")))
	must(f.WriteAt([]byte("x"), 4))
	v.FailSyncs(1)
	g := must(v.Create("/wal"))
	if g.Sync() == nil {
		t.Fatal("the sync did not fail")
	}
	must(f.WriteAt([]byte("yy"), 0))
	must(f.WriteAt([]byte("yy"), 2))
	must(f.WriteAt([]byte("z"), 9))
	n.Crash()
	want := []string{
		"crash kept 0 of 3 unsynced changes of /wal, lost bytes 0 to 3, bytes 9 to 9",
		"crash lost 4 changes of /wal whose sync had failed",
	}
	if got := records(v, "disk.crash"); !slices.Equal(got, want) {
		t.Errorf("the crash reports %q, want %q", got, want)
	}
	if got := records(v, "disk.truncate"); !slices.Equal(got, []string{"/wal to 0 bytes"}) {
		t.Errorf("truncations are recorded as %q", got)
	}
	if got := records(v, "disk.write")[0]; got != "/wal at 0: 10 bytes" {
		t.Errorf("a write is recorded as %q", got)
	}
}

// TestTraceTellsDataApart: runs that write different bytes have different traces.
func TestTraceTellsDataApart(t *testing.T) {
	hash := func(data string) uint64 {
		n, v := boot(1, simdisk.Config{})
		check(v.WriteFile("/f", []byte(data), 0o644))
		return n.Sim().TraceHash()
	}
	abc, again, abd := hash("abc"), hash("abc"), hash("abd")
	if abc != again {
		t.Error("equal runs have different traces")
	}
	if abc == abd {
		t.Error("different data give equal traces")
	}
}

func BenchmarkWriteSync(b *testing.B) {
	_, v := func() (*kernel.Node, *simdisk.Volume) {
		sim := kernel.New(kernel.Config{})
		n := sim.AddNode("n1", nil)
		return n, simdisk.New(sim, simdisk.Config{}).Volume(n)
	}()
	f := must(v.Create("/f"))
	data := make([]byte, 128)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		must(f.WriteAt(data, int64(i%8192)*128))
		check(f.Sync())
	}
}
