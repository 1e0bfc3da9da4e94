// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// attemptTB is the testing.TB of one attempt. Failures and skips stay in it until
// the attempt is over, so that a warm-up or a second attempt cannot fail the real
// test; what it logs reaches the real test at once if it is live, else never.
//
// All methods may be used by any goroutine of the attempt.
type attemptTB struct {
	testing.TB
	live bool
	now  func() moment
	temp func() string // the directory that TempDir makes others in
	dirs int

	ctx    context.Context
	cancel context.CancelFunc

	ended atomic.Bool // FailNow or SkipNow was called

	mu       sync.Mutex
	failed   bool
	skipped  bool
	messages []string // of Error and Fatal, or of Skip
	where    string   // the function that failed first
	place    place    // in it
	at       moment
	helpers  map[string]bool
	cleanups []func()
}

func newAttemptTB(s spec, now func() moment) *attemptTB {
	tb := &attemptTB{TB: s.test, live: s.live, temp: s.temp, now: now, helpers: make(map[string]bool)}
	tb.ctx, tb.cancel = context.WithCancel(context.Background())
	return tb
}

// Helper marks the calling function as one whose lines are not worth reporting.
func (tb *attemptTB) Helper() {
	pc, _, _, ok := runtime.Caller(1)
	if !ok {
		return
	}
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.helpers[runtime.FuncForPC(pc).Name()] = true
}

// caller returns the frame that called a method of tb, skipping helpers.
func (tb *attemptTB) caller() runtime.Frame {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])])
	first, more := frames.Next()
	for frame := first; ; frame, more = frames.Next() {
		if !tb.helpers[frame.Function] {
			return frame
		}
		if !more {
			return first
		}
	}
}

// record is called by the exported methods directly, which is what caller counts on.
func (tb *attemptTB) record(fail, log bool, text string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	frame := tb.caller()
	if fail {
		if !tb.failed {
			tb.failed, tb.at = true, tb.now()
			tb.where, tb.place = frame.Function, place{frame.File, frame.Line}
		}
		if log {
			tb.messages = append(tb.messages, text)
		}
	}
	if log && tb.live {
		prefix := fmt.Sprintf("%s:%d: ", filepath.Base(frame.File), frame.Line)
		io.WriteString(tb.TB.Output(), prefix+strings.ReplaceAll(text, "\n", "\n    ")+"\n")
	}
}

func (tb *attemptTB) end(skip bool, message string) {
	if skip {
		tb.mu.Lock()
		tb.skipped = true
		tb.messages = append(tb.messages, message)
		tb.mu.Unlock()
	}
	tb.ended.Store(true)
	runtime.Goexit()
}

func line(args []any) string { return strings.TrimSuffix(fmt.Sprintln(args...), "\n") }

func (tb *attemptTB) Log(args ...any) { tb.record(false, true, line(args)) }
func (tb *attemptTB) Logf(format string, args ...any) {
	tb.record(false, true, fmt.Sprintf(format, args...))
}
func (tb *attemptTB) Fail()             { tb.record(true, false, "") }
func (tb *attemptTB) Error(args ...any) { tb.record(true, true, line(args)) }
func (tb *attemptTB) Errorf(format string, args ...any) {
	tb.record(true, true, fmt.Sprintf(format, args...))
}

func (tb *attemptTB) FailNow() {
	tb.record(true, false, "")
	tb.end(false, "")
}

func (tb *attemptTB) Fatal(args ...any) {
	tb.record(true, true, line(args))
	tb.end(false, "")
}

func (tb *attemptTB) Fatalf(format string, args ...any) {
	tb.record(true, true, fmt.Sprintf(format, args...))
	tb.end(false, "")
}

func (tb *attemptTB) SkipNow() { tb.end(true, "") }

func (tb *attemptTB) Skip(args ...any) { tb.end(true, line(args)) }

func (tb *attemptTB) Skipf(format string, args ...any) { tb.end(true, fmt.Sprintf(format, args...)) }

func (tb *attemptTB) Failed() bool {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return tb.failed
}

func (tb *attemptTB) Skipped() bool {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return tb.skipped
}

// over reports whether FailNow or SkipNow was called, by any goroutine.
func (tb *attemptTB) over() bool { return tb.ended.Load() }

// message returns what Error, Fatal or Skip said.
func (tb *attemptTB) message() string {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return strings.Join(tb.messages, "\n")
}

// failure returns what Error, Fail or Fatal reported, or nil.
func (tb *attemptTB) failure() *failure {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if !tb.failed {
		return nil
	}
	message := strings.Join(tb.messages, "\n")
	if message == "" {
		message = "the test was marked as failed in " + tb.where
	}
	return &failure{kind: KindFail, check: tb.where, message: message, moment: tb.at, place: tb.place}
}

// Context is cancelled just before the cleanups of the attempt run.
func (tb *attemptTB) Context() context.Context { return tb.ctx }

// Cleanup registers fn to run at the end of the attempt.
func (tb *attemptTB) Cleanup(fn func()) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.cleanups = append(tb.cleanups, fn)
}

// runCleanups runs the cleanups, last one first, also those that a cleanup adds.
func (tb *attemptTB) runCleanups() {
	tb.cancel()
	for {
		tb.mu.Lock()
		n := len(tb.cleanups)
		if n == 0 {
			tb.mu.Unlock()
			return
		}
		fn := tb.cleanups[n-1]
		tb.cleanups = tb.cleanups[:n-1]
		tb.mu.Unlock()
		fn()
	}
}

// Output writes to the real test's log if the attempt is live.
func (tb *attemptTB) Output() io.Writer {
	if !tb.live {
		return io.Discard
	}
	return tb.TB.Output()
}

// Attr sets an attribute of the real test if the attempt is live.
func (tb *attemptTB) Attr(key, value string) {
	if tb.live {
		tb.TB.Attr(key, value)
	}
}

// TempDir returns an empty directory that is removed at the end of the attempt. It
// has the same name in every attempt of the process and draws no random number.
func (tb *attemptTB) TempDir() string {
	tb.mu.Lock()
	tb.dirs++
	dir := filepath.Join(tb.temp(), fmt.Sprintf("%03d", tb.dirs))
	tb.mu.Unlock()
	if err := os.Mkdir(dir, 0o777); err != nil {
		tb.Fatalf("cannot make a temporary directory: %v", err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Setenv sets a variable until the end of the attempt.
func (tb *attemptTB) Setenv(key, value string) {
	old, had := os.LookupEnv(key)
	if err := os.Setenv(key, value); err != nil {
		tb.Fatalf("cannot set environment variable: %v", err)
	}
	tb.Cleanup(func() {
		if had {
			os.Setenv(key, old)
		} else {
			os.Unsetenv(key)
		}
	})
}

// Chdir changes the working directory until the end of the attempt.
func (tb *attemptTB) Chdir(dir string) {
	old, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		tb.Fatalf("cannot change the working directory: %v", err)
	}
	tb.Cleanup(func() { os.Chdir(old) })
}
