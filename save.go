// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"errors"
	"slices"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/gaps"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// writeArtifact writes the artifact of a seed that failed, or of any seed if the whole
// trace is kept, and returns its directory; empty if there is none.
func (s *seedRun) writeArtifact(o *outcome) (dir string, err error) {
	if !s.leavesArtifact(o) {
		return "", nil
	}
	report := s.describe(o)
	o.warnings = append(o.warnings, earlierWarnings(s.root, &report)...)
	report.Warnings = o.warnings
	return artifact.Write(s.root, &artifact.Run{
		Report:     report,
		Records:    o.records,
		Schedule:   o.schedule,
		History:    o.history,
		Gaps:       gaps.Registered(),
		Goroutines: stacks(o.leaked),
		Stall:      o.stall,
		Decisions:  o.log,
		Extra:      o.extraFiles(),
	})
}

func (s *seedRun) leavesArtifact(o *outcome) bool {
	return s.root != "" && (o.failure != nil || s.opts.Trace == TraceFull && !o.skip)
}

// describe fills in report.json.
func (s *seedRun) describe(o *outcome) artifact.Report {
	level, backend := s.level(o)
	options := s.opts.encode()
	r := artifact.Report{
		Status:           artifact.Pass,
		Package:          s.origin.pkg,
		Test:             s.t.Name(),
		Subtest:          s.name(),
		Seed:             artifact.Hex64(s.seed),
		SeedSource:       s.plan.source,
		SeedIndex:        s.index,
		BaseSeed:         artifact.Hex64(s.plan.base),
		Mode:             s.opts.Mode.String(),
		Warnings:         o.warnings,
		Replay:           s.replay(),
		Confirmation:     o.confirmation,
		DeterminismLevel: level,
		ExactBackend:     backend,
		Versions:         versions(),
		Options:          options,
		OptionsHash:      artifact.Hex64(hashBytes(options)),
		Nodes:            o.nodes,
		Run: artifact.Stats{
			TraceHash: artifact.Hex64(o.hash),
			Events:    o.events,
			Records:   o.count,
			Dropped:   o.count - uint64(len(o.records)),
			EndNS:     int64(o.end),
			Stop:      o.stop,
			Planners:  o.planners,
			Attempts:  s.attempts,
			Decisions: o.decisions,
		},
	}
	if f := o.failure; f != nil {
		r.Status = artifact.Fail
		r.Failure = &artifact.Failure{
			Kind: string(f.kind), Check: f.check, Headline: f.headline(), Message: f.message, Stack: f.stack,
			AtNS: int64(f.at), Event: f.event, Record: failureRecord(o.records),
		}
	}
	return r
}

// failureRecord returns the sequence number of the record of the failure, 0 if the
// trace has none.
func failureRecord(records []kernel.Record) uint64 {
	for _, r := range slices.Backward(records) {
		if r.Kind == kernel.KindFail {
			return r.Seq
		}
	}
	return 0
}

// extraFiles returns the files that the user's error brings along.
func (o *outcome) extraFiles() map[string][]byte {
	if o.failure == nil {
		return nil
	}
	var with interface{ ArtifactFiles() map[string][]byte }
	if errors.As(o.failure, &with) {
		return with.ArtifactFiles()
	}
	return nil
}
