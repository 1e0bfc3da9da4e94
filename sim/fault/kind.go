// SPDX-License-Identifier: MPL-2.0

package fault

import (
	"fmt"
	"slices"
	"strings"
)

// Kind names what a fault does.
type Kind string

// The kinds of faults. The comment behind each names the fields of Event that it
// takes; all others must be zero.
const (
	KindPartition    Kind = "partition"     // Groups: nodes of different groups cannot reach each other
	KindIsolate      Kind = "isolate"       // Node: it reaches no other node, and none reaches it
	KindHeal         Kind = "heal"          // none: ends the fault that it undoes, or else all cuts
	KindCut          Kind = "cut"           // From, To: the link in this one direction carries nothing
	KindHealLink     Kind = "heal-link"     // From, To: ends a cut of this direction
	KindLink         Kind = "link"          // From, To, Link: gives this direction another behaviour
	KindLinkReset    Kind = "link-reset"    // From, To: gives this direction the network's first behaviour
	KindCrash        Kind = "crash"         // Node
	KindRestart      Kind = "restart"       // Node
	KindPause        Kind = "pause"         // Node
	KindResume       Kind = "resume"        // Node
	KindClockJump    Kind = "clock-jump"    // Node, By
	KindClockDrift   Kind = "clock-drift"   // Node, PPM: 0 ends the drift
	KindSyncFail     Kind = "sync-fail"     // Node, Count: so many syncs from now on fail; 0 ends it
	KindDiskCapacity Kind = "disk-capacity" // Node, Bytes: what the volume holds at most; 0 means no limit
	KindCorrupt      Kind = "corrupt"       // Node, Path, Offset, Length: flips bits in stored bytes

	KindMisdirectWrite Kind = "misdirect-write" // Node, Count: so many writes from now on land elsewhere; 0 ends it
	KindMisdirectRead  Kind = "misdirect-read"  // Node, Count: so many reads from now on come from elsewhere; 0 ends it
)

// spec is what the package knows about one kind.
type spec struct {
	kind   Kind
	fields []field

	// apply does it. An error says why the fault had no effect.
	apply func(*Injector, *Event) error

	// undo returns the event that ends e, seen from before e is applied; nil if
	// nothing ends faults of this kind.
	undo func(*Injector, *Event) Event

	// ends lists kinds that an event of this kind ends at the same target,
	// besides those that have it as their undo.
	ends []Kind
}

// specs is filled by init because its functions look into it.
var specs []spec

func init() {
	node := []field{nodeField}
	link := []field{fromField, toField}
	specs = []spec{
		{KindPartition, []field{groupsField}, (*Injector).partition, undoBy(KindHeal), nil},
		{KindIsolate, node, (*Injector).isolate, undoBy(KindHeal), nil},
		{KindHeal, nil, (*Injector).heal, nil, []Kind{KindCut}},
		{KindCut, link, (*Injector).cut, undoBy(KindHealLink), nil},
		{KindHealLink, link, (*Injector).healLink, nil, nil},
		{KindLink, linkFields(), (*Injector).setLink, undoLink, nil},
		{KindLinkReset, link, (*Injector).resetLink, nil, []Kind{KindLink}},
		{KindCrash, node, (*Injector).crash, undoBy(KindRestart), []Kind{KindPause}},
		{KindRestart, node, (*Injector).restart, nil, nil},
		{KindPause, node, (*Injector).pause, undoBy(KindResume), nil},
		{KindResume, node, (*Injector).resume, nil, nil},
		{KindClockJump, []field{nodeField, byField}, (*Injector).jumpClock, nil, nil},
		{KindClockDrift, []field{nodeField, ppmField}, (*Injector).setDrift, undoDrift, nil},
		{KindSyncFail, []field{nodeField, countField}, (*Injector).failSyncs, undoBy(KindSyncFail), nil},
		{KindDiskCapacity, []field{nodeField, bytesField}, (*Injector).setCapacity, undoCapacity, nil},
		{KindCorrupt, []field{nodeField, pathField, offsetField, lengthField}, (*Injector).corrupt, nil, nil},
		{KindMisdirectWrite, []field{nodeField, countField}, (*Injector).misdirectWrites, undoBy(KindMisdirectWrite), nil},
		{KindMisdirectRead, []field{nodeField, countField}, (*Injector).misdirectReads, undoBy(KindMisdirectRead), nil},
	}
}

func linkFields() []field {
	first := slices.IndexFunc(allFields, func(f field) bool { return f.name == latencyField.name })
	return append([]field{fromField, toField}, allFields[first:]...)
}

// Kinds returns all kinds in the order of their declaration.
func Kinds() []Kind {
	list := make([]Kind, len(specs))
	for i := range specs {
		list[i] = specs[i].kind
	}
	return list
}

func lookup(k Kind) (*spec, error) {
	for i := range specs {
		if specs[i].kind == k {
			return &specs[i], nil
		}
	}
	return nil, fmt.Errorf("is %q, want one of %s", k, join(Kinds()))
}

func join[T ~string](list []T) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = string(v)
	}
	return strings.Join(parts, ", ")
}
