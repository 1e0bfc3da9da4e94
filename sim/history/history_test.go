// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// ticking returns a clock that advances by a nanosecond with every call.
func ticking() func() kernel.Time {
	var now kernel.Time
	return func() kernel.Time {
		now++
		return now
	}
}

type put struct {
	Key   string `json:"key"`
	Value int64  `json:"value"`
}

// sample returns a history with an operation of each status.
func sample() *history.History {
	h := history.New(ticking())
	a := h.Invoke("c1", "put", put{"k<1>", 1<<63 - 1})
	b := h.Invoke("c2", "get", "k1")
	h.Complete(b, history.Fail, nil)
	c := h.Invoke("c2", "get", "k1")
	h.Complete(a, history.OK, nil)
	h.Complete(c, history.Info, "timeout\nafter 1 s")
	h.Invoke("c1", "del", nil)
	return h
}

func TestOpsAreInOrderOfInvocation(t *testing.T) {
	want := []history.Op{
		{ID: 1, Process: "c1", F: "put", Status: history.OK, Call: 1, Return: 5, CallIndex: 1, ReturnIndex: 5, Input: put{"k<1>", 1<<63 - 1}},
		{ID: 2, Process: "c2", F: "get", Status: history.Fail, Call: 2, Return: 3, CallIndex: 2, ReturnIndex: 3, Input: "k1"},
		{ID: 3, Process: "c2", F: "get", Status: history.Info, Call: 4, Return: 6, CallIndex: 4, ReturnIndex: 6, Input: "k1", Output: "timeout\nafter 1 s"},
		{ID: 4, Process: "c1", F: "del", Status: history.Pending, Call: 7, CallIndex: 7},
	}
	h := sample()
	if got := h.Ops(); !reflect.DeepEqual(got, want) {
		t.Errorf("the operations are\n%+v, want\n%+v", got, want)
	}
	h.Ops()[0].F = "changed"
	if h.Ops()[0].F != "put" {
		t.Error("a caller of Ops changed the history")
	}
}

func TestMisuseOfComplete(t *testing.T) {
	tests := []struct {
		name   string
		id     int
		status history.Status
		says   string
	}{
		{"id 0", 0, history.OK, "1 to 4"},
		{"unknown id", 5, history.OK, "1 to 4"},
		{"twice", 1, history.OK, `complete with status "ok"`},
		{"pending", 4, history.Pending, "ok, fail or info"},
		{"empty status", 4, "", "ok, fail or info"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.Contains(r, tt.says) {
					t.Errorf("panic %q does not say %q", r, tt.says)
				}
			}()
			sample().Complete(tt.id, tt.status, nil)
		})
	}
}

func TestHistoryIsSafeForGoroutines(t *testing.T) {
	h := history.New(func() kernel.Time { return 0 })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				h.Complete(h.Invoke("c", "f", nil), history.OK, nil)
			}
		})
	}
	wg.Wait()
	seen := map[int]bool{}
	for i, op := range h.Ops() {
		if op.ID != i+1 || op.Status != history.OK || seen[op.CallIndex] || seen[op.ReturnIndex] || op.CallIndex >= op.ReturnIndex {
			t.Fatalf("operation %d is %+v", i+1, op)
		}
		seen[op.CallIndex], seen[op.ReturnIndex] = true, true
	}
	if len(seen) != 1600 {
		t.Errorf("%d indices, want 1600", len(seen))
	}
}

func write(t *testing.T, ops []history.Op) string {
	t.Helper()
	var b bytes.Buffer
	if err := history.WriteJSONL(&b, ops); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFileFormat(t *testing.T) {
	golden, err := os.ReadFile("testdata/history.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	text := write(t, sample().Ops())
	if text != string(golden) {
		t.Errorf("the file is\n%s, want\n%s", text, golden)
	}
	ops, err := history.ReadJSONL(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, op := range sample().Ops() {
		got := ops[i]
		if op.Input != nil {
			op.Input = got.Input
		}
		if op.Output != nil {
			op.Output = got.Output
		}
		if !reflect.DeepEqual(got, op) {
			t.Errorf("operation %d was read as %+v, want %+v", i+1, got, op)
		}
	}
	var p put
	if err := json.Unmarshal(ops[0].Input.(json.RawMessage), &p); err != nil || p != (put{"k<1>", 1<<63 - 1}) {
		t.Errorf("the input was read as %+v, %v", p, err)
	}
	if again := write(t, ops); again != text {
		t.Errorf("written again the file is\n%s, want\n%s", again, text)
	}
}

func TestEmptyHistory(t *testing.T) {
	text := write(t, nil)
	if text != "{\"faultline_history\":1}\n" {
		t.Errorf("an empty history is written as %q", text)
	}
	if ops, err := history.ReadJSONL(strings.NewReader(text)); err != nil || len(ops) != 0 {
		t.Errorf("it is read as %v, %v", ops, err)
	}
}

func TestReaderTolerates(t *testing.T) {
	const op = `{"id":1,"process":"c","f":"get","status":"ok","call":0,"return":0,"call_index":1,"return_index":2,"color":"red","input":null}`
	for name, text := range map[string]string{
		"unknown fields":    `{"faultline_history":1,"tool":"x"}` + "\n" + op + "\n",
		"no last newline":   `{"faultline_history":1}` + "\n" + op,
		"carriage returns":  `{"faultline_history":1}` + "\r\n" + op + "\r\n",
		"spaces in objects": ` { "faultline_history" : 1 } ` + "\n " + op + " \n",
	} {
		ops, err := history.ReadJSONL(strings.NewReader(text))
		if err != nil || len(ops) != 1 || ops[0].F != "get" {
			t.Errorf("%s: %+v, %v", name, ops, err)
		}
	}
}

func TestReaderRejects(t *testing.T) {
	const (
		head = `{"faultline_history":1}` + "\n"
		good = `{"id":1,"process":"c","f":"get","status":"ok","call":5,"return":9,"call_index":1,"return_index":2}`
	)
	with := func(old, new string) string { return head + strings.Replace(good, old, new, 1) }
	tests := []struct{ name, text, says string }{
		{"empty file", "", "line 1: the file is empty"},
		{"no header", good, "line 1: no header"},
		{"header of another file", `{"faultline_trace":1}`, "line 1: no header"},
		{"text", "hello\n", "line 1: no header"},
		{"newer version", `{"faultline_history":2}`, "line 1: faultline_history 2 is newer than this build, which reads up to 1"},
		{"version 0", `{"faultline_history":0}`, "line 1: faultline_history 0: versions from 1"},
		{"version as text", `{"faultline_history":"1"}`, "line 1: no header"},
		{"empty line", head + "\n" + good, "line 2: no operation"},
		{"half a line", head + good[:40], "line 2: no operation"},
		{"second id", head + good + "\n" + good, "line 3: id 1: the operations are numbered from 1 in order, 2 is expected"},
		{"id", with(`"id":1`, `"id":0`), "line 2: id 0"},
		{"f", with(`"get"`, `""`), "line 2: f is empty"},
		{"status", with(`"ok"`, `"done"`), `line 2: status "done": ok, fail, info or pending is accepted`},
		{"no status", with(`"status":"ok",`, ``), `line 2: status "": ok, fail`},
		{"call", with(`"call":5`, `"call":-5`), "line 2: call -5"},
		{"call as text", with(`"call":5`, `"call":"5"`), "line 2: no operation"},
		{"call as fraction", with(`"call":5`, `"call":5.5`), "line 2: no operation"},
		{"return before call", with(`"return":9`, `"return":4`), "line 2: return 4: the operation was called at 5"},
		{"no return", with(`"return":9,`, ``), `line 2: return is missing: an operation with status "ok" has one`},
		{"pending with return", with(`"ok"`, `"pending"`), "line 2: return 9: a pending operation has none"},
		{"pending with return_index", head + `{"id":1,"f":"get","status":"pending","call":5,"call_index":1,"return_index":2}`, "line 2: return_index 2: a pending operation has none"},
		{"call_index", with(`"call_index":1`, `"call_index":0`), "line 2: call_index 0"},
		{"return_index", with(`"return_index":2`, `"return_index":1`), "line 2: return_index 1: a number above call_index 1"},
		{"index twice", head + good + "\n" + `{"id":2,"f":"get","status":"pending","call":5,"call_index":2}`, "line 3: call_index 2: a number from 1 that no other index has"},
	}
	for _, tt := range tests {
		ops, err := history.ReadJSONL(strings.NewReader(tt.text))
		if err == nil || ops != nil || !strings.HasPrefix(err.Error(), "history: ") || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %+v, %v; want an error that says %q", tt.name, ops, err, tt.says)
		}
	}
}

type brokenFile struct{ err error }

func (b brokenFile) Read([]byte) (int, error)  { return 0, b.err }
func (b brokenFile) Write([]byte) (int, error) { return 0, b.err }

func TestErrorsOfTheFile(t *testing.T) {
	broken := brokenFile{os.ErrClosed}
	if err := history.WriteJSONL(broken, sample().Ops()); err != os.ErrClosed {
		t.Errorf("WriteJSONL to a broken file: %v", err)
	}
	if _, err := history.ReadJSONL(broken); err == nil || !strings.Contains(err.Error(), "line 1: file already closed") {
		t.Errorf("ReadJSONL of a broken file: %v", err)
	}
}

func TestValuesUnfitForJSON(t *testing.T) {
	for _, op := range []history.Op{
		{ID: 7, F: "put", Status: history.Pending, Input: func() {}},
		{ID: 7, F: "put", Status: history.OK, Output: make(chan int)},
	} {
		err := history.WriteJSONL(&bytes.Buffer{}, []history.Op{op})
		if err == nil || !strings.Contains(err.Error(), "operation 7 (put): ") {
			t.Errorf("error %v does not name the operation", err)
		}
	}
}

// FuzzReadJSONL checks that the reader never panics, and that what it accepts is
// written and read again without a change.
func FuzzReadJSONL(f *testing.F) {
	golden, err := os.ReadFile("testdata/history.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Add([]byte(`{"faultline_history":2}`))
	f.Add([]byte(`{"faultline_history":1}` + "\n" + `{"id":1,"f":"x","status":"pending","call":1,"call_index":3,"input":[1, 2.50]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ops, err := history.ReadJSONL(bytes.NewReader(data))
		if err != nil {
			return
		}
		text := write(t, ops)
		again, err := history.ReadJSONL(strings.NewReader(text))
		if err != nil {
			t.Fatalf("what was accepted is rejected once written: %v\n%s", err, text)
		}
		if second := write(t, again); second != text {
			t.Fatalf("written again\n%s\nbecame\n%s", text, second)
		}
	})
}

// BenchmarkWriteRead is one operation to a file and back.
func BenchmarkWriteRead(b *testing.B) {
	h := history.New(ticking())
	for range b.N {
		h.Complete(h.Invoke("c1", "put", put{"k1", 1}), history.OK, nil)
	}
	var file bytes.Buffer
	b.ReportAllocs()
	b.ResetTimer()
	if err := history.WriteJSONL(&file, h.Ops()); err != nil {
		b.Fatal(err)
	}
	if ops, err := history.ReadJSONL(&file); err != nil || len(ops) != b.N {
		b.Fatal(len(ops), err)
	}
}
