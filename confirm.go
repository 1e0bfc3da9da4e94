// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/internal/rerun"
)

// firstSeeds has the first failing seed of each signature.
type firstSeeds map[string]uint64

func (f firstSeeds) add(signature string, seed uint64) {
	if _, known := f[signature]; !known {
		f[signature] = seed
	}
}

// confirm runs a seed that has failed in a fresh process, as its replay line will, and notes in o whether it fails there in the
// same way. Of several seeds with one signature the first is confirmed: what keeps one from replaying is hardly ever different for the
// next, and a list that fails throughout would take twice as long.
func (s *seedRun) confirm(o *outcome, here result) {
	if o.failure == nil || s.task.is(toConfirm) {
		return
	}
	first, known := s.confirmed[here.Signature]
	s.confirmed.add(here.Signature, s.seed)
	switch {
	case known:
		o.confirmation = notTried("seed " + formatSeed(first) + " failed in the same way")
	case here.Kind == KindStall && s.task == nil:
		o.confirmation = notTried("the run that is stuck ends this process")
	default:
		o.confirmation = s.compareFresh(here)
	}
}

// compareFresh compares the results line of the seed with that of a fresh process.
func (s *seedRun) compareFresh(here result) *artifact.Confirmation {
	limit, some := timeLeft(s.t)
	if !some {
		return notTried("the test's -test.timeout is near")
	}
	patience := time.Minute + 10*time.Duration(here.WallNS)
	if limit == 0 || limit > patience {
		limit = patience
	}
	check := "0"
	if here.Kind == KindDeterminism {
		check = "1"
	}
	p, err := s.start(toConfirm, rerun.Command{
		Verbose: true, // as in the replay line
		Timeout: limit,
		Env:     map[string]string{envArtifacts: artifact.Off, envTrace: TraceHash.String(), envCheck: check, "GOCOVERDIR": ""},
	})
	if err != nil {
		return notTried(err.Error())
	}
	defer p.Remove()
	e, err := end(p)
	if err != nil {
		return notVerified(err.Error())
	}
	if e.died() {
		return compareDeath(here, deathOf(e.Exit))
	}
	there := e.line
	if m := s.portableMessage(here.Message); m != here.Message {
		here.Message, here.TraceHash = m, there.TraceHash // it covers the message
	}
	if d := difference(here, *there); d != "" {
		return notVerified(d)
	}
	return &artifact.Confirmation{Replay: artifact.Verified}
}

// compareDeath compares the results line with the death of a fresh process, whose last words are different each
// time: they have addresses in them, or times of day.
func compareDeath(here result, there *failure) *artifact.Confirmation {
	if died := here.TraceHash == ""; died && here.Signature == there.signature() {
		return &artifact.Confirmation{Replay: artifact.Verified}
	}
	return notVerified(elsewhere(there.signature(), there.message))
}

func notTried(why string) *artifact.Confirmation {
	return &artifact.Confirmation{Replay: artifact.NotTried, Detail: why}
}

func notVerified(why string) *artifact.Confirmation {
	return &artifact.Confirmation{Replay: artifact.NotVerified, Detail: why}
}

// anyTemp stands in messages for the test's temporary directory, which no two processes
// share.
const anyTemp = "<temp>"

// elsewhere says that a fresh process failed in another way.
func elsewhere(signature, message string) string {
	return fmt.Sprintf("in the fresh process the failure is %s: %s", signature, cmp.Or(message, "no message"))
}

// portableMessage returns a message as it would be in any process.
func (s *seedRun) portableMessage(m string) string { return strings.ReplaceAll(m, s.temp(), anyTemp) }

// difference says in what two results lines of a seed that has failed here first
// differ; empty if in nothing.
func difference(here, there result) string {
	switch {
	case there.Status != statusFail:
		return fmt.Sprintf("the fresh process reported %s for this seed", there.Status)
	case here.Signature != there.Signature:
		return elsewhere(there.Signature, there.Message)
	}
	for _, f := range []struct{ what, here, there string }{
		{"time of the failure", here.At, there.At},
		{"number of events", fmt.Sprint(here.Events), fmt.Sprint(there.Events)},
		{"message", here.Message, there.Message},
		{"trace hash", here.TraceHash, there.TraceHash},
	} {
		if f.here != f.there {
			return fmt.Sprintf("the %s is %s, and %s in the fresh process", f.what, f.here, f.there)
		}
	}
	return ""
}
