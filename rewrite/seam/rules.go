// SPDX-License-Identifier: MPL-2.0

package seam

// rules is every change to the standard library, by what it is for. What a hook does is written at its declaration in
// runtime/std of the root module.
var rules = join(state, gate, values, hashing, points, collector)

func join(groups ...[]rule) []rule {
	var all []rule
	for _, group := range groups {
		all = append(all, group...)
	}
	return all
}

const point = "faultlinePoint()"

// state: what an exact run adds to the runtime's own structures, and when a run starts and ends.
var state = []rule{
	{"a bubble has a run", "runtime/synctest.go", "", 1, field{"synctestBubble", "faultline", "faultlineRun"}},
	{"a goroutine may keep the token", "runtime/runtime2.go", "", 1, field{"g", "faultlineKeep", "bool"}},
	{"a run starts with its bubble", "runtime/synctest.go", "synctestRun", 1,
		before{"gp.bubble = bubble", "bubble.faultline.start(gp)"}},
	{"a run ends with its bubble", "runtime/synctest.go", "synctestRun", 1,
		before{"gp.bubble = nil", "bubble.faultline.stop()"}},
	{"waiting for a lock is durable", "runtime/synctest.go", "(*synctestBubble).changegstatus", 2,
		expression{"gp.waitreason.isIdleInSynctest()", "bubble.isIdle(gp.waitreason)"}},
	{"goroutine ids belong to the run", "runtime/proc.go", "newproc1", 1,
		after{"newg.goid = pp.goidcache", "faultlineNewGoroutine(newg)"}},
}

// gate: every way for a goroutine to become runnable or to stop running.
var gate = []rule{
	{"woken", "runtime/proc.go", "ready", 1,
		instead{"runqput(mp.p.ptr(), gp, next)", "if !faultlineGate(gp) {\n runqput(mp.p.ptr(), gp, next)\n}"}},
	{"created", "runtime/proc.go", "newproc", 1,
		before{"runqput(pp, newg, true)", "if faultlineGate(newg) {\n return\n}"}},
	{"created as main of a bubble", "runtime/synctest.go", "synctestRun", 1,
		before{"runqput(pp, bubble.main, true)", "if faultlineGate(bubble.main) {\n return\n}"}},
	{"found in a run queue without a gate", "runtime/proc.go", "schedule", 1,
		before{"if sched.disable.user && !schedEnabled(gp) {\n _etc\n}",
			"if gp.bubble != nil && faultlineStray(gp) {\n goto top\n}"}},
	{"parks: flag", "runtime/proc.go", "park_m", 1,
		after{"bubble := gp.bubble", "faultlineParking := false"}},
	{"parks: begin", "runtime/proc.go", "park_m", 1,
		after{"bubble.incActive()", "faultlineParking = faultlineParkBegin(gp)"}},
	{"parks: abort", "runtime/proc.go", "park_m", 1,
		before{"execute(gp, true)", "if faultlineParking {\n faultlineParkAbort(bubble)\n}"}},
	{"parks: end", "runtime/proc.go", "park_m", 1,
		before{"schedule()", "if faultlineParking {\n faultlineParkEnd(bubble)\n}"}},
	{"yields with Gosched", "runtime/proc.go", "goschedImpl", 1,
		before{"if preempted && sched.gcwaiting.Load() {\n _etc\n} else {\n _etc\n}",
			"if !preempted && faultlineYield(gp) {\n schedule()\n}"}},
	{"yields for the runtime", "runtime/proc.go", "goschedguarded_m", 1,
		instead{"goschedImpl(gp, false)", "goschedImpl(gp, true)"}},
	{"yields", "runtime/proc.go", "goyield_m", 1,
		before{"runqput(pp, gp, false)", "if faultlineYield(gp) {\n schedule()\n}"}},
	{"ends: its bubble", "runtime/proc.go", "gdestroy", 1,
		before{"gp.bubble = nil", "faultlineBubble := gp.bubble"}},
	{"ends", "runtime/proc.go", "gdestroy", 1,
		after{"dropg()", "faultlineExit(faultlineBubble, gp)"}},
	{"switches coroutines: begin", "runtime/coro.go", "coroswitch_m", 1,
		after{"bubble.incActive()", "faultlineCoroBegin(bubble)"}},
	{"switches coroutines: end", "runtime/coro.go", "coroswitch_m", 1,
		before{"bubble.decActive()", "faultlineCoroEnd(bubble, gnext)"}},
	{"waits for a lock of the runtime", "runtime/sema.go", "semacquire", 1,
		instead{"semacquire1(addr, false, 0, 0, waitReasonSemacquire)",
			"gp := getg()\ngp.faultlineKeep = true\nsemacquire1(addr, false, 0, 0, waitReasonSemacquire)\ngp.faultlineKeep = false"}},
	{"spins on a mutex", "runtime/proc.go", "internal_sync_runtime_canSpin", 1,
		atStart{"if faultlineInRun() {\n return false\n}"}},
}

// values: random values and clocks.
var values = []rule{
	{"random values", "runtime/rand.go", "rand", 1,
		atStart{"if x, ok := faultlineRand(); ok {\n return x\n}"}},
	{"crypto/rand", "crypto/internal/sysrand/rand.go", "Read", 1,
		atStart{"if faultlineFill(b) {\n return\n}"}},
	{"order in which select polls", "runtime/select.go", "selectgo", 1,
		expression{"cheaprandn(uint32(norder + 1))", "faultlineSelectRand(uint32(norder + 1))"}},
	{"order of timers of one instant", "runtime/time.go", "(*timer).maybeAdd", 1,
		instead{"t.rand = cheaprand()", "t.rand = faultlineTimerRand()"}},
	{"clock of mutex starvation", "runtime/sema.go", "internal_sync_nanotime", 1,
		atStart{"if now, ok := faultlineNow(); ok {\n return now\n}"}},
}

// hashing: what decides the layout of maps.
var hashing = []rule{
	{"hash keys", "runtime/alg.go", "", 2, expression{"bootstrapRand()", "faultlineHashKey()"}},
	{"heap addresses", "runtime/malloc.go", "", 1,
		expression{"goexperiment.RandomizedHeapBase64", "false && goexperiment.RandomizedHeapBase64"}},
	{"map seeds", "internal/runtime/maps/map.go", "", 4, expression{"uintptr(rand())", "faultlineSeed()"}},
	{"map hashes", "internal/runtime/maps/map.go", "", 5,
		expression{"typ.Hasher(_1, m.seed)", "faultlineHash(typ, _1, m.seed)"}},
	{"map hashes", "internal/runtime/maps/runtime.go", "", 3,
		expression{"typ.Hasher(_1, m.seed)", "faultlineHash(typ, _1, m.seed)"}},
	{"map hashes", "internal/runtime/maps/runtime_fast64.go", "", 4,
		expression{"typ.Hasher(_1, m.seed)", "faultlineHash(typ, _1, m.seed)"}},
	{"map hashes", "internal/runtime/maps/table.go", "", 4,
		expression{"typ.Hasher(_1, m.seed)", "faultlineHash(typ, _1, m.seed)"}},
	{"map hashes", "internal/runtime/maps/table_debug.go", "", 1,
		expression{"typ.Hasher(_1, m.seed)", "faultlineHash(typ, _1, m.seed)"}},
	{"sync.Map seed", "internal/sync/hashtriemap.go", "", 1, expression{"uintptr(runtime_rand())", "faultlineSeed()"}},
	{"sync.Map hash", "internal/sync/hashtriemap.go", "", 1,
		instead{"ht.keyHash = mapType.Hasher", "ht.keyHash = faultlineHasher(mapType)"}},
	{"identities are freed with their objects", "runtime/mheap.go", "freeSpecial", 1,
		atStart{"if faultlineFreeIdentity(s) {\n return\n}"}},
}

// points: where a goroutine that could go on may give up the token. After what releases something, before the rest.
var points = []rule{
	{"send", "runtime/chan.go", "chansend", 1, atStart{point}},
	{"receive", "runtime/chan.go", "chanrecv", 1, atStart{point}},
	{"close", "runtime/chan.go", "closechan", 1, atStart{point}},
	{"select", "runtime/select.go", "selectgo", 1, atStart{point}},
	{"go statement", "runtime/proc.go", "newproc", 1, atEnd{point}},
	{"Mutex.Lock", "internal/sync/mutex.go", "(*Mutex).Lock", 1, atStart{point}},
	{"Mutex.TryLock", "internal/sync/mutex.go", "(*Mutex).TryLock", 1, atStart{point}},
	{"Mutex.Unlock", "internal/sync/mutex.go", "(*Mutex).Unlock", 1, atEnd{point}},
	{"RWMutex.RLock", "sync/rwmutex.go", "(*RWMutex).RLock", 1, atStart{point}},
	{"RWMutex.TryRLock", "sync/rwmutex.go", "(*RWMutex).TryRLock", 1, atStart{point}},
	{"RWMutex.RUnlock", "sync/rwmutex.go", "(*RWMutex).RUnlock", 1, atEnd{point}},
	{"RWMutex.Lock", "sync/rwmutex.go", "(*RWMutex).Lock", 1, atStart{point}},
	{"RWMutex.TryLock", "sync/rwmutex.go", "(*RWMutex).TryLock", 1, atStart{point}},
	{"RWMutex.Unlock", "sync/rwmutex.go", "(*RWMutex).Unlock", 1, atEnd{point}},
	{"WaitGroup.Add", "sync/waitgroup.go", "(*WaitGroup).Add", 1, atStart{point}},
	{"WaitGroup.Wait", "sync/waitgroup.go", "(*WaitGroup).Wait", 1, atStart{point}},
	{"Once.Do", "sync/once.go", "(*Once).Do", 1, atStart{point}},
	{"Cond.Wait", "sync/cond.go", "(*Cond).Wait", 1, atStart{point}},
	{"Cond.Signal", "sync/cond.go", "(*Cond).Signal", 1, atStart{point}},
	{"Cond.Broadcast", "sync/cond.go", "(*Cond).Broadcast", 1, atStart{point}},
}

// collector: how often these run depends on the heap, so they must not move the token or empty pools in the middle of a run.
var collector = []rule{
	{"yields of the collector", "runtime/mgc.go", "", 4, expression{"Gosched()", "faultlineGosched()"}},
	{"yields of assists", "runtime/mgcmark.go", "", 1, expression{"Gosched()", "faultlineGosched()"}},
	{"pools are kept during a run", "runtime/mgc.go", "clearpools", 1,
		expression{"poolcleanup != nil", "poolcleanup != nil && faultlineExactRuns == 0"}},
}
