// SPDX-License-Identifier: MPL-2.0

package kv

import "testing"

// A log that a crash cut anywhere yields the whole records before the cut, and nothing else.
func TestRecordsBeforeACut(t *testing.T) {
	pairs := [][2]string{{"a", "1"}, {"", ""}, {"key", "a longer value"}, {"é", "\x00\xff"}}
	var b []byte
	var ends []int
	for _, p := range pairs {
		b = appendRecord(b, p[0], p[1])
		ends = append(ends, len(b))
	}
	for cut := range len(b) + 1 {
		rest := b[:cut]
		for i, p := range pairs {
			key, value, after, ok := nextRecord(rest)
			if whole := ends[i] <= cut; ok != whole {
				t.Fatalf("cut at %d, record %d: ok %t, want %t", cut, i, ok, whole)
			}
			if !ok {
				break
			}
			if key != p[0] || value != p[1] {
				t.Errorf("record %d is %q=%q, want %q=%q", i, key, value, p[0], p[1])
			}
			rest = after
		}
	}
}

// Neither zeroes, which a file system may leave where data was lost, nor a changed byte pass for a record.
func TestDamageIsNoRecord(t *testing.T) {
	if _, _, _, ok := nextRecord(make([]byte, 64)); ok {
		t.Error("zeroes passed for a record")
	}
	whole := appendRecord(nil, "key", "value")
	for i := range whole {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x40
		if _, _, _, ok := nextRecord(damaged); ok {
			t.Errorf("a record with byte %d changed passed", i)
		}
	}
}
