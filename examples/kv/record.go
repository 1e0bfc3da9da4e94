// SPDX-License-Identifier: MPL-2.0

package kv

import (
	"encoding/binary"
	"hash/crc32"
)

// headerSize is the length of what stands before a record's body: its length and its checksum, four bytes each.
const headerSize = 8

// appendRecord appends one key and its value to a log or a snapshot held in b.
func appendRecord(b []byte, key, value string) []byte {
	start := len(b)
	b = append(b, make([]byte, headerSize)...)
	b = binary.AppendUvarint(b, uint64(len(key)))
	b = append(b, key...)
	b = append(b, value...)
	body := b[start+headerSize:]
	binary.LittleEndian.PutUint32(b[start:], uint32(len(body)))
	binary.LittleEndian.PutUint32(b[start+4:], crc32.ChecksumIEEE(body))
	return b
}

// nextRecord takes the first record off b. It reports false at the end of b and at a record that a crash cut short:
// what follows such a record was never synced, so it was never acknowledged.
func nextRecord(b []byte) (key, value string, rest []byte, ok bool) {
	if len(b) < headerSize {
		return "", "", nil, false
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	sum := binary.LittleEndian.Uint32(b[4:])
	b = b[headerSize:]
	if size > uint64(len(b)) {
		return "", "", nil, false
	}
	body, rest := b[:size], b[size:]
	keySize, n := binary.Uvarint(body)
	if n <= 0 || keySize > uint64(len(body)-n) || crc32.ChecksumIEEE(body) != sum {
		return "", "", nil, false
	}
	body = body[n:]
	return string(body[:keySize]), string(body[keySize:]), rest, true
}
