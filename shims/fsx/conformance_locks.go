// SPDX-License-Identifier: MPL-2.0

package fsx

import (
	"errors"
	"io/fs"
	"os"
)

// lockStatements are about [Locker]. They state nothing of an FS that has no locks.
var lockStatements = []statement{
	{"a lock excludes all others", withLocks(lockExcludes)},
	{"shared locks go together", withLocks(lockShares)},
	{"a lock belongs to the File", withLocks(lockBelongsToFile)},
	{"a second Lock of a File changes nothing", withLocks(lockTwice)},
	{"Close lets go of the lock", withLocks(lockEndsWithClose)},
	{"a lock changes its mode", withLocks(lockChangesMode)},
	{"a change of mode that fails loses the lock", withLocks(lockLostInChange)},
	{"Unlock without a lock succeeds", withLocks(lockNotHeld)},
	{"Lock waits for Unlock", withLocks(lockWaits)},
	{"readers wait for a writer, and come in together", withLocks(lockWaitsShared)},
	{"a lock keeps nobody from the file", withLocks(lockIsAdvisory)},
	{"a lock follows the file and not the name", withLocks(lockFollowsFile)},
	{"a directory can be locked", withLocks(lockDirectory)},
	{"locks of a closed File fail", withLocks(lockClosed)},
}

func withLocks(run func(p *probe)) func(p *probe) {
	return func(p *probe) {
		f := p.open(p.file("lock-probe", ""), os.O_RDONLY)
		err := f.Unlock()
		p.ok("Close", f.Close())
		if !errors.Is(err, errors.ErrUnsupported) {
			run(p)
		}
	}
}

// two opens a new file twice, once for reading only: a lock needs no permission to write.
func (p *probe) two() (a, b File) {
	path := p.file("f", "")
	return p.open(path, os.O_RDWR), p.open(path, os.O_RDONLY)
}

// tries states what a try to lock reports.
func (p *probe) tries(step string, try func() (bool, error), want bool) {
	got, err := try()
	p.ok(step, err)
	p.same(step, got, want)
}

func (p *probe) closes(files ...File) {
	for _, f := range files {
		p.ok("Close", f.Close())
	}
}

func lockExcludes(p *probe) {
	a, b := p.two()
	p.ok("Lock", a.Lock())
	p.tries("TryLock of a locked file", b.TryLock, false)
	p.tries("TryRLock of a locked file", b.TryRLock, false)
	p.ok("Unlock", a.Unlock())
	p.tries("TryLock after Unlock", b.TryLock, true)
	p.tries("TryLock by the former holder", a.TryLock, false)
	p.closes(a, b)
}

func lockShares(p *probe) {
	a, b := p.two()
	c := p.open(p.in("f"), os.O_WRONLY)
	p.ok("RLock", a.RLock())
	p.tries("TryRLock beside a shared lock", b.TryRLock, true)
	p.tries("TryLock beside shared locks", c.TryLock, false)
	p.ok("Unlock", a.Unlock())
	p.tries("TryLock beside one shared lock", c.TryLock, false)
	p.ok("Unlock", b.Unlock())
	p.tries("TryLock after both", c.TryLock, true)
	p.closes(a, b, c)
}

func lockBelongsToFile(p *probe) {
	a, b := p.two()
	p.ok("Lock", a.Lock())
	p.ok("Unlock of a File that has no lock", b.Unlock())
	p.tries("TryLock", b.TryLock, false)
	p.ok("Close of a File that has no lock", b.Close())
	c := p.open(p.in("f"), os.O_RDONLY)
	p.tries("TryLock", c.TryLock, false)
	p.closes(a, c)
}

func lockTwice(p *probe) {
	a, b := p.two()
	p.ok("Lock", a.Lock())
	p.ok("second Lock", a.Lock())
	p.tries("TryLock by the holder", a.TryLock, true)
	p.ok("Unlock", a.Unlock())
	p.tries("TryLock after one Unlock", b.TryLock, true)
	p.closes(a, b)
}

func lockEndsWithClose(p *probe) {
	a, b := p.two()
	p.ok("Lock", a.Lock())
	p.ok("Close", a.Close())
	p.tries("TryLock after Close", b.TryLock, true)
	p.closes(b)
}

func lockChangesMode(p *probe) {
	a, b := p.two()
	p.ok("Lock", a.Lock())
	p.ok("RLock by the holder", a.RLock())
	p.tries("TryRLock after it", b.TryRLock, true)
	p.ok("Unlock", b.Unlock())
	p.ok("Lock by the only one that shares", a.Lock())
	p.tries("TryRLock after that", b.TryRLock, false)
	p.closes(a, b)
}

func lockLostInChange(p *probe) {
	a, b := p.two()
	p.ok("RLock", a.RLock())
	p.ok("RLock", b.RLock())
	p.tries("TryLock beside another", a.TryLock, false)
	p.tries("TryLock of the other", b.TryLock, true)
	p.closes(a, b)
}

func lockNotHeld(p *probe) {
	a, b := p.two()
	p.ok("Unlock", a.Unlock())
	p.closes(a, b)
}

func lockWaits(p *probe) {
	a, b := p.two()
	p.ok("Lock", a.Lock())
	got := make(chan error)
	go func() { got <- b.Lock() }()
	p.ok("WriteString", second(a.WriteString("x")))
	p.ok("Unlock", a.Unlock())
	p.ok("Lock that may have waited", <-got)
	p.tries("TryLock after it", a.TryLock, false)
	p.closes(a, b)
}

func lockWaitsShared(p *probe) {
	a, b := p.two()
	c := p.open(p.in("f"), os.O_RDONLY)
	p.ok("Lock", a.Lock())
	got := make(chan error)
	for _, f := range []File{b, c} {
		go func() { got <- f.RLock() }()
	}
	p.ok("Close", a.Close())
	p.ok("RLock", <-got)
	p.ok("RLock", <-got)
	p.closes(b, c)
}

func lockIsAdvisory(p *probe) {
	a, b := p.two()
	p.ok("Lock", a.Lock())
	p.ok("WriteFile", p.WriteFile(p.in("f"), []byte("x"), 0o644))
	p.holds(p.in("f"), "x")
	p.closes(a, b)
}

func lockFollowsFile(p *probe) {
	a, b := p.two()
	p.ok("Lock", a.Lock())
	p.ok("Rename", p.Rename(p.in("f"), p.in("g")))
	other := p.open(p.file("f", ""), os.O_RDONLY)
	p.tries("TryLock of a new file of the old name", other.TryLock, true)
	p.tries("TryLock of the renamed file", b.TryLock, false)
	p.ok("Remove", p.Remove(p.in("g")))
	p.tries("TryLock of the removed file", b.TryLock, false)
	p.ok("Unlock", a.Unlock())
	p.tries("TryLock of the removed file", b.TryLock, true)
	p.closes(a, b, other)
}

func lockDirectory(p *probe) {
	path := p.mkdir("d")
	a, b := p.open(path, os.O_RDONLY), p.open(path, os.O_RDONLY)
	p.ok("Lock", a.Lock())
	p.tries("TryLock", b.TryLock, false)
	p.closes(a, b)
}

func lockClosed(p *probe) {
	a, b := p.two()
	p.closes(a, b)
	p.fails("Lock", a.Lock(), fs.ErrClosed)
	p.fails("RLock", a.RLock(), fs.ErrClosed)
	p.fails("TryLock", second(a.TryLock()), fs.ErrClosed)
	p.fails("TryRLock", second(a.TryRLock()), fs.ErrClosed)
	p.fails("Unlock", a.Unlock(), fs.ErrClosed)
	var named *fs.PathError
	if err := a.Lock(); !errors.As(err, &named) || named.Op != "lock" || named.Path != p.in("f") {
		panic(finding{errors.New("the error of Lock does not name the operation and the file: " + err.Error())})
	}
}

func second[T any](_ T, err error) error { return err }
