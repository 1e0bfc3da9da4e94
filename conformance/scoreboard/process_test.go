// SPDX-License-Identifier: MPL-2.0

package scoreboard

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/conformance/scoreboard/driver"
)

func TestFollowReadsReportsAmongOutput(t *testing.T) {
	stdout := "kernel says\n" + driver.Prefix + `{"seed":3}` + "\nmore\n" + driver.Prefix + `{"seed":3,"done":true,"hit":true}` + "\nPASS\n"
	e := follow(strings.NewReader(stdout), patience{report: time.Hour, all: time.Hour}, func() { t.Error("the process was ended") })
	if e.last.Seed != 3 || !e.last.Hit || e.output != "kernel says\nmore\nPASS\n" || e.stalled || e.expired {
		t.Errorf("%+v", e)
	}
}

// A process that says nothing is ended, once.
func TestFollowEndsSilentProcess(t *testing.T) {
	stdout, process := io.Pipe()
	e := follow(stdout, patience{report: time.Millisecond, all: time.Hour}, func() { process.Close() })
	if !e.stalled {
		t.Errorf("%+v, want a stall", e)
	}
	stdout, process = io.Pipe()
	e = follow(stdout, patience{report: time.Hour, all: time.Millisecond}, func() { process.Close() })
	if !e.expired || e.stalled {
		t.Errorf("%+v, want an end for lack of time", e)
	}
}

func TestWhere(t *testing.T) {
	const dump = `SIGQUIT: quit

goroutine 7 gp=0xc1 m=3 mp=0xc2 [running, synctest bubble 4]:
runtime.chanrecv(0xc3)
	/go/src/runtime/chan.go:9 +0x1
goker.spin(0xc4)
	/tmp/x/kernels.go:70 +0x2
goker.Spins()
	/tmp/x/kernels.go:60 +0x2
created by goker.K in goroutine 5

goroutine 8 [chan receive (durable), synctest bubble 4]:
goker.waits()
	/tmp/x/kernels.go:80 +0x2

goroutine 9 [runnable]:
goker.outside()
	/tmp/x/kernels.go:90 +0x2
`
	if got, want := where(dump), "goker.spin kernels.go:70"; got != want {
		t.Errorf("where: %q, want %q", got, want)
	}
}
