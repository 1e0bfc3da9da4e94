// SPDX-License-Identifier: MPL-2.0

package decisions

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	seam "github.com/hmdsefi/faultline/runtime"
)

const sampleLog = `faultline_decisions 1
seed 0x00000000000003f7
strategy random
may-yield 1 stays 2
place 1 main.worker /home/u/main.go:17
hand-over 5 of 3 at 1
yields 5 stays 1
time-passes 33554433
place 2 ?
may-yield 4 of 1 at 2
hand-over 5 of 2 at 1
truncated
end 7
`

func TestLogText(t *testing.T) {
	want := &Log{Seed: 1015, Strategy: "random", Truncated: true, Decisions: []Decision{
		{Kind: seam.MayYield, Goroutine: 1},
		{Kind: seam.MayYield, Goroutine: 1},
		{Kind: seam.HandOver, Goroutine: 5, Waiting: 3, Place: "main.worker /home/u/main.go:17"},
		{Kind: seam.Yields, Goroutine: 5},
		{Kind: seam.TimePasses, Answer: 2<<24 + 1},
		{Kind: seam.MayYield, Goroutine: 4, Waiting: 1, Place: "?"},
		{Kind: seam.HandOver, Goroutine: 5, Waiting: 2, Place: "main.worker /home/u/main.go:17"},
	}}
	got, err := Read(strings.NewReader(sampleLog))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	var text bytes.Buffer
	if err := want.Write(&text); err != nil || text.String() != sampleLog {
		t.Errorf("wrote, with error %v,\n%s\nwant\n%s", err, &text, sampleLog)
	}
}

func TestReadRefuses(t *testing.T) {
	const begin = "faultline_decisions 1\n"
	tests := map[string]struct{ text, want string }{
		"nothing":         {"", "line 1: the log is cut off"},
		"another file":    {"hello\n", `line 1: begins with "hello"; the first line of a log is faultline_decisions 1`},
		"newer version":   {"faultline_decisions 2\n", "line 1: faultline_decisions is 2, and this version of faultline reads up to 1"},
		"cut off":         {begin + "seed 1\n", "line 3: the log is cut off"},
		"unknown word":    {begin + "x\n", `line 2: begins with "x"; accepted are seed, strategy, place, hand-over, may-yield, yields, time-passes, truncated and end`},
		"bad seed":        {begin + "seed x\n", `line 2: seed "x" is not a number`},
		"unlisted place":  {begin + "hand-over 1 of 1 at 1\n", "line 2: place 1 is not listed before"},
		"skipped place":   {begin + "place 2 x\n", "line 2: place \"2 x\"; expected number 1 and the place"},
		"stays blocked":   {begin + "hand-over 1 stays 3\n", "line 2: decision \"1 stays 3\""},
		"too many":        {begin + "may-yield 1 stays 1048577\n", "a log has at most 1048576"},
		"wrong count":     {begin + "may-yield 1 stays 2\nend 3\n", "line 3: the log says that it has 3 decisions, but has 2"},
		"behind the end":  {begin + "end 0\nseed 1\n", "line 3: there is something behind the end"},
		"nobody waited":   {begin + "place 1 x\nyields 1 of 0 at 1\n", "line 3: 0 goroutines that waited"},
		"goroutine":       {begin + "yields x stays 1\n", `line 2: goroutine "x" is not a number`},
		"pace":            {begin + "time-passes x\n", `line 2: time-passes "x" is not a number of 32 bits`},
		"words are short": {begin + "yields 1\n", `line 2: decision "1"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sampleLog))
	f.Add([]byte("faultline_decisions 1\nend 0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var text bytes.Buffer
		if err := log.Write(&text); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&text)
		if err != nil {
			t.Fatalf("cannot read what was written: %v", err)
		}
		if !reflect.DeepEqual(log, again) {
			t.Errorf("read %+v after writing %+v", again, log)
		}
	})
}
