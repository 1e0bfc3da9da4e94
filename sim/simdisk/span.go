// SPDX-License-Identifier: MPL-2.0

package simdisk

// span is a range of bytes of a file, from inclusive, to exclusive.
type span struct{ from, to int64 }

// spans are ranges that do not overlap, in no order.
type spans []span

// with adds s.
func (l spans) with(s span) spans {
	if s.from >= s.to {
		return l
	}
	return append(l.without(s), s)
}

// without cuts s out.
func (l spans) without(s span) spans {
	if len(l) == 0 {
		return nil
	}
	var rest spans
	for _, o := range l {
		if left := (span{o.from, min(o.to, s.from)}); left.from < left.to {
			rest = append(rest, left)
		}
		if right := (span{max(o.from, s.to), o.to}); right.from < right.to {
			rest = append(rest, right)
		}
	}
	return rest
}

// bytes returns how many bytes the ranges have below size.
func (l spans) bytes(size int64) int64 {
	var sum int64
	for _, s := range l {
		sum += max(0, min(s.to, size)-s.from)
	}
	return sum
}
