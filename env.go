// SPDX-License-Identifier: MPL-2.0

package faultline

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/sched/decisions"
)

// settings is what the environment asks for. Pointers tell "not set" from a value.
type settings struct {
	seed      *uint64
	seeds     *uint64
	base      *uint64
	explore   *bool
	list      []uint64
	schedule  string
	follow    *decisions.Log
	artifacts string
	check     *bool
	trace     *Trace
	results   string
	exact     *bool
	isolate   *bool

	pinned  *pinned  // what Pin asks for, unless a variable is stronger
	ignored []string // what a stronger variable overrides, ready to be logged
}

// variable is one row of the table of environment variables.
type variable struct {
	name    string
	accepts string
	set     func(s *settings, value string) error
}

// The variables that [Run] reads. An empty value is the same as none.
const (
	envSeed      = "FAULTLINE_SEED"
	envSeeds     = "FAULTLINE_SEEDS"
	envBase      = "FAULTLINE_BASE_SEED"
	envExplore   = "FAULTLINE_EXPLORE"
	envList      = "FAULTLINE_SEED_LIST"
	envSchedule  = "FAULTLINE_SCHEDULE"
	envDecisions = "FAULTLINE_DECISIONS"
	envArtifacts = artifact.RootVariable
	envCheck     = "FAULTLINE_CHECK_DETERMINISM"
	envTrace     = "FAULTLINE_TRACE"
	envResults   = "FAULTLINE_RESULTS"
	envExact     = "FAULTLINE_EXACT"
	envIsolate   = "FAULTLINE_ISOLATE"
)

// envRunning is set while a Run that needs the process for itself is going on.
const envRunning = "FAULTLINE_RUNNING"

const (
	acceptsSeed = "a seed, decimal or 0x and hexadecimal digits"
	acceptsFlag = "0 or 1"
)

var variables = []variable{
	{envSeed, acceptsSeed, func(s *settings, v string) error { return setSeed(&s.seed, v) }},
	{envSeeds, "a number from 1 to 1000000", setSeedCount},
	{envBase, acceptsSeed, func(s *settings, v string) error { return setSeed(&s.base, v) }},
	{envExplore, acceptsFlag, func(s *settings, v string) error { return setFlag(&s.explore, v) }},
	{envList, "seeds separated by commas or spaces, or @ and a file of them", setSeedList},
	{envSchedule, "the path of a schedule.json", func(s *settings, v string) error { s.schedule = v; return nil }},
	{envDecisions, "the path of a decisions.txt", setDecisions},
	{envArtifacts, "a directory, or off", func(s *settings, v string) error { s.artifacts = v; return nil }},
	{envCheck, acceptsFlag, func(s *settings, v string) error { return setFlag(&s.check, v) }},
	{envTrace, "hash or full", setTrace},
	{envResults, "the path of a file", func(s *settings, v string) error { s.results = v; return nil }},
	{envExact, acceptsFlag, func(s *settings, v string) error { return setFlag(&s.exact, v) }},
	{envIsolate, acceptsFlag, func(s *settings, v string) error { return setFlag(&s.isolate, v) }},
}

// overrides says which variables a variable that is set makes meaningless.
var overrides = []struct {
	strong string
	weak   []string
}{
	{envSeed, []string{envSeeds, envBase, envExplore}},
	{envList, []string{envSeeds, envBase, envExplore}},
	{envDecisions, []string{envSeeds, envBase, envExplore}},
	{envBase, []string{envExplore}},
}

// readSettings reads every variable once, through getenv.
func readSettings(getenv func(string) string) (settings, error) {
	var s settings
	var errs []error
	set := make(map[string]string)
	for _, v := range variables {
		value := getenv(v.name)
		if value == "" {
			continue
		}
		set[v.name] = value
		if err := v.set(&s, value); err != nil {
			errs = append(errs, fmt.Errorf("%s=%s: %w; it accepts %s", v.name, value, err, v.accepts))
		}
	}
	if set[envSeed] != "" && set[envList] != "" {
		errs = append(errs, fmt.Errorf("%s and %s are both set; unset one of them", envSeed, envList))
	}
	s.ignored = overridden(set)
	return s, errors.Join(errs...)
}

// overridden lists the variables of set that a stronger one of set overrides.
func overridden(set map[string]string) []string {
	var list []string
	seen := make(map[string]bool)
	for _, o := range overrides {
		if set[o.strong] == "" {
			continue
		}
		for _, weak := range o.weak {
			if set[weak] != "" && !seen[weak] {
				seen[weak] = true
				list = append(list, fmt.Sprintf("%s=%s is ignored, because %s is set", weak, set[weak], o.strong))
			}
		}
	}
	return list
}

// on reports the value of a flag: the variable's if it is set, else the option's.
func on(flag *bool, option bool) bool {
	if flag != nil {
		return *flag
	}
	return option
}

func setFlag(p **bool, value string) error {
	if value != "0" && value != "1" {
		return errors.New("not a flag")
	}
	on := value == "1"
	*p = &on
	return nil
}

func setSeed(p **uint64, value string) error {
	seed, err := parseSeed(value)
	if err != nil {
		return err
	}
	*p = &seed
	return nil
}

// parseSeed accepts decimal digits, or 0x and hexadecimal ones.
func parseSeed(value string) (uint64, error) {
	digits, base := value, 10
	if hex, ok := strings.CutPrefix(strings.ToLower(value), "0x"); ok {
		digits, base = hex, 16
	}
	seed, err := strconv.ParseUint(digits, base, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, errors.New("more than 64 bits")
	}
	if err != nil {
		return 0, errors.New("not a seed")
	}
	return seed, nil
}

func setSeedCount(s *settings, value string) error {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n < 1 || n > maxSeeds {
		return errors.New("not a number of seeds")
	}
	s.seeds = &n
	return nil
}

func setTrace(s *settings, value string) error {
	for _, t := range []Trace{TraceHash, TraceFull} {
		if value == t.String() {
			s.trace = &t
			return nil
		}
	}
	return errors.New("not a kind of trace")
}

func setSeedList(s *settings, value string) error {
	text := value
	if path, ok := strings.CutPrefix(value, "@"); ok {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = stripComments(string(data))
	}
	fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
	if len(fields) == 0 {
		return errors.New("no seed in it")
	}
	if len(fields) > maxSeeds {
		return fmt.Errorf("%d seeds are more than %d", len(fields), maxSeeds)
	}
	for i, field := range fields {
		seed, err := parseSeed(field)
		if err != nil {
			return fmt.Errorf("seed %d of the list, %q: %w", i+1, field, err)
		}
		s.list = append(s.list, seed)
	}
	return nil
}

func setDecisions(s *settings, value string) error {
	f, err := os.Open(value)
	if err != nil {
		return err
	}
	defer f.Close()
	s.follow, err = decisions.Read(f)
	return err
}

// stripComments cuts each line at its first #.
func stripComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		b.WriteString(line + "\n")
	}
	return b.String()
}
