// SPDX-License-Identifier: MPL-2.0

package simdisk_test

import (
	"bytes"
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// sectors is a file of four sectors, each full of its own letter.
var sectors = bytes.Join([][]byte{
	bytes.Repeat([]byte("a"), 512), bytes.Repeat([]byte("b"), 512),
	bytes.Repeat([]byte("c"), 512), bytes.Repeat([]byte("d"), 512),
}, nil)

// withSectors returns a volume with that file, durable, and a handle of it.
func withSectors(t *testing.T, seed uint64) (*kernel.Sim, *simdisk.Volume, *simdisk.File) {
	t.Helper()
	s := kernel.New(kernel.Config{Seed: seed, Record: true})
	d := simdisk.New(s, simdisk.Config{Crash: simdisk.CrashLoseUnsynced})
	n := s.AddNode("n1", nil)
	s.Start()
	s.Run()
	v := d.Volume(n)
	if err := v.WriteFileDurable("f", sectors); err != nil {
		t.Fatal(err)
	}
	f, err := v.Open("f")
	if err != nil {
		t.Fatal(err)
	}
	return s, v, f
}

func content(t *testing.T, v *simdisk.Volume) []byte {
	t.Helper()
	data, err := v.ReadFile("f")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestMisdirectedWrite(t *testing.T) {
	places := map[int]int{}
	for seed := range uint64(50) {
		_, v, f := withSectors(t, seed)
		v.MisdirectWrites(1)
		x := bytes.Repeat([]byte("x"), 512)
		if n, err := f.WriteAt(x, 512); n != 512 || err != nil {
			t.Fatalf("the write that goes astray says %d, %v", n, err)
		}
		data := content(t, v)
		at := bytes.Index(data, x)
		if at%512 != 0 || at == 512 || data[512] != 'b' || len(data) != len(sectors) {
			t.Fatalf("the write to 512 landed at %d", at)
		}
		places[at]++
		if v.Damaged() != 1024 || !v.Suspect() {
			t.Errorf("%d bytes are damaged, want the sector hit and the sector missed", v.Damaged())
		}
		if _, err := f.WriteAt(x, 512); err != nil || content(t, v)[512] != 'x' {
			t.Errorf("the next write went astray too, %v", err)
		}
	}
	if len(places) != 3 {
		t.Errorf("writes landed at %v, want all three other sectors", places)
	}
}

func TestMisdirectedAppendKeepsTheSize(t *testing.T) {
	_, v, f := withSectors(t, 1)
	v.MisdirectWrites(1)
	if _, err := f.Append([]byte("tail")); err != nil {
		t.Fatal(err)
	}
	data := content(t, v)
	if len(data) != len(sectors)+4 || !bytes.Equal(data[len(sectors):], make([]byte, 4)) {
		t.Errorf("the file ends with %q, want four zeros", data[len(sectors):])
	}
	if v.Usage() != int64(len(data)) {
		t.Errorf("usage is %d, want %d", v.Usage(), len(data))
	}
}

func TestMisdirectedRead(t *testing.T) {
	_, v, f := withSectors(t, 2)
	v.MisdirectReads(1)
	p := make([]byte, 512)
	if n, err := f.ReadAt(p, 0); n != 512 || err != nil || p[0] == 'a' {
		t.Errorf("read %d bytes of %q, %v, want another sector", n, p[0], err)
	}
	if _, err := f.ReadAt(p, 0); err != nil || p[0] != 'a' {
		t.Errorf("the next read gives %q, %v", p[0], err)
	}
	if v.Damaged() != 0 || v.Suspect() {
		t.Error("a read damages the medium")
	}
}

func TestSmallFilesHaveNoOtherPlace(t *testing.T) {
	_, v, _ := withSectors(t, 3)
	v.MisdirectWrites(-1)
	v.MisdirectReads(-1)
	if err := v.WriteFile("small", []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	if data, err := v.ReadFile("small"); string(data) != "abc" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestDamageIsMendedByWhatIsWrittenOverIt(t *testing.T) {
	for _, test := range []struct {
		name string
		mend func(*simdisk.Volume, *simdisk.File) error
		left int64
	}{
		{"nothing", func(*simdisk.Volume, *simdisk.File) error { return nil }, 100},
		{"a write that is not synced", func(_ *simdisk.Volume, f *simdisk.File) error {
			_, err := f.WriteAt(sectors, 0)
			return err
		}, 100},
		{"a synced write over a part", func(_ *simdisk.Volume, f *simdisk.File) error {
			_, err := f.WriteAt(sectors[:50], 1000)
			return orSync(err, f)
		}, 50},
		{"a synced write in the middle", func(_ *simdisk.Volume, f *simdisk.File) error {
			_, err := f.WriteAt(sectors[:10], 1040)
			return orSync(err, f)
		}, 90},
		{"truncation", func(_ *simdisk.Volume, f *simdisk.File) error { return orSync(f.Truncate(1010), f) }, 10},
		{"removal", func(v *simdisk.Volume, _ *simdisk.File) error { return v.Remove("f") }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, v, f := withSectors(t, 4)
			if err := v.Corrupt("f", 1000, 100); err != nil {
				t.Fatal(err)
			}
			if err := test.mend(v, f); err != nil {
				t.Fatal(err)
			}
			if got := v.Damaged(); got != test.left {
				t.Errorf("%d bytes are damaged, want %d", got, test.left)
			}
		})
	}
}

func orSync(err error, f *simdisk.File) error {
	if err != nil {
		return err
	}
	return f.Sync()
}

func TestCrashTakesStrayWriteBackButCountsIt(t *testing.T) {
	s, v, f := withSectors(t, 5)
	v.MisdirectWrites(1)
	if _, err := f.WriteAt(bytes.Repeat([]byte("x"), 512), 0); err != nil {
		t.Fatal(err)
	}
	s.Node("n1").Crash()
	if !bytes.Equal(content(t, v), sectors) || v.Damaged() == 0 {
		t.Errorf("after the crash %d bytes are damaged", v.Damaged())
	}
}
