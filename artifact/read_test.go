// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	seam "github.com/hmdsefi/faultline/runtime"
	"github.com/hmdsefi/faultline/sched/decisions"
	"github.com/hmdsefi/faultline/sim/kernel"
)

func TestReadNamesFileAndLine(t *testing.T) {
	replace := func(old, new string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, new, 1) }
	}
	for name, c := range map[string]struct {
		file   string
		damage func(string) string
		want   string
	}{
		"no report":            {ReportFile, nil, "not an artifact directory, it has no report.json"},
		"newer report":         {ReportFile, replace(`"faultline_report": 1`, `"faultline_report": 2, "status": 7`), "report.json: faultline_report version 2 is newer than this faultline reads (up to 1)"},
		"no version":           {ReportFile, replace(`"faultline_report": 1,`, ``), `report.json: no field "faultline_report" with a version from 1 to 1`},
		"truncated report":     {ReportFile, func(s string) string { return s[:len(s)/2] }, "report.json: line "},
		"status of its own":    {ReportFile, replace(`"status": "fail"`, `"status": "maybe"`), `report.json: status is "maybe", want "pass" or "fail"`},
		"type of its own":      {ReportFile, replace(`"seed_index": 3`, `"seed_index": "three"`), "report.json: line 9: json:"},
		"seed out of range":    {ReportFile, replace(`"seed": "0x2`, `"seed": "0x12`), "report.json: number"},
		"no node":              {ReportFile, replace(`"id": 2`, `"id": 0`), `report.json: id of node "c1" is 0, want 1 to 1048576`},
		"node beyond all":      {ReportFile, replace(`"id": 2`, `"id": 1099511627776`), `report.json: id of node "c1" is 1099511627776, want 1 to 1048576`},
		"fail without failure": {ReportFile, replace(`"failure": {`, `"fault": {`), `report.json: status is "fail", but there is no failure`},
		"foreign file listed":  {ReportFile, replace(`"cycle.dot"`, `"../../secret"`), `files: extra file "../../secret" was left out`},
		"missing trace":        {TraceFile, nil, "trace.jsonl: no such file"},
		"empty trace":          {TraceFile, func(string) string { return "" }, "trace.jsonl: line 1: no header"},
		"newer trace":          {TraceFile, replace(`"faultline_trace":1`, `"faultline_trace":3`), "trace.jsonl: line 1: faultline_trace version 3 is newer"},
		"truncated trace":      {TraceFile, func(s string) string { return strings.Join(strings.SplitAfter(s, "\n")[:5], "") }, "trace.jsonl: line 5: the file ends after 4 records, but its header promises 14"},
		"torn trace line":      {TraceFile, replace(`"kind":"net.send","cause":3,`, `"kind`), "trace.jsonl: line 5: invalid"},
		"unknown node":         {TraceFile, replace(`"node":"c1"`, `"node":"c9"`), `trace.jsonl: line 3: node "c9" is not among those of the header`},
		"sequence goes back":   {TraceFile, replace(`"seq":3`, `"seq":1`), "trace.jsonl: line 4: seq is 1, want more than the 2 before it"},
		"cause in the future":  {TraceFile, replace(`"cause":2`, `"cause":12`), "trace.jsonl: line 4: cause is 12, want less than the seq 3"},
		"no kind":              {TraceFile, replace(`"kind":"boot",`, ``), "trace.jsonl: line 2: no kind"},
		"attrs of numbers":     {TraceFile, replace(`"to":"n1"`, `"to":1`), `trace.jsonl: line 5: attrs: value of "to"`},
		"bad schedule":         {ScheduleFile, replace(`"node": "n1"`, `"nodes": "n1"`), `schedule.json: fault: event 1 (crash at 8ms), field "node": is missing`},
		"bad history":          {HistoryFile, replace(`"status":"ok"`, `"status":"so-so"`), "history.jsonl: history: line 2"},
		"bad gaps":             {GapsFile, replace("store.go:12", "store.go"), "toolexec-gaps.txt: gaps: line 4"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := mustWrite(t, t.TempDir(), sampleRun())
			path := filepath.Join(dir, c.file)
			if c.damage == nil {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else {
				before := readAll(t, dir)[c.file]
				after := c.damage(before)
				if before == after {
					t.Fatal("the case damages nothing")
				}
				if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			run, err := Read(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if run != nil {
				t.Error("a run besides the error")
			}
		})
	}
}

func TestReadIgnoresWhatItDoesNotKnow(t *testing.T) {
	dir := mustWrite(t, t.TempDir(), sampleRun())
	want, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string][2]string{
		ReportFile: {`"status":`, `"mood": {"a": [1]}, "status":`},
		TraceFile:  {`"seq":3,`, `"seq":3,"goroutine":[7],`},
	} {
		text := strings.Replace(readAll(t, dir)[name], edit[0], edit[1], 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Read = %+v, %v\nwant %+v", got, err, want)
	}
}

func TestReadRefusesOtherThings(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                          "not an artifact directory, it has no report.json",
		filepath.Join(dir, "absent"): "not an artifact directory, it has no report.json",
	} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ReportFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "report.json: not a regular file") {
		t.Errorf("report.json is a directory: error %v", err)
	}
}

func TestReadRefusesHugeFiles(t *testing.T) {
	for name, size := range map[string]int64{TraceFile: maxLines + 1, ReportFile: maxWhole + 1} {
		dir := mustWrite(t, t.TempDir(), sampleRun())
		path := filepath.Join(dir, name)
		if err := os.Truncate(path, size); err != nil { // a sparse file
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), name+": has ") {
			t.Errorf("%s of %d bytes: error %v", name, size, err)
		}
	}
}

func TestRender(t *testing.T) {
	dir := mustWrite(t, t.TempDir(), sampleRun())
	want := readAll(t, dir)
	for _, name := range []string{ConsoleFile, TimelineFile, DiagramFile} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("stale"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names, err := Render(dir)
	if err != nil || strings.Join(names, " ") != "report.txt timeline.txt timeline.html hb.mmd" {
		t.Errorf("Render = %v, %v", names, err)
	}
	if got := readAll(t, dir); !reflect.DeepEqual(got, want) {
		t.Errorf("after Render the directory differs from what Write wrote")
	}
	if _, err := Render(t.TempDir()); err == nil {
		t.Error("Render of an empty directory gave no error")
	}
}

func FuzzReadTrace(f *testing.F) {
	var good bytes.Buffer
	if err := writeTrace(&good, sampleRun()); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte(`{"faultline_trace":1,"records":1,"nodes":["a"]}` + "\n" + `{"seq":1,"kind":"k","attrs":{"a":"b","a":"c"}}`))
	f.Add([]byte(`{"faultline_trace":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := readTrace(bytes.NewReader(data))
		if err != nil {
			return
		}
		run := sampleRun()
		run.Records = records
		run.Report.Nodes = nil
		var first, second bytes.Buffer
		for i := range records {
			records[i].Node = 0 // the fuzzer's names may repeat
		}
		if err := writeTrace(&first, run); err != nil {
			t.Fatal(err)
		}
		run.Records, err = readTrace(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("readTrace refuses what writeTrace wrote: %v", err)
		}
		if err := writeTrace(&second, run); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("second writeTrace (%v) wrote\n%s\nfirst\n%s", err, second.Bytes(), first.Bytes())
		}
		if kernel.HashRecords(records) != kernel.HashRecords(run.Records) {
			t.Fatal("the hash differs")
		}
		checkTexts(t, run)
	})
}

func FuzzReadReport(f *testing.F) {
	var good bytes.Buffer
	run := sampleRun()
	run.Report = complete(run)
	if err := writeReport(&good, run); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte(`{"faultline_report":1,"status":"pass","test":"T"}`))
	f.Add([]byte(`{"faultline_report":7}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := readReport(bytes.NewReader(data))
		if err != nil {
			return
		}
		run := &Run{Report: report}
		var file bytes.Buffer
		if err := writeReport(&file, run); err != nil {
			t.Fatal(err)
		}
		if _, err := readReport(bytes.NewReader(file.Bytes())); err != nil {
			t.Fatalf("readReport refuses what writeReport wrote: %v\n%s", err, file.Bytes())
		}
		run.Records = sampleRun().Records
		checkTexts(t, run)
	})
}

func TestReadDecisions(t *testing.T) {
	run := sampleRun()
	run.Decisions = &decisions.Log{Seed: 7, Strategy: "pct", Decisions: []decisions.Decision{
		{Kind: seam.HandOver, Goroutine: 2, Waiting: 2, Place: "main.main /src/main.go:7"}, {Kind: seam.MayYield, Goroutine: 2},
	}}
	dir := mustWrite(t, t.TempDir(), run)
	got, err := Read(dir)
	if err != nil || !reflect.DeepEqual(got.Decisions, run.Decisions) {
		t.Errorf("read %+v, %v", got, err)
	}
	path := filepath.Join(dir, DecisionsFile)
	for text, want := range map[string]string{
		"":                          "decisions.txt: line 1: the log is cut off",
		"faultline_decisions 2\n":   "decisions.txt: line 1: faultline_decisions is 2, and this version of faultline reads up to 1",
		"faultline_decisions 1\nx ": "decisions.txt: line 2: begins with \"x\"",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
