// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/sim/simnet"
)

func TestOptionsRejectWhatIsOutOfRange(t *testing.T) {
	tests := []struct {
		opts  Options
		names []string
	}{
		{Options{}, nil},
		{Options{Seeds: -1}, []string{"Seeds"}},
		{Options{Seeds: maxSeeds + 1}, []string{"Seeds"}},
		{Options{Duration: -time.Second, MaxEvents: -1}, []string{"Duration", "MaxEvents"}},
		{Options{Mode: 2}, []string{"Mode"}},
		{Options{Trace: 2}, []string{"Trace"}},
		{Options{Procs: -1, Drain: -1, StallTimeout: -1}, nil}, // event mode ignores them
		{Options{Mode: ModeGoroutine, Procs: -1, Drain: -1, StallTimeout: -1}, []string{"Procs", "Drain", "StallTimeout"}},
		{Options{Net: simnet.Config{Link: simnet.LinkConfig{DropPPM: -1}}}, []string{"Net"}},
	}
	for _, tt := range tests {
		err := tt.opts.validate()
		if (err == nil) != (tt.names == nil) {
			t.Errorf("%+v: error %v, want names %v", tt.opts, err, tt.names)
			continue
		}
		for _, name := range tt.names {
			if !strings.Contains(err.Error(), "option "+name) {
				t.Errorf("%+v: error %q does not name option %s", tt.opts, err, name)
			}
		}
	}
}

func TestOptionsDefaults(t *testing.T) {
	o := Options{}.withDefaults()
	if o.Duration != time.Minute || o.MaxEvents != 10_000_000 || o.Procs != 1 || o.Drain != time.Minute || o.StallTimeout != time.Minute {
		t.Errorf("defaults are %+v", o)
	}
	if o := (Options{Duration: 5, Procs: 2}).withDefaults(); o.Duration != 5 || o.Procs != 2 {
		t.Errorf("defaults replaced values: %+v", o)
	}
}
