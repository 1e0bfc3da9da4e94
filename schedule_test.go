// SPDX-License-Identifier: MPL-2.0

package faultline_test

import (
	"os"
	"path/filepath"
	"testing"
)

// writeSchedule writes a schedule of one event and returns its path.
func writeSchedule(t *testing.T, event string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "schedule.json")
	text := `{"faultline_schedule": 1, "end": 1000000000, "recovery": 0, "events": [` + event + `]}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestScheduleThatNamesUnknownNodes(t *testing.T) {
	schedule := writeSchedule(t, `{"id": 1, "at": 100000000, "kind": "crash", "node": "n9"}`)
	r := runHelper(t, "TestHelperPass", "FAULTLINE_SCHEDULE="+schedule)
	r.wantFailure(t, "fail:the simulation")
	r.want(t, `event 1 \(crash at 100ms\), field "node": names "n9", and the run has no such node`)
}

func TestScheduleThatIsNone(t *testing.T) {
	schedule := writeSchedule(t, `{"id": 1, "at": 5, "kind": "earthquake", "node": "n1"}`)
	r := runHelper(t, "TestHelperPass", "FAULTLINE_SCHEDULE="+schedule)
	r.want(t, `faultline: cannot run: FAULTLINE_SCHEDULE.*event 1.*field "kind".*earthquake.*want .*partition`)
	if len(r.results) != 1 || r.results[0]["kind"] != "setup" {
		t.Errorf("results %v, want one of kind setup", r.results)
	}
}
