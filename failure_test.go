// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"errors"
	"runtime/debug"
	"testing"

	"github.com/hmdsefi/faultline/sim/kernel"
)

func explode(v any) { panic(v) }

type table map[string]int

func (t table) set() { t["a"] = 1 }

func recovered(fn func()) (f *failure) {
	defer func() { f = panicFailure(recover(), debug.Stack()) }()
	fn()
	return nil
}

func TestPanicFailureNamesTheFunction(t *testing.T) {
	tests := []struct {
		name           string
		fn             func()
		check, message string
	}{
		{"value", func() { explode(7) }, modulePath + ".explode", "7 (int)"},
		{"error", func() { explode(errors.New("broken")) }, modulePath + ".explode", "broken (*errors.errorString)"},
		{"runtime error", func() { table(nil).set() }, modulePath + ".table.set", "assignment to entry in nil map"},
		{"panic while panicking", func() { defer explode(2); explode(1) }, modulePath + ".explode", "2 (int)"},
	}
	for _, tt := range tests {
		f := recovered(tt.fn)
		if f.check != tt.check || f.message != tt.message {
			t.Errorf("%s: check %q, message %q; want %q, %q", tt.name, f.check, f.message, tt.check, tt.message)
		}
	}
}

func TestHeadlines(t *testing.T) {
	at := moment{kernel.Time(5_873_034_010), 1455}
	f := &failure{kind: KindInvariant, check: "acked puts survive", moment: at}
	want := `invariant "acked puts survive" violated at t=5.873034010s (event 1455)`
	if got := f.headline(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, k := range []Kind{KindInvariant, KindFinal, KindPanic, KindFail, KindLimit, KindDeterminism, KindDeadlock, KindLeak, KindSetup, KindStall} {
		if headlines[k] == "" {
			t.Errorf("kind %s has no headline", k)
		}
	}
}

func TestSimFailureKeepsTheCause(t *testing.T) {
	cause := errors.New("cause")
	for _, tt := range []struct {
		err       error
		signature string
	}{
		{&failure{kind: KindFinal, check: "x", err: cause}, "final:x"},
		{kernel.ErrLimit, "limit:events"},
		{cause, "fail:the simulation"},
	} {
		f := simFailure(&kernel.Failure{Err: tt.err, At: 5, Event: 6}, 10)
		if f.signature() != tt.signature || f.moment != (moment{5, 6}) {
			t.Errorf("%v: %s at %v, want %s", tt.err, f.signature(), f.moment, tt.signature)
		}
		if !errors.Is(f, cause) && !errors.Is(f, kernel.ErrLimit) {
			t.Errorf("%v: the user's error is lost", tt.err)
		}
	}
}
