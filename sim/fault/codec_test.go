// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/simnet"
)

var update = flag.Bool("update", false, "write the golden files")

// everyKind is a schedule with an event of every kind.
func everyKind() *Schedule {
	s := &Schedule{
		End:      10 * time.Second,
		Recovery: 7500 * time.Millisecond,
		Idle:     []time.Duration{time.Second, time.Second, 2 * time.Second},
	}
	for i, c := range kindCases {
		e := c.event
		e.ID, e.At = 2*i+1, time.Duration(i)*time.Second
		s.Events = append(s.Events, e)
		if c.undo == KindHeal {
			s.Events = append(s.Events, Event{ID: 2*i + 2, At: e.At, Kind: c.undo, Undoes: e.ID})
		}
	}
	return s
}

// compareGolden compares what s is written as with a file, or writes the file.
func compareGolden(t *testing.T, name string, s *Schedule) {
	t.Helper()
	var got bytes.Buffer
	if err := s.Write(&got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the schedule is\n%s\nwant\n%s", got.Bytes(), want)
	}
}

func TestScheduleGolden(t *testing.T) {
	compareGolden(t, "every-kind.json", everyKind())
}

func TestReadScheduleReturnsWhatWriteWrote(t *testing.T) {
	var file bytes.Buffer
	if err := everyKind().Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := ReadSchedule(&file)
	if err != nil || !reflect.DeepEqual(read, everyKind()) {
		t.Errorf("ReadSchedule = %+v, %v, want %+v", read, err, everyKind())
	}
}

func TestEmptySchedule(t *testing.T) {
	var file bytes.Buffer
	if err := (&Schedule{}).Write(&file); err != nil {
		t.Fatal(err)
	}
	if s, err := ReadSchedule(&file); err != nil || len(s.Events) != 0 {
		t.Errorf("ReadSchedule = %+v, %v", s, err)
	}
}

func TestReadScheduleNamesThePlace(t *testing.T) {
	const head = `{"faultline_schedule": 1, "end": 10, "recovery": 0, "events": [`
	events := func(list string) string { return head + list + "]}" }
	second := func(e string) string { return events(`{"id":1,"at":1,"kind":"heal"},` + e) }
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "fault: schedule line 1: unexpected end"},
		"syntax":            {"{\n\n\"end\": x}", "fault: schedule line 3: invalid character"},
		"more behind it":    {events("") + "x", "fault: schedule line 1: invalid character 'x'"},
		"no object":         {"[]", "fault: schedule: is not a JSON object"},
		"no version":        {"{}", `fault: schedule field "faultline_schedule": is missing`},
		"newer version":     {`{"faultline_schedule": 2, "what": 1}`, "fault: faultline_schedule version 2 is newer than this faultline reads (up to 1)"},
		"older version":     {`{"faultline_schedule": 0}`, `fault: schedule field "faultline_schedule": is 0, want 1 to 1`},
		"no end":            {`{"faultline_schedule": 1, "recovery": 1, "events": []}`, `fault: schedule field "end": is missing`},
		"unknown field":     {`{"faultline_schedule": 1, "end": 1, "recovery": 1, "events": [], "name": 1}`, `fault: schedule field "name": is unknown`},
		"repeated field":    {`{"faultline_schedule": 1, "end": 1, "end": 1}`, `fault: schedule: has the field "end" twice`},
		"negative end":      {`{"faultline_schedule": 1, "end": -1, "recovery": 1, "events": []}`, `fault: schedule field "end": is -1ns`},
		"end in words":      {`{"faultline_schedule": 1, "end": "1s", "recovery": 1, "events": []}`, `fault: schedule field "end": is "1s", want a whole number`},
		"falling idle":      {`{"faultline_schedule": 1, "end": 1, "recovery": 1, "idle": [3,2], "events": []}`, `fault: schedule field "idle": 2ns stands behind 3ns`},
		"event no object":   {events(`7`), "fault: event #1 of the list: is not a JSON object"},
		"no kind":           {events(`{"id":1,"at":1}`), `fault: event 1, field "kind": is missing`},
		"unknown kind":      {events(`{"id":1,"at":1,"kind":"melt"}`), `fault: event 1, field "kind": is "melt", want one of partition,`},
		"no id":             {events(`{"at":1,"kind":"heal"}`), `fault: event #1 of the list, field "id": is missing`},
		"null id":           {events(`{"id":null,"at":1,"kind":"heal"}`), `fault: event #1 of the list, field "id": is null, want a whole number`},
		"repeated id":       {second(`{"id":1,"at":1,"kind":"heal"}`), `fault: event 1 (heal at 1ns), field "id": is 1, want`},
		"falling time":      {second(`{"id":2,"at":0,"kind":"heal"}`), `fault: event 2 (heal at 0s), field "at": is 0s, but the event before it is at 1ns`},
		"field too many":    {second(`{"id":2,"at":1,"kind":"heal","node":"a"}`), `fault: event 2 (heal at 1ns), field "node": is not a field of kind heal, want no field besides`},
		"field too few":     {second(`{"id":2,"at":1,"kind":"crash"}`), `fault: event 2 (crash at 1ns), field "node": is missing`},
		"wrong type":        {second(`{"id":2,"at":1,"kind":"crash","node":3}`), `fault: event 2 (crash at 1ns), field "node": is 3, want a string`},
		"empty node":        {second(`{"id":2,"at":1,"kind":"crash","node":""}`), `fault: event 2 (crash at 1ns), field "node": is empty`},
		"repeated member":   {second(`{"id":2,"at":1,"kind":"crash","node":"a","node":"b"}`), `fault: event #2 of the list: has the field "node" twice`},
		"undoes nothing":    {second(`{"id":2,"at":1,"kind":"heal","undoes":9}`), `fault: event 2 (heal at 1ns), field "undoes": is 9, and no earlier event`},
		"undoes itself":     {second(`{"id":2,"at":1,"kind":"heal","undoes":2}`), `field "undoes": is 2, and no earlier event`},
		"same ends":         {second(`{"id":2,"at":1,"kind":"cut","from":"a","to":"a"}`), `field "to": is "a" like from`},
		"one group":         {second(`{"id":2,"at":1,"kind":"partition","groups":[["a"]]}`), `field "groups": has 1 groups`},
		"empty group":       {second(`{"id":2,"at":1,"kind":"partition","groups":[["a"],[]]}`), `field "groups": has an empty group`},
		"node in both":      {second(`{"id":2,"at":1,"kind":"partition","groups":[["a"],["a"]]}`), `field "groups": names "a" twice`},
		"jump of 0":         {second(`{"id":2,"at":1,"kind":"clock-jump","node":"a","by":0}`), `field "by": is 0`},
		"drift too fast":    {second(`{"id":2,"at":1,"kind":"clock-drift","node":"a","ppm":600000}`), `field "ppm": is 600000, want -500000 to 500000`},
		"count below -1":    {second(`{"id":2,"at":1,"kind":"sync-fail","node":"a","count":-2}`), `field "count": is -2`},
		"negative capacity": {second(`{"id":2,"at":1,"kind":"disk-capacity","node":"a","bytes":-2}`), `field "bytes": is -2`},
		"relative path":     {second(`{"id":2,"at":1,"kind":"corrupt","node":"a","path":"x","offset":0,"length":1}`), `field "path": is "x"`},
		"no length":         {second(`{"id":2,"at":1,"kind":"corrupt","node":"a","path":"/x","offset":0,"length":0}`), `field "length": is 0`},
		"fraction":          {second(`{"id":2,"at":1.5,"kind":"heal"}`), `fault: event 2 (heal at 0s), field "at": is 1.5, want a whole number`},
		"for":               {second(`{"id":2,"at":1,"kind":"crash","node":"a","for":3}`), `field "for": is not a field of kind crash`},
		"link out of range": {second(`{"id":2,"at":1,"kind":"link","from":"a","to":"b","latency":0,"jitter":0,"tail":0,"tail_ppm":0,"drop_ppm":2000000,"dup_ppm":0,"fifo":false}`), `event 2 (link at 1ns), field "latency": simnet: link DropPPM 2000000`},
	} {
		s, err := ReadSchedule(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
		if s != nil {
			t.Errorf("%s: a schedule besides the error", name)
		}
	}
}

func TestScriptNamesTheEvent(t *testing.T) {
	for want, e := range map[string]Event{
		`event #2 of the list (crash at 0s), field "node": is empty`:                      {Kind: KindCrash},
		`event #2 of the list (heal at 1s), field "for": a fault of kind heal has no end`: {Kind: KindHeal, At: time.Second, For: 1},
		`field "at": is before the start`:                                                 {Kind: KindHeal, At: -1},
		`field "for": is negative`:                                                        {Kind: KindCrash, Node: "s1", For: -1},
		`field "id": ID and Undoes`:                                                       {Kind: KindHeal, Undoes: 1},
		`field "kind": is "", want one of`:                                                {},
		`field "ppm": is not a field of kind crash, want only node`:                       {Kind: KindCrash, Node: "s1", PPM: 3},
		`field "drop_ppm": is not a field of kind crash`:                                  {Kind: KindCrash, Node: "s1", Link: simnet.LinkConfig{DropPPM: 1}},
	} {
		err := newWorld(1, 2, time.Second).start(Script(Event{Kind: KindHeal}, e))
		var place *EventError
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &place) || place.Index != 1 {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestUnknownNodeFailsTheRun(t *testing.T) {
	for want, e := range map[string]Event{
		`event 1 (crash at 100ms), field "node": names "s9", and the run has no such node`: {Kind: KindCrash, Node: "s9"},
		`field "from": names "s9"`:   {Kind: KindCut, From: "s9", To: "s1"},
		`field "to": names "s9"`:     {Kind: KindLinkReset, From: "s1", To: "s9"},
		`field "groups": names "s9"`: {Kind: KindPartition, Groups: [][]string{{"s1"}, {"s2", "s9"}}},
	} {
		e.At = ms(100)
		replayed := e
		replayed.ID = 1
		for _, p := range []Planner{Script(e), Replay(&Schedule{Events: []Event{replayed}})} {
			w := newWorld(1, 2, time.Second)
			if err := w.start(p); err != nil {
				t.Fatal(err)
			}
			w.runTo(time.Second)
			var place *EventError
			if err := w.env.Sim.Err(); err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &place) {
				t.Errorf("%s: error %v, want %s", p.Name(), err, want)
			}
			if len(w.injector.Schedule().Events) != 0 {
				t.Error("the event is in the schedule although it was not applied")
			}
		}
	}
}

func TestReplayRefusesABadSchedule(t *testing.T) {
	err := newWorld(1, 2, time.Second).start(Replay(&Schedule{Events: []Event{{Kind: KindHeal}}}))
	if err == nil || !strings.HasPrefix(err.Error(), `schedule: fault: event #1 of the list (heal at 0s), field "id"`) {
		t.Errorf("error %v", err)
	}
}

func FuzzReadSchedule(f *testing.F) {
	var good bytes.Buffer
	if err := everyKind().Write(&good); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte(`{"faultline_schedule":1,"end":1,"recovery":0,"events":[{"id":1,"at":0,"kind":"isolate","node":"s1"},{"id":2,"at":0,"kind":"heal","undoes":1}]}`))
	f.Add([]byte(`{"faultline_schedule":9}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSchedule(bytes.NewReader(data))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := s.Write(&first); err != nil {
			t.Fatalf("Write refuses what ReadSchedule accepted: %v", err)
		}
		again, err := ReadSchedule(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("ReadSchedule refuses what Write wrote: %v\n%s", err, first.Bytes())
		}
		if err := again.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("second Write (%v) wrote\n%s\nfirst\n%s", err, second.Bytes(), first.Bytes())
		}
		// Whatever a schedule says, a run with it ends without a panic.
		w := newWorld(1, 3, 100*time.Millisecond)
		w.injector.Plan(Replay(s))
		w.env.Sim.Start()
		if err := w.injector.Start(); err != nil {
			t.Fatal(err)
		}
		w.env.Sim.RunUntil(w.end)
	})
}
