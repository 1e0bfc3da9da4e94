// SPDX-License-Identifier: MPL-2.0

package fsx_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/shims/fsx"
	"github.com/hmdsefi/faultline/sim/simdisk"
)

// journal is a process that appends records to a file and syncs now and then, over many lives, and what it knows of them.
type journal struct {
	t       *testing.T
	r       *rand.Rand
	lives   int
	content string // of the records whose writes have returned
	durable int    // bytes of content that a Sync which has returned covers
	allowed func(left, durable, unsynced string) bool
}

const recordSize = 8

func (j *journal) live(w *world, fsys fsx.FS) {
	f, err := fsys.OpenFile("journal", os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		err = fsys.SyncDir("/")
	}
	if err != nil {
		return // a crash
	}
	if left, err := fsys.ReadFile("journal"); err != nil || !j.survive(string(left)) {
		return
	}
	if j.lives++; j.lives == 20 {
		w.done = true
		return
	}
	if f.Sync() != nil {
		return
	}
	j.durable = len(j.content)
	w.control(func() {
		w.sim.After(time.Duration(j.r.Int64N(int64(10*time.Millisecond))), func() { w.node.Crash(); w.node.Restart() })
	})
	for {
		if j.r.IntN(3) == 0 {
			if f.Sync() != nil {
				return
			}
			j.durable = len(j.content)
			continue
		}
		record := fmt.Sprintf("%0*d", recordSize, len(j.content)/recordSize+1)
		if _, err := f.WriteString(record); err != nil {
			return
		}
		j.content += record
	}
}

// survive compares what a crash left with what it may leave, and takes it over.
func (j *journal) survive(left string) bool {
	durable, unsynced := j.content[:j.durable], j.content[j.durable:]
	if !j.allowed(left, durable, unsynced) {
		j.t.Errorf("life %d: the crash left %q of %q, synced, and %q", j.lives, left, durable, unsynced)
		return false
	}
	j.content, j.durable = left, len(left)
	return true
}

// parts reports whether left is synced data and then, for each part of some size of what was not, the part or zeros.
func parts(size int, left, durable, unsynced string) bool {
	rest, ok := strings.CutPrefix(left, durable)
	if !ok || len(rest) > len(unsynced) {
		return false
	}
	for i := 0; i < len(rest); i += size {
		part := rest[i:min(i+size, len(rest))]
		if part != unsynced[i:i+len(part)] && strings.Trim(part, "\x00") != "" {
			return false
		}
	}
	return true
}

func prefix(left, durable, unsynced string) bool {
	return strings.HasPrefix(left, durable) && strings.HasPrefix(durable+unsynced, left) && (len(left)-len(durable))%recordSize == 0
}

// A process finds after a crash what the model allows: what it has synced, and of the rest as much as the model keeps, but
// nothing of a call that had not returned.
func TestCrashLeavesWhatTheModelAllows(t *testing.T) {
	const sector = 4
	for model, allowed := range map[simdisk.CrashModel]func(left, durable, unsynced string) bool{
		simdisk.CrashLoseUnsynced: func(left, durable, _ string) bool { return left == durable },
		simdisk.CrashKeepPrefix:   prefix,
		simdisk.CrashKeepSubset: func(left, durable, unsynced string) bool {
			return parts(recordSize, left, durable, unsynced)
		},
		simdisk.CrashTorn: func(left, durable, unsynced string) bool { return parts(sector, left, durable, unsynced) },
		simdisk.CrashAny:  func(left, durable, unsynced string) bool { return parts(sector, left, durable, unsynced) },
	} {
		t.Run(fmt.Sprint(model), func(t *testing.T) {
			for seed := range uint64(20) {
				synctest.Test(t, func(t *testing.T) {
					j := &journal{t: t, r: rand.New(rand.NewPCG(seed, 1)), allowed: allowed}
					simulate(simdisk.Config{Crash: model, Sector: sector}, j.live)
					if j.lives != 20 {
						t.Errorf("seed %d: %d lives", seed, j.lives)
					}
				})
			}
		})
	}
}
