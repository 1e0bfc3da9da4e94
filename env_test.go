// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestEnvironmentAccepts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(file, []byte("# a comment\n1, 0x02\n3 # three\n\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, value string
		got         func(settings) any
		want        any
	}{
		{envSeed, "42", func(s settings) any { return *s.seed }, uint64(42)},
		{envSeed, "0x287372ab06f1482e", func(s settings) any { return *s.seed }, uint64(0x287372ab06f1482e)},
		{envSeed, "0XFF", func(s settings) any { return *s.seed }, uint64(255)},
		{envSeed, "010", func(s settings) any { return *s.seed }, uint64(10)},
		{envSeed, "18446744073709551615", func(s settings) any { return *s.seed }, ^uint64(0)},
		{envSeed, "", func(s settings) any { return s.seed == nil }, true},
		{envSeeds, "1", func(s settings) any { return *s.seeds }, uint64(1)},
		{envSeeds, "1000000", func(s settings) any { return *s.seeds }, uint64(1_000_000)},
		{envBase, "7", func(s settings) any { return *s.base }, uint64(7)},
		{envExplore, "1", func(s settings) any { return *s.explore }, true},
		{envExplore, "0", func(s settings) any { return *s.explore }, false},
		{envList, "1,2 3,\t0x4", func(s settings) any { return slices.Equal(s.list, []uint64{1, 2, 3, 4}) }, true},
		{envList, "@" + file, func(s settings) any { return slices.Equal(s.list, []uint64{1, 2, 3}) }, true},
		{envSchedule, "a.json", func(s settings) any { return s.schedule }, "a.json"},
		{envArtifacts, "off", func(s settings) any { return artifact.Root(s.artifacts) }, ""},
		{envArtifacts, "/x", func(s settings) any { return artifact.Root(s.artifacts) }, "/x"},
		{envCheck, "1", func(s settings) any { return *s.check }, true},
		{envTrace, "full", func(s settings) any { return *s.trace }, TraceFull},
		{envTrace, "hash", func(s settings) any { return *s.trace }, TraceHash},
		{envResults, "r.jsonl", func(s settings) any { return s.results }, "r.jsonl"},
		{envExact, "1", func(s settings) any { return *s.exact }, true},
		{envIsolate, "0", func(s settings) any { return *s.isolate }, false},
	}
	for _, tt := range tests {
		s, err := readSettings(env(map[string]string{tt.name: tt.value}))
		if err != nil {
			t.Errorf("%s=%s: %v", tt.name, tt.value, err)
			continue
		}
		if got := tt.got(s); got != tt.want {
			t.Errorf("%s=%s: got %v, want %v", tt.name, tt.value, got, tt.want)
		}
	}
}

func TestEnvironmentRejects(t *testing.T) {
	tests := []struct{ name, value, says string }{
		{envSeed, "x", "a seed, decimal or 0x"},
		{envSeed, "-1", "a seed, decimal or 0x"},
		{envSeed, "0x", "a seed, decimal or 0x"},
		{envSeed, "1_000", "a seed, decimal or 0x"},
		{envSeed, "18446744073709551616", "more than 64 bits"},
		{envSeeds, "0", "1 to 1000000"},
		{envSeeds, "1000001", "1 to 1000000"},
		{envSeeds, "many", "1 to 1000000"},
		{envBase, "?", "a seed, decimal or 0x"},
		{envExplore, "yes", "0 or 1"},
		{envList, " , ", "no seed in it"},
		{envList, "1 two 3", `seed 2 of the list, "two"`},
		{envList, "@/does/not/exist", "no such file"},
		{envCheck, "true", "0 or 1"},
		{envTrace, "all", "hash or full"},
		{envExact, "2", "0 or 1"},
		{envIsolate, "on", "0 or 1"},
	}
	for _, tt := range tests {
		_, err := readSettings(env(map[string]string{tt.name: tt.value}))
		if err == nil {
			t.Errorf("%s=%s: no error", tt.name, tt.value)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, tt.name+"=") || !strings.Contains(text, tt.says) {
			t.Errorf("%s=%s: error %q does not name the variable or say %q", tt.name, tt.value, text, tt.says)
		}
	}
}

func TestEnvironmentConflicts(t *testing.T) {
	_, err := readSettings(env(map[string]string{envSeed: "1", envList: "2"}))
	if err == nil || !strings.Contains(err.Error(), envSeed) || !strings.Contains(err.Error(), envList) {
		t.Errorf("seed and list together: error %v does not name both", err)
	}
	tests := []struct {
		set     map[string]string
		ignored []string
	}{
		{map[string]string{envSeed: "1"}, nil},
		{map[string]string{envSeed: "1", envSeeds: "2", envBase: "3", envExplore: "1"}, []string{envSeeds, envBase, envExplore}},
		{map[string]string{envList: "1", envSeeds: "2"}, []string{envSeeds}},
		{map[string]string{envBase: "1", envExplore: "1"}, []string{envExplore}},
		{map[string]string{envBase: "1", envSeeds: "2"}, nil},
	}
	for _, tt := range tests {
		s, err := readSettings(env(tt.set))
		if err != nil {
			t.Errorf("%v: %v", tt.set, err)
			continue
		}
		var names []string
		for _, line := range s.ignored {
			name, _, _ := strings.Cut(line, "=")
			names = append(names, name)
		}
		if !slices.Equal(names, tt.ignored) {
			t.Errorf("%v: ignored %v, want %v", tt.set, names, tt.ignored)
		}
	}
}

// FuzzReadSettings: whatever the variables hold, they are accepted whole or refused by
// name.
func FuzzReadSettings(f *testing.F) {
	f.Add("1", "20", "0x1", "1, 2 3", "1", "full")
	f.Add("", "", "", "# none\n7 # seven", "0", "hash")
	f.Add("0xfffffffffffffffff", "0", "-", "1 two", "yes", "all")
	file := filepath.Join(f.TempDir(), "seeds")
	f.Fuzz(func(t *testing.T, seed, seeds, base, list, flag, trace string) {
		if err := os.WriteFile(file, []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, setList := range []string{list, "@" + file} {
			if strings.HasPrefix(list, "@") && setList == list {
				continue // a file of the machine
			}
			values := map[string]string{envSeeds: seeds, envBase: base, envList: setList, envCheck: flag, envTrace: trace}
			s, err := readSettings(env(values))
			switch {
			case err != nil && !strings.HasPrefix(err.Error(), "FAULTLINE_"):
				t.Errorf("%q: the error %q names no variable", values, err)
			case err == nil && setList != "" && len(s.list) == 0:
				t.Errorf("%q: accepted without a seed", values)
			}
			delete(values, envList)
			values[envSeed] = seed
			if s, err := readSettings(env(values)); err == nil && seed != "" && s.seed == nil {
				t.Errorf("%q: accepted without a seed", values)
			}
		}
	})
}
