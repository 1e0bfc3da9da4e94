// SPDX-License-Identifier: MPL-2.0

package progress

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestLine(t *testing.T) {
	tests := []struct {
		bar     Bar
		elapsed time.Duration
		want    string
	}{
		{Bar{unit: "seeds", bad: "failed", total: 200}, time.Second, "faultline: 0/200 seeds"},
		{Bar{unit: "seeds", bad: "failed", total: 200, done: 50}, 10 * time.Second, "faultline: 50/200 seeds, 0 failed, 5.0/s, 30s left"},
		{Bar{unit: "seeds", bad: "failed", total: 200, done: 199, failed: 3}, 200 * time.Second, "faultline: 199/200 seeds, 3 failed, 1.0/s, 1s left"},
		{Bar{unit: "seeds", bad: "failed", total: 200, done: 200, failed: 3}, time.Minute, "faultline: 200/200 seeds, 3 failed, 3.3/s, 0s left"},
	}
	for _, tt := range tests {
		if got := tt.bar.line(tt.elapsed); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestDraws(t *testing.T) {
	var out strings.Builder
	b := &Bar{unit: "seeds", bad: "failed", out: &out, begin: time.Now(), total: 2}
	b.Add(false)
	b.Add(true)
	b.Clear()
	parts := strings.Split(out.String(), eraseLine)
	if len(parts) != 4 || !strings.HasPrefix(parts[1], "faultline: 1/2 seeds, 0 failed") ||
		!strings.HasPrefix(parts[2], "faultline: 2/2 seeds, 1 failed") || parts[3] != "" {
		t.Errorf("%q", parts)
	}
	var none *Bar
	none.Add(true)
	none.Clear()
}

func TestNoTerminal(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b := New(f, 2, "seeds", "failed"); b != nil {
		t.Errorf("a bar %+v in a file", b)
	}
}
