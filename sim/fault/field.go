// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// field is one kind-specific field of Event: its name in a schedule, where it is
// kept, and what it accepts.
type field struct {
	name  string
	ptr   func(*Event) any
	check func(*Event) error // nil accepts every value
}

// optional reports whether a schedule leaves f out when it is zero: the fields that
// earlier schedules do not know.
func (f *field) optional() bool {
	return f.name == bandwidthField.name || f.name == queueField.name || f.name == corruptPPMField.name
}

var (
	nodeField   = field{"node", func(e *Event) any { return &e.Node }, func(e *Event) error { return notEmpty(e.Node) }}
	fromField   = field{"from", func(e *Event) any { return &e.From }, func(e *Event) error { return notEmpty(e.From) }}
	toField     = field{"to", func(e *Event) any { return &e.To }, checkTo}
	groupsField = field{"groups", func(e *Event) any { return &e.Groups }, checkGroups}
	byField     = field{"by", func(e *Event) any { return &e.By }, checkBy}
	ppmField    = field{"ppm", func(e *Event) any { return &e.PPM }, func(e *Event) error { return between(e.PPM, -kernel.MaxDrift, kernel.MaxDrift) }}
	countField  = field{"count", func(e *Event) any { return &e.Count }, func(e *Event) error { return between(int64(e.Count), -1, maxCount) }}
	bytesField  = field{"bytes", func(e *Event) any { return &e.Bytes }, func(e *Event) error { return notNegative(e.Bytes) }}
	pathField   = field{"path", func(e *Event) any { return &e.Path }, checkPath}
	offsetField = field{"offset", func(e *Event) any { return &e.Offset }, func(e *Event) error { return notNegative(e.Offset) }}
	lengthField = field{"length", func(e *Event) any { return &e.Length }, func(e *Event) error { return between(e.Length, 1, maxCorrupt) }}

	latencyField = field{"latency", func(e *Event) any { return &e.Link.Latency }, checkLink}
	jitterField  = field{"jitter", func(e *Event) any { return &e.Link.Jitter }, nil}
	tailField    = field{"tail", func(e *Event) any { return &e.Link.Tail }, nil}
	tailPPMField = field{"tail_ppm", func(e *Event) any { return &e.Link.TailPPM }, nil}
	dropPPMField = field{"drop_ppm", func(e *Event) any { return &e.Link.DropPPM }, nil}
	dupPPMField  = field{"dup_ppm", func(e *Event) any { return &e.Link.DupPPM }, nil}
	fifoField    = field{"fifo", func(e *Event) any { return &e.Link.FIFO }, nil}

	bandwidthField  = field{"bandwidth", func(e *Event) any { return &e.Link.Bandwidth }, nil}
	queueField      = field{"queue", func(e *Event) any { return &e.Link.Queue }, nil}
	corruptPPMField = field{"corrupt_ppm", func(e *Event) any { return &e.Link.CorruptPPM }, nil}
)

// allFields are the kind-specific fields in the order of Event.
var allFields = []field{
	nodeField, fromField, toField, groupsField, byField, ppmField,
	countField, bytesField, pathField, offsetField, lengthField,
	latencyField, jitterField, tailField, tailPPMField, dropPPMField, dupPPMField, fifoField,
	bandwidthField, queueField, corruptPPMField,
}

// value returns what f holds in e.
func (f *field) value(e *Event) reflect.Value { return reflect.ValueOf(f.ptr(e)).Elem() }

// text describes the field for the trace; empty if it says nothing.
func (f *field) text(e *Event) string {
	switch f.name {
	case nodeField.name, fromField.name:
		return f.value(e).String()
	case toField.name:
		return "to " + e.To
	case groupsField.name:
		return groupText(e.Groups)
	}
	if f.value(e).IsZero() && f.name != countField.name && f.name != bytesField.name && f.name != ppmField.name {
		return ""
	}
	return fmt.Sprintf("%s=%v", f.name, f.value(e).Interface())
}

func groupText(groups [][]string) string {
	parts := make([]string, len(groups))
	for i, group := range groups {
		parts[i] = strings.Join(group, " ")
	}
	return strings.Join(parts, " | ")
}

const (
	maxCount   = 1 << 30
	maxCorrupt = 1 << 20
)

func (s *spec) has(name string) bool {
	for i := range s.fields {
		if s.fields[i].name == name {
			return true
		}
	}
	return false
}

func (s *spec) fieldNames() string {
	if len(s.fields) == 0 {
		return "no field"
	}
	names := make([]string, len(s.fields))
	for i := range s.fields {
		names[i] = s.fields[i].name
	}
	return "only " + join(names)
}
func notEmpty(name string) error {
	if name == "" {
		return errors.New("is empty, want the name of a node")
	}
	return nil
}

func notNegative(v int64) error {
	if v < 0 {
		return fmt.Errorf("is %d, want 0 or more", v)
	}
	return nil
}

func between(v, lo, hi int64) error {
	if v < lo || v > hi {
		return fmt.Errorf("is %d, want %d to %d", v, lo, hi)
	}
	return nil
}

func checkTo(e *Event) error {
	if e.To == e.From && e.To != "" {
		return fmt.Errorf("is %q like from, want another node", e.To)
	}
	return notEmpty(e.To)
}

func checkBy(e *Event) error {
	if e.By == 0 {
		return errors.New("is 0, want how far the clock jumps")
	}
	return nil
}

func checkPath(e *Event) error {
	if !path.IsAbs(e.Path) || path.Clean(e.Path) != e.Path {
		return fmt.Errorf("is %q, want an absolute path in its shortest form", e.Path)
	}
	return nil
}

func checkGroups(e *Event) error {
	if len(e.Groups) < 2 {
		return fmt.Errorf("has %d groups, want at least 2", len(e.Groups))
	}
	seen := map[string]bool{}
	for _, group := range e.Groups {
		if len(group) == 0 {
			return errors.New("has an empty group")
		}
		for _, name := range group {
			if name == "" || seen[name] {
				return fmt.Errorf("names %q twice or not at all, want each node once", name)
			}
			seen[name] = true
		}
	}
	return nil
}

// checkLink stands at the first field of a link; its error names the field that
// it means by itself.
func checkLink(e *Event) error { return e.Link.Validate() }
