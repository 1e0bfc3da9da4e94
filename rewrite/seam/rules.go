// SPDX-License-Identifier: MPL-2.0

package seam

// rules is every change to the standard library, by what it is for. What a hook does is written at its declaration in
// runtime/std of the root module.
var rules = join(state, gate, values, threads126, threads127, hashing, hashing126, hashing127, points, collector)

func join(groups ...[]rule) []rule {
	var all []rule
	for _, group := range groups {
		all = append(all, group...)
	}
	return all
}

// A point in package runtime is inlined up to the question whether the goroutine is in a bubble; elsewhere it is a call, which
// a guard spares programs that are not in a run.
const (
	point   = "faultlinePoint()"
	guarded = "if faultlineGuard != 0 {\n faultlinePoint()\n}"
)

func newRule(name, file, function string, count int, edit edit) rule {
	return rule{name: name, file: file, function: function, count: count, edit: edit}
}

// state: what an exact run adds to the runtime's own structures, and when a run starts and ends.
var state = []rule{
	newRule("a bubble has a run", "runtime/synctest.go", "", 1, field{"synctestBubble", "faultline", "faultlineRun"}),
	newRule("a goroutine may keep the token", "runtime/runtime2.go", "", 1, field{"g", "faultlineKeep", "bool"}),
	newRule("a run starts with its bubble", "runtime/synctest.go", "synctestRun", 1,
		before{"gp.bubble = bubble", "bubble.faultline.start(gp)"}),
	// A bubble with blocked goroutines ends in a panic. While it lasts the collector takes f, whose address the function has taken, for
	// live, since it is where the record of the panic says that the frame is. stop waits for the collector, so f must be live until then.
	newRule("a run ends with its bubble", "runtime/synctest.go", "synctestRun", 1,
		before{"gp.bubble = nil", "bubble.faultline.stop()\nKeepAlive(f)"}),
	newRule("waiting for a lock is durable: ends", "runtime/synctest.go", "(*synctestBubble).changegstatus", 1,
		instead{"if gp.waitreason.isIdleInSynctest() {\n wasRunning = false\n}",
			"if bubble.waits(gp.waitreason, -1) {\n wasRunning = false\n}"}),
	newRule("waiting for a lock is durable: begins", "runtime/synctest.go", "(*synctestBubble).changegstatus", 1,
		instead{"if gp.waitreason.isIdleInSynctest() {\n isRunning = false\n}",
			"if bubble.waits(gp.waitreason, +1) {\n isRunning = false\n}"}),
	newRule("a lock may be held outside", "runtime/synctest.go", "synctestRun", 1,
		after{"next := bubble.timers.wakeTime()", "if bubble.letOutsideIn(next == 0 || bubble.done) {\n continue\n}"}),
	newRule("all are blocked", "runtime/synctest.go", "synctestRun", 1, before{"bubble.now = next", "bubble.faultline.blocked()"}),
	newRule("goroutine ids belong to the run", "runtime/proc.go", "newproc1", 1,
		after{"newg.goid = pp.goidcache", "faultlineNewGoroutine(newg)"}),
}

// gate: every way for a goroutine to become runnable or to stop running.
var gate = []rule{
	newRule("woken", "runtime/proc.go", "ready", 1,
		instead{"runqput(mp.p.ptr(), gp, next)", "if !faultlineGate(gp) {\n runqput(mp.p.ptr(), gp, next)\n}"}),
	newRule("created", "runtime/proc.go", "newproc", 1,
		before{"runqput(pp, newg, true)", "if faultlineGate(newg) {\n return\n}"}),
	newRule("created as main of a bubble", "runtime/synctest.go", "synctestRun", 1,
		before{"runqput(pp, bubble.main, true)", "if faultlineGate(bubble.main) {\n return\n}"}),
	newRule("found in a run queue without a gate", "runtime/proc.go", "schedule", 1,
		before{"if sched.disable.user && !schedEnabled(gp) {\n _etc\n}",
			"if gp.bubble != nil && faultlineStray(gp) {\n goto top\n}"}),
	newRule("parks: flag", "runtime/proc.go", "park_m", 1,
		after{"bubble := gp.bubble", "faultlineParking := false"}),
	newRule("parks: begin", "runtime/proc.go", "park_m", 1,
		after{"bubble.incActive()", "faultlineParking = faultlineParkBegin(gp)"}),
	newRule("parks: abort", "runtime/proc.go", "park_m", 1,
		before{"execute(gp, true)", "if faultlineParking {\n faultlineParkAbort(bubble)\n}"}),
	newRule("parks: end", "runtime/proc.go", "park_m", 1,
		before{"schedule()", "if faultlineParking {\n faultlineParkEnd(bubble)\n}"}),
	newRule("yields with Gosched", "runtime/proc.go", "goschedImpl", 1,
		before{"if preempted && sched.gcwaiting.Load() {\n _etc\n} else {\n _etc\n}",
			"if !preempted && faultlineYield(gp) {\n schedule()\n}"}),
	newRule("yields for the runtime", "runtime/proc.go", "goschedguarded_m", 1,
		instead{"goschedImpl(gp, false)", "goschedImpl(gp, true)"}),
	newRule("yields", "runtime/proc.go", "goyield_m", 1,
		before{"runqput(pp, gp, false)", "if faultlineYield(gp) {\n schedule()\n}"}),
	newRule("ends: its bubble", "runtime/proc.go", "gdestroy", 1,
		before{"gp.bubble = nil", "faultlineBubble := gp.bubble"}),
	newRule("ends", "runtime/proc.go", "gdestroy", 1,
		after{"dropg()", "faultlineExit(faultlineBubble, gp)"}),
	newRule("switches coroutines: begin", "runtime/coro.go", "coroswitch_m", 1,
		after{"bubble.incActive()", "faultlineCoroBegin(bubble)"}),
	newRule("switches coroutines: end", "runtime/coro.go", "coroswitch_m", 1,
		before{"bubble.decActive()", "faultlineCoroEnd(bubble, gnext)"}),
	newRule("waits for a lock of the runtime", "runtime/sema.go", "semacquire", 1,
		instead{"semacquire1(addr, false, 0, 0, waitReasonSemacquire)",
			"gp := getg()\ngp.faultlineKeep = true\nsemacquire1(addr, false, 0, 0, waitReasonSemacquire)\ngp.faultlineKeep = false"}),
	newRule("spins on a mutex", "runtime/proc.go", "internal_sync_runtime_canSpin", 1,
		atStart{"if faultlineInRun() {\n return false\n}"}),
}

// values: random values and clocks.
var values = []rule{
	newRule("random values", "runtime/rand.go", "rand", 1,
		atStart{"if faultlineGuard != 0 {\n if x, ok := faultlineRand(); ok {\n return x\n}\n}"}),
	newRule("crypto/rand", "crypto/internal/sysrand/rand.go", "Read", 1,
		atStart{"if faultlineFill(b) {\n return\n}"}),
	newRule("order in which select polls", "runtime/select.go", "selectgo", 1,
		instead{"j := cheaprandn(uint32(norder + 1))",
			"var j uint32\nif faultlineGuard == 0 {\n j = cheaprandn(uint32(norder + 1))\n} else {\n j = faultlineSelectRand(uint32(norder + 1))\n}"}),
	newRule("order of timers of one instant", "runtime/time.go", "(*timer).maybeAdd", 1,
		instead{"t.rand = cheaprand()", "t.rand = faultlineTimerRand()"}),
	newRule("clock of mutex starvation", "runtime/sema.go", "internal_sync_nanotime", 1,
		atStart{"if now, ok := faultlineNow(); ok {\n return now\n}"}),
}

// The random state of a new thread. One may be started while a goroutine or a timer of a run is on the processor; what it
// draws is not the run's.
var (
	threads126 = only("go1.26", newRule("random state of a thread", "runtime/rand.go", "mrandinit", 1, notTheRuns))
	threads127 = only("go1.27", newRule("random state of a thread", "runtime/rand.go", "mrandinit", 2, notTheRuns))
	notTheRuns = expression{"rand()", "bootstrapRand()"}
)

// hashing: what decides the layout of maps.
var hashing = []rule{
	newRule("heap addresses", "runtime/malloc.go", "", 1,
		expression{"goexperiment.RandomizedHeapBase64", "false && goexperiment.RandomizedHeapBase64"}),
	newRule("map seeds", "internal/runtime/maps/map.go", "", 4, expression{"uintptr(rand())", "faultlineSeed()"}),
	newRule("map hashes", "internal/runtime/maps/map.go", "", 5, mapHash),
	newRule("map hashes", "internal/runtime/maps/table.go", "", 4, mapHash),
	newRule("map hashes", "internal/runtime/maps/table_debug.go", "", 1, mapHash),
	newRule("sync.Map seed", "internal/sync/hashtriemap.go", "", 1,
		instead{"ht.seed = uintptr(runtime_rand())", "ht.keyHash = faultlineHasher(mapType, ht.seed)"}),
	newRule("sync.Map hash", "internal/sync/hashtriemap.go", "", 1,
		instead{"ht.keyHash = mapType.Hasher", "ht.seed = faultlineSeed()"}),
	newRule("identities are freed with their objects", "runtime/mheap.go", "freeSpecial", 1,
		atStart{"if faultlineFreeIdentity(s) {\n return\n}"}),
}

var hashing126 = only("go1.26",
	newRule("hash keys", "runtime/alg.go", "", 2, expression{"bootstrapRand()", "faultlineHashKey()"}),
	newRule("map hashes", "internal/runtime/maps/runtime.go", "", 3, mapHash),
	newRule("map hashes", "internal/runtime/maps/runtime_fast32.go", "", 4, mapHash),
	newRule("map hashes", "internal/runtime/maps/runtime_fast64.go", "", 4, mapHash),
	newRule("map hashes", "internal/runtime/maps/runtime_faststr.go", "", 4, mapHash),
	newRule("maphash seeds", "hash/maphash/maphash_runtime.go", "randUint64", 1, maphashSeed),
	newRule("maphash of bytes", "hash/maphash/maphash_runtime.go", "rthash", 1, maphashBytes),
	newRule("maphash of values", "hash/maphash/maphash_runtime.go", "comparableHash", 1, maphashValue),
)

// In Go 1.27 the hash functions moved to package maps, and its fast paths call them directly.
var hashing127 = only("go1.27",
	newRule("hash keys", "internal/runtime/maps/runtime_alg.go", "", 2, expression{"bootstrapRand()", "faultlineHashKey()"}),
	newRule("map hashes", "internal/runtime/maps/runtime.go", "", 2, mapHash),
	newRule("map hashes", "internal/runtime/maps/runtime_fast32.go", "", 3, directMapHash),
	newRule("map hashes", "internal/runtime/maps/runtime_fast64.go", "", 3, directMapHash),
	newRule("map hashes", "internal/runtime/maps/runtime_faststr.go", "", 3, directMapHash),
	newRule("maphash seeds", "hash/maphash/maphash.go", "randUint64", 1, maphashSeed),
	newRule("maphash of bytes", "hash/maphash/maphash.go", "rthash", 1, maphashBytes),
	newRule("maphash of values", "hash/maphash/maphash.go", "comparableHash", 1, maphashValue),
)

var (
	mapHash = instead{"hash := typ.Hasher(_1, m.seed)",
		"var hash uintptr\nif m.seed&faultlineMark != faultlineMarked && faultlineRuns == 0 {\n hash = typ.Hasher(_1, m.seed)\n} else {\n hash = faultlineHash(typ, _1, m.seed)\n}"}
	directMapHash = after{"if memHashAESImplemented && UseAeshash {\n _etc\n} else {\n _etc\n}",
		"if (m.seed&faultlineMark == faultlineMarked || faultlineRuns != 0) && faultlineOwns(m.seed) {\n hash = faultlineTypeHash(typ.Key, abi.NoEscape(unsafe.Pointer(&key)), m.seed)\n}"}
	maphashSeed  = expression{"runtime_rand()", "faultlineSeed()"}
	maphashBytes = atStart{"if len(buf) > 0 {\n return faultlineHashBytes(unsafe.Pointer(&buf[0]), uintptr(len(buf)), seed)\n}"}
	maphashValue = expression{"(*abi.MapType)(unsafe.Pointer(mTyp)).Hasher", "faultlineHasher((*abi.MapType)(unsafe.Pointer(mTyp)))"}
)

// points: where a goroutine that could go on may give up the token. Before what acquires something, after what releases.
var points = []rule{
	newRule("send", "runtime/chan.go", "chansend", 1, atStart{point}),
	newRule("receive", "runtime/chan.go", "chanrecv", 1, atStart{point}),
	newRule("close", "runtime/chan.go", "closechan", 1, atStart{point}),
	newRule("select", "runtime/select.go", "selectgo", 1, atStart{point}),
	newRule("go statement", "runtime/proc.go", "newproc", 1, atEnd{point}),
	newRule("Mutex.Lock", "internal/sync/mutex.go", "(*Mutex).Lock", 1,
		expression{"atomic.CompareAndSwapInt32(&m.state, 0, mutexLocked)",
			"faultlineGuard == 0 && atomic.CompareAndSwapInt32(&m.state, 0, mutexLocked)"}),
	newRule("Mutex.Lock: slow path", "internal/sync/mutex.go", "(*Mutex).Lock", 1, expression{"m.lockSlow()", "m.faultlineLock()"}),
	newRule("Mutex.TryLock", "internal/sync/mutex.go", "(*Mutex).TryLock", 1, atStart{guarded}),
	newRule("Mutex.Unlock", "internal/sync/mutex.go", "(*Mutex).Unlock", 1, expression{"new != 0", "new != faultlineGuard"}),
	newRule("Mutex.Unlock: slow path", "internal/sync/mutex.go", "(*Mutex).Unlock", 1,
		expression{"m.unlockSlow(new)", "m.faultlineUnlock(new)"}),
	newRule("RWMutex.RLock", "sync/rwmutex.go", "(*RWMutex).RLock", 1,
		instead{"if rw.readerCount.Add(1) < 0 {\n _etc\n}",
			"if r := rw.readerCount.Add(1); r < faultlineGuard {\n rw.faultlineRLock(r)\n}"}),
	newRule("RWMutex.TryRLock", "sync/rwmutex.go", "(*RWMutex).TryRLock", 1, atStart{guarded}),
	newRule("RWMutex.RUnlock", "sync/rwmutex.go", "(*RWMutex).RUnlock", 1, expression{"r < 0", "r < faultlineGuard"}),
	newRule("RWMutex.RUnlock: slow path", "sync/rwmutex.go", "(*RWMutex).RUnlock", 1,
		expression{"rw.rUnlockSlow(r)", "rw.faultlineRUnlock(r)"}),
	newRule("RWMutex.Lock", "sync/rwmutex.go", "(*RWMutex).Lock", 1, atStart{guarded}),
	newRule("RWMutex.TryLock", "sync/rwmutex.go", "(*RWMutex).TryLock", 1, atStart{guarded}),
	newRule("RWMutex.Unlock", "sync/rwmutex.go", "(*RWMutex).Unlock", 1, atEnd{guarded}),
	newRule("sync.Map", "internal/sync/hashtriemap.go", "(*HashTrieMap).init", 1,
		expression{"ht.inited.Load() == 0", "ht.inited.Load() <= uint32(faultlineGuard)"}),
	newRule("sync.Map: slow path", "internal/sync/hashtriemap.go", "(*HashTrieMap).init", 1,
		expression{"ht.initSlow()", "ht.faultlineInit()"}),
	newRule("WaitGroup.Add", "sync/waitgroup.go", "(*WaitGroup).Add", 1, atStart{guarded}),
	newRule("WaitGroup.Wait", "sync/waitgroup.go", "(*WaitGroup).Wait", 1, atStart{guarded}),
	newRule("Once.Do", "sync/once.go", "(*Once).Do", 1, expression{"!o.done.Load()", "!o.done.Load() || faultlineGuard != 0"}),
	// In place: f may ask who calls it, so there must not be a frame more.
	newRule("Once.Do: slow path", "sync/once.go", "(*Once).doSlow", 1,
		atStart{"if faultlineGuard != 0 {\n faultlinePoint()\n if o.done.Load() {\n return\n}\n}"}),
	newRule("Cond.Wait", "sync/cond.go", "(*Cond).Wait", 1, atStart{guarded}),
	newRule("Cond.Signal", "sync/cond.go", "(*Cond).Signal", 1, atStart{guarded}),
	newRule("Cond.Broadcast", "sync/cond.go", "(*Cond).Broadcast", 1, atStart{guarded}),
}

// collector: how often these run depends on the heap, so they must not move the token or empty pools in the middle of a run.
var collector = []rule{
	newRule("yields of the collector", "runtime/mgc.go", "", 4, expression{"Gosched()", "faultlineGosched()"}),
	newRule("yields of assists", "runtime/mgcmark.go", "", 1, expression{"Gosched()", "faultlineGosched()"}),
	newRule("pools are kept during a run", "runtime/mgc.go", "clearpools", 1,
		expression{"poolcleanup != nil", "poolcleanup != nil && faultlineExactRuns == 0"}),
}
