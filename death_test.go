// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/internal/rerun"
)

const crashText = `
goroutine 11 [running, synctest bubble 1]:
example.com/kv.(*Store).flush(0x1f1748d003c0)
	/kv/store.go:12 +0x1b
created by example.com/kv.Open in goroutine 10
	/kv/store.go:7 +0x4a

goroutine 1 [chan receive]:
testing.(*T).Run(...)
exit status 2
`

func TestDeathOf(t *testing.T) {
	tests := map[string]struct {
		exit      rerun.Exit
		signature string
		message   string // a part of it
		stack     bool
	}{
		"panic": {rerun.Exit{Code: 2, Stderr: "noise\npanic: no disk\n" + crashText}, "panic:example.com/kv.(*Store).flush", "no disk", true},
		"panic of a process": {rerun.Exit{Code: 2, Stderr: "panic: no disk\n" + strings.Replace(crashText, "bubble 1]", `bubble 1 labels:{"faultline.process": "n1#2"}]`, 1)},
			"panic:example.com/kv.(*Store).flush", "n1#2: no disk", true},
		"panic in a test":   {rerun.Exit{Code: 2, Stderr: "panic: no disk [recovered, repanicked]\n" + crashText}, "panic:example.com/kv.(*Store).flush", "no disk", true},
		"address":           {rerun.Exit{Code: 2, Stderr: "panic: (kv.T) 0xc00012a000\n" + crashText}, "panic:example.com/kv.(*Store).flush", "(kv.T) 0xc00012a000", true},
		"fatal error":       {rerun.Exit{Code: 2, Stderr: "fatal error: concurrent map writes\n" + crashText}, "panic:example.com/kv.(*Store).flush", "fatal error: concurrent map writes", true},
		"no stack":          {rerun.Exit{Code: 2, Stderr: "fatal error: out of memory\n"}, "panic:an unknown function", "fatal error: out of memory", false},
		"time limit":        {rerun.Exit{Code: 2, Stderr: "panic: test timed out after 1m0s\n" + crashText}, "stall:run", "-test.timeout", false},
		"data race":         {rerun.Exit{Code: 66, Stderr: "==================\nWARNING: DATA RACE\nWrite at 0x1 by goroutine 7:\n"}, "fail:data race", "Write at 0x1 by goroutine 7", false},
		"two data races":    {rerun.Exit{Code: 66, Stderr: "=====\nWARNING: DATA RACE\nWrite at 0x1 by goroutine 7:\n======\n======\nWARNING: DATA RACE\n"}, "fail:data race", ":\nWrite at 0x1 by goroutine 7:", false},
		"race and panic":    {rerun.Exit{Code: 2, Stderr: "WARNING: DATA RACE\npanic: no disk\n" + crashText}, "panic:example.com/kv.(*Store).flush", "no disk", true},
		"exit":              {rerun.Exit{Code: 3, State: "exit status 3"}, "fail:the process", "it ended with exit status 3 before the run was over", false},
		"last words":        {rerun.Exit{Code: 3, State: "exit status 3", Stdout: "on\n", Stderr: "no disk\n"}, "fail:the process", "its last output:\non\nno disk", false},
		"signal":            {rerun.Exit{Code: -1, State: "signal: killed"}, "fail:the process", "it ended with signal: killed", false},
		"a word of a panic": {rerun.Exit{Code: 1, State: "exit status 1", Stderr: "don't panic: all is well\n"}, "fail:the process", "exit status 1", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := deathOf(tt.exit)
			if f.signature() != tt.signature || !strings.Contains(f.message, tt.message) || strings.Contains(f.stack, "flush") != tt.stack {
				t.Errorf("%s: %q, stack %q", f.signature(), f.message, f.stack)
			}
			if strings.Contains(f.stack, "testing.(*T).Run") {
				t.Errorf("the stack has other goroutines: %q", f.stack)
			}
			if strings.Contains(f.headline(), "t=0") {
				t.Errorf("%q names a time, which is not known", f.headline())
			}
			o := &outcome{failure: f}
			if files := o.extraFiles(); string(files["stderr.txt"]) != tt.exit.Stderr {
				t.Errorf("the artifact gets %q", files)
			}
		})
	}
}
