// SPDX-License-Identifier: MPL-2.0

package simdisk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Config says how the volumes of a world behave. The zero value is ready to use.
type Config struct {
	Crash      CrashModel       // what a crash does to unsynced data; "" is CrashAny
	Metadata   Metadata         // when directory entries are durable; "" is MetadataStrict
	FailedSync FailedSync       // what a failed sync does to the data; "" is FailedSyncDrop
	Sector     int              // bytes that the medium writes whole, for CrashTorn; 0 is 512
	Capacity   int64            // bytes that the files of a volume may hold in all; 0 is no limit
	MaxFile    int64            // bytes that one file may hold; 0 is 1 GiB
	Latency    map[Op]Latencies // time per kind of operation; kinds that are left out keep their default
}

// CrashModel says which of a file's unsynced changes survive a crash.
type CrashModel string

const (
	CrashAny          CrashModel = "any"           // one of the others, drawn for each file
	CrashLoseUnsynced CrashModel = "lose-unsynced" // none
	CrashKeepPrefix   CrashModel = "keep-prefix"   // the first ones, as many as are drawn
	CrashKeepSubset   CrashModel = "keep-subset"   // each with a chance of one half
	CrashTorn         CrashModel = "torn"          // the first ones, and some sectors of the write after them
)

// Metadata says when a change of a directory's entries is durable.
type Metadata string

const (
	MetadataStrict    Metadata = "strict"    // when the directory is synced
	MetadataImmediate Metadata = "immediate" // at once
)

// FailedSync says what becomes of a file's unsynced changes when a sync of it fails.
// A directory whose sync fails keeps its changes unsynced under every model.
type FailedSync string

const (
	// FailedSyncDrop loses them for good, though reads still show them until the
	// node crashes. A later sync succeeds and does not bring them back. Linux file
	// systems do this.
	FailedSyncDrop FailedSync = "drop"
	// FailedSyncRetain keeps them unsynced, so that a later sync can succeed.
	FailedSyncRetain FailedSync = "retain"
)

// Op is a kind of operation that takes time.
type Op string

const (
	OpMeta    Op = "meta"    // open, stat, list, create, rename, remove
	OpRead    Op = "read"    // read from a file
	OpWrite   Op = "write"   // write to a file or truncate it
	OpSync    Op = "sync"    // sync a file
	OpSyncDir Op = "syncdir" // sync a directory
)

// Latencies are the bounds, both included, between which an operation's latency is
// drawn.
type Latencies struct {
	Min, Max time.Duration
}

var defaultLatency = map[Op]Latencies{
	OpMeta:    {2 * time.Microsecond, 10 * time.Microsecond},
	OpRead:    {10 * time.Microsecond, 100 * time.Microsecond},
	OpWrite:   {5 * time.Microsecond, 25 * time.Microsecond},
	OpSync:    {200 * time.Microsecond, 2000 * time.Microsecond},
	OpSyncDir: {200 * time.Microsecond, 2000 * time.Microsecond},
}

var (
	crashModels      = []CrashModel{CrashAny, CrashLoseUnsynced, CrashKeepPrefix, CrashKeepSubset, CrashTorn}
	metadataModels   = []Metadata{MetadataStrict, MetadataImmediate}
	failedSyncModels = []FailedSync{FailedSyncDrop, FailedSyncRetain}
	ops              = []Op{OpMeta, OpRead, OpWrite, OpSync, OpSyncDir}
)

const (
	defaultSector  = 512
	defaultMaxFile = 1 << 30
)

// Validate returns an error that names the first field with a value that New does
// not accept, and what it accepts.
func (c Config) Validate() error {
	c = c.withDefaults()
	for _, err := range []error{
		oneOf("Crash", c.Crash, crashModels),
		oneOf("Metadata", c.Metadata, metadataModels),
		oneOf("FailedSync", c.FailedSync, failedSyncModels),
		notNegative("Sector", int64(c.Sector)),
		notNegative("Capacity", c.Capacity),
		notNegative("MaxFile", c.MaxFile),
		validLatency(c.Latency),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func oneOf[T ~string](field string, value T, accepted []T) error {
	if slices.Contains(accepted, value) {
		return nil
	}
	return fmt.Errorf("simdisk: Config.%s is %q; it accepts %s", field, value, list(accepted))
}

func notNegative(field string, value int64) error {
	if value >= 0 {
		return nil
	}
	return fmt.Errorf("simdisk: Config.%s is %d; it accepts 0, for the default, and more", field, value)
}

func validLatency(latency map[Op]Latencies) error {
	known := 0
	for _, op := range ops {
		l, ok := latency[op]
		if !ok {
			continue
		}
		known++
		if l.Min < 0 || l.Max < l.Min {
			return fmt.Errorf("simdisk: Config.Latency[%q] is from %v to %v; it accepts 0 <= Min <= Max", op, l.Min, l.Max)
		}
	}
	if known < len(latency) {
		return fmt.Errorf("simdisk: Config.Latency has an unknown key; it accepts %s", list(ops))
	}
	return nil
}

func list[T ~string](values []T) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = fmt.Sprintf("%q", string(v))
	}
	return strings.Join(quoted, ", ")
}

// withDefaults fills in what c leaves out, except Latency.
func (c Config) withDefaults() Config {
	c.Crash = cmp.Or(c.Crash, CrashAny)
	c.Metadata = cmp.Or(c.Metadata, MetadataStrict)
	c.FailedSync = cmp.Or(c.FailedSync, FailedSyncDrop)
	c.Sector = cmp.Or(c.Sector, defaultSector)
	c.MaxFile = cmp.Or(c.MaxFile, defaultMaxFile)
	return c
}
