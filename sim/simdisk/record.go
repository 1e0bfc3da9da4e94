// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// The kinds of the records that a volume emits: one for each change that an
// operation makes, and one for each effect of a crash.
const (
	kindCreate   kernel.Kind = "disk.create"
	kindMkdir    kernel.Kind = "disk.mkdir"
	kindRename   kernel.Kind = "disk.rename"
	kindRemove   kernel.Kind = "disk.remove"
	kindWrite    kernel.Kind = "disk.write"
	kindTruncate kernel.Kind = "disk.truncate"
	kindSync     kernel.Kind = "disk.sync"
	kindSyncDir  kernel.Kind = "disk.syncdir"
	kindCrash    kernel.Kind = "disk.crash"
	kindCorrupt  kernel.Kind = "disk.corrupt"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (v *Volume) emitPath(kind kernel.Kind, path string) {
	v.sim.Emit(v.node, kind, path, kernel.Attr{Key: "path", Value: path})
}

func (v *Volume) emitRename(from, to string) {
	v.sim.Emit(v.node, kindRename, from+" to "+to,
		kernel.Attr{Key: "path", Value: from}, kernel.Attr{Key: "to", Value: to})
}

// emitWrite records a checksum of the data too, so that runs that write different
// bytes have different traces.
func (v *Volume) emitWrite(path string, off int64, data []byte) {
	offset, length := strconv.FormatInt(off, 10), strconv.Itoa(len(data))
	sum := strconv.FormatUint(uint64(crc32.Checksum(data, castagnoli)), 16)
	v.sim.Emit(v.node, kindWrite, path+" at "+offset+": "+length+" bytes",
		kernel.Attr{Key: "path", Value: path}, kernel.Attr{Key: "off", Value: offset},
		kernel.Attr{Key: "len", Value: length}, kernel.Attr{Key: "crc32c", Value: sum})
}

func (v *Volume) emitTruncate(path string, size int64) {
	bytes := strconv.FormatInt(size, 10)
	v.sim.Emit(v.node, kindTruncate, path+" to "+bytes+" bytes",
		kernel.Attr{Key: "path", Value: path}, kernel.Attr{Key: "size", Value: bytes})
}

func (v *Volume) emitResult(kind kernel.Kind, path, result string) {
	text := path
	if result != "ok" {
		text += ": " + result
	}
	v.sim.Emit(v.node, kind, text,
		kernel.Attr{Key: "path", Value: path}, kernel.Attr{Key: "result", Value: result})
}

func (v *Volume) emitFate(path string, model CrashModel, unsynced int, f fate) {
	text := fmt.Sprintf("crash kept %d of %d unsynced changes of %s", f.whole, unsynced, path)
	attrs := []kernel.Attr{
		{Key: "path", Value: path},
		{Key: "model", Value: string(model)},
		{Key: "unsynced", Value: strconv.Itoa(unsynced)},
		{Key: "kept", Value: strconv.Itoa(f.whole)},
	}
	for _, detail := range []struct {
		key, verb string
		changes   []change
	}{{"torn", ", tore ", f.torn}, {"lost", ", lost ", f.lost}} {
		if len(detail.changes) > 0 {
			list := describe(detail.changes)
			text += detail.verb + list
			attrs = append(attrs, kernel.Attr{Key: detail.key, Value: list})
		}
	}
	v.sim.Emit(v.node, kindCrash, text, attrs...)
}

func (v *Volume) emitDropped(path string, changes int) {
	v.sim.Emit(v.node, kindCrash, fmt.Sprintf("crash lost %d changes of %s whose sync had failed", changes, path),
		kernel.Attr{Key: "path", Value: path}, kernel.Attr{Key: "dropped", Value: strconv.Itoa(changes)})
}

// maxDescribed bounds the number of changes that a record lists.
const maxDescribed = 8

// describe lists what changes affect, adjoining writes as one.
func describe(changes []change) string {
	var parts []string
	for i := 0; i < len(changes); {
		if len(parts) == maxDescribed {
			return fmt.Sprintf("%s and %d more", strings.Join(parts, ", "), len(changes)-i)
		}
		c, end := changes[i], changes[i].end()
		for i++; !c.truncate && i < len(changes) && !changes[i].truncate && changes[i].off == end; i++ {
			end = changes[i].end()
		}
		if c.truncate {
			parts = append(parts, fmt.Sprintf("the truncation to %d bytes", c.off))
		} else {
			parts = append(parts, fmt.Sprintf("bytes %d to %d", c.off, end-1))
		}
	}
	return strings.Join(parts, ", ")
}
