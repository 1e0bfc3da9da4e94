// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
)

// Names of the fields that every event can have.
const (
	idName     = "id"
	atName     = "at"
	kindName   = "kind"
	undoesName = "undoes"
)

// Names of the fields of a schedule.
const (
	versionName  = "faultline_schedule"
	endName      = "end"
	recoveryName = "recovery"
	idleName     = "idle"
	eventsName   = "events"
)

// maxSchedule bounds what ReadSchedule takes in.
const maxSchedule = 256 << 20

// Write writes s as JSON, one event a line: times and durations in nanoseconds,
// in each event exactly the fields of its kind. It refuses what ReadSchedule would.
func (s *Schedule) Write(w io.Writer) error {
	if err := s.Check(); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\t%q: %d,\n\t%q: %d,\n\t%q: %d,\n", versionName, Version, endName, int64(s.End), recoveryName, int64(s.Recovery))
	if len(s.Idle) > 0 {
		idle, err := json.Marshal(s.Idle)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\t%q: %s,\n", idleName, idle)
	}
	fmt.Fprintf(&b, "\t%q: [", eventsName)
	for i := range s.Events {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n\t\t")
		if err := appendEvent(&b, &s.Events[i]); err != nil {
			return err
		}
	}
	if len(s.Events) > 0 {
		b.WriteString("\n\t")
	}
	b.WriteString("]\n}\n")
	_, err := w.Write(b.Bytes())
	return err
}

func appendEvent(b *bytes.Buffer, e *Event) error {
	fmt.Fprintf(b, "{%q: %d, %q: %d, %q: %q", idName, e.ID, atName, int64(e.At), kindName, e.Kind)
	s, err := lookup(e.Kind)
	if err != nil {
		return err
	}
	for i := range s.fields {
		f := &s.fields[i]
		if f.optional() && f.value(e).IsZero() {
			continue
		}
		value, err := json.Marshal(f.ptr(e))
		if err != nil {
			return err
		}
		fmt.Fprintf(b, ", %q: %s", f.name, value)
	}
	if e.Undoes != 0 {
		fmt.Fprintf(b, ", %q: %d", undoesName, e.Undoes)
	}
	b.WriteByte('}')
	return nil
}

// ReadSchedule reads a schedule. It is strict: an unknown, repeated or missing field, a
// value out of range, events out of order are errors that name the event and the
// field, or the line of a syntax error. A schedule of a newer version is refused
// by that version.
func ReadSchedule(r io.Reader) (*Schedule, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSchedule+1))
	if err != nil {
		return nil, fmt.Errorf("fault: schedule: %w", err)
	}
	if len(data) > maxSchedule {
		return nil, fmt.Errorf("fault: schedule: more than %d bytes", maxSchedule)
	}
	if err := checkSyntax(data); err != nil {
		return nil, err
	}
	s, err := parseSchedule(data)
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

func checkSyntax(data []byte) error {
	var value json.RawMessage
	err := json.Unmarshal(data, &value)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("fault: schedule line %d: %w", line, err)
	}
	return err
}

func parseSchedule(data []byte) (*Schedule, error) {
	top, err := parseObject(data)
	if err != nil {
		return nil, fmt.Errorf("fault: schedule: %w", err)
	}
	if err := checkVersion(top); err != nil {
		return nil, err
	}
	s := &Schedule{}
	var events []json.RawMessage
	for _, f := range []member{{endName, &s.End, true}, {recoveryName, &s.Recovery, true}, {idleName, &s.Idle, false}, {eventsName, &events, true}} {
		if err := top.take(f); err != nil {
			return nil, fmt.Errorf("fault: schedule field %q: %w", f.name, err)
		}
	}
	if name := top.left(); name != "" {
		return nil, fmt.Errorf("fault: schedule field %q: is unknown, want %s, %s, %s, %s, %s",
			name, versionName, endName, recoveryName, idleName, eventsName)
	}
	s.Events = make([]Event, len(events))
	for i, raw := range events {
		if name, err := parseEvent(raw, &s.Events[i]); err != nil {
			e := &s.Events[i]
			return nil, &EventError{Index: i, ID: e.ID, At: e.At, Kind: e.Kind, Field: name, Err: err}
		}
	}
	return s, nil
}

func checkVersion(top object) error {
	version := 0
	if err := top.take(member{versionName, &version, true}); err != nil {
		return fmt.Errorf("fault: schedule field %q: %w", versionName, err)
	}
	if version > Version {
		return fmt.Errorf("fault: %s version %d is newer than this faultline reads (up to %d)", versionName, version, Version)
	}
	if version < 1 {
		return fmt.Errorf("fault: schedule field %q: is %d, want 1 to %d", versionName, version, Version)
	}
	return nil
}

func parseEvent(raw json.RawMessage, e *Event) (fieldName string, err error) {
	fields, err := parseObject(raw)
	if err != nil {
		return "", err
	}
	for _, f := range []member{{idName, &e.ID, true}, {kindName, &e.Kind, true}, {atName, &e.At, true}, {undoesName, &e.Undoes, false}} {
		if err := fields.take(f); err != nil {
			return f.name, err
		}
	}
	s, err := lookup(e.Kind)
	if err != nil {
		e.Kind = ""
		return kindName, err
	}
	for i := range s.fields {
		f := member{s.fields[i].name, s.fields[i].ptr(e), !s.fields[i].optional()}
		if err := fields.take(f); err != nil {
			return f.name, err
		}
	}
	if name := fields.left(); name != "" {
		return name, fmt.Errorf("is not a field of kind %s, want %s besides %s, %s, %s, %s",
			e.Kind, s.fieldNames(), idName, atName, kindName, undoesName)
	}
	return "", nil
}

// object is a JSON object whose members are taken out one by one.
type object map[string]json.RawMessage

// parseObject differs from json.Unmarshal in that it refuses a repeated name.
func parseObject(data []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("is not a JSON object")
	}
	o := object{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		if _, ok := o[name]; ok {
			return nil, fmt.Errorf("has the field %q twice", name)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		o[name] = value
	}
	return o, nil
}

// member is one member of an object: its name, the variable it is read into, and
// whether it must be there.
type member struct {
	name     string
	to       any
	required bool
}

// take reads one member and removes it from o.
func (o object) take(m member) error {
	raw, ok := o[m.name]
	if !ok && m.required {
		return errors.New("is missing")
	}
	if !ok {
		return nil
	}
	delete(o, m.name)
	if string(raw) == "null" {
		return fmt.Errorf("is null, want %s", want(m.to))
	}
	if err := json.Unmarshal(raw, m.to); err != nil {
		return fmt.Errorf("is %s, want %s", shorten(raw), want(m.to))
	}
	return nil
}

// left returns the first name, in alphabetical order, that was not taken.
func (o object) left() string {
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// want describes the JSON that a variable takes.
func want(to any) string {
	switch reflect.TypeOf(to).Elem().Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	default:
		return "a whole number"
	}
}

func shorten(raw json.RawMessage) string {
	const most = 40
	if len(raw) <= most {
		return string(raw)
	}
	return strconv.QuoteToASCII(string(raw[:most])) + "..."
}
