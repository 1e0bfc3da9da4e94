// SPDX-License-Identifier: MPL-2.0

package decisions

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	seam "github.com/hmdsefi/faultline/runtime"
)

// The text form of a log has one line for each decision that moved the token, and one for each series of decisions of one kind at
// which a goroutine went on:
//
//	faultline_decisions 1
//	seed 0x00000000000003f7
//	strategy random
//	place 1 main.worker /home/u/main.go:17
//	hand-over 5 of 3 at 1       goroutine 5 of 3 that waited goes on, at place 1
//	may-yield 4 stays 17        goroutine 4 went on at 17 points
//	time-passes 16384           how the clock moves, an encoded runtime.Pace
//	end 18                      decisions in all
//
// A place is listed before its first use. The line before the end is "truncated" if decisions are missing.
const logVersion = 1

// logHeader begins the first line.
const logHeader = "faultline_decisions"

// kinds are the names of seam.Kind in the text.
var kinds = [...]string{seam.HandOver: "hand-over", seam.MayYield: "may-yield", seam.Yields: "yields", seam.TimePasses: "time-passes"}

// Write writes the log as text.
func (l *Log) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s %d\nseed 0x%016x\nstrategy %s\n", logHeader, logVersion, l.Seed, l.Strategy)
	places := map[string]int{}
	for i := 0; i < len(l.Decisions); {
		d := l.Decisions[i]
		if d.Kind == seam.TimePasses {
			fmt.Fprintf(out, "%s %d\n", kinds[d.Kind], d.Answer)
			i++
			continue
		}
		if d.Stays() {
			n := l.series(i)
			fmt.Fprintf(out, "%s %d stays %d\n", kinds[d.Kind], d.Goroutine, n)
			i += n
			continue
		}
		place, known := places[d.Place]
		if !known {
			place = len(places) + 1
			places[d.Place] = place
			fmt.Fprintf(out, "place %d %s\n", place, d.Place)
		}
		fmt.Fprintf(out, "%s %d of %d at %d\n", kinds[d.Kind], d.Goroutine, d.Waiting, place)
		i++
	}
	if l.Truncated {
		fmt.Fprintln(out, "truncated")
	}
	fmt.Fprintf(out, "end %d\n", len(l.Decisions))
	return out.Flush()
}

// series counts the decisions from the i-th that are written as one line with it.
func (l *Log) series(i int) int {
	n := 1
	for _, d := range l.Decisions[i+1:] {
		if !d.Stays() || d.Kind != l.Decisions[i].Kind || d.Goroutine != l.Decisions[i].Goroutine {
			break
		}
		n++
	}
	return n
}

// String tells a decision as a line of the text form would.
func (d Decision) String() string {
	name := "?"
	if int(d.Kind) < len(kinds) {
		name = kinds[d.Kind]
	}
	switch {
	case d.Kind == seam.TimePasses:
		return fmt.Sprintf("%s %d", name, d.Answer)
	case d.Stays():
		return fmt.Sprintf("%s: goroutine %d goes on", name, d.Goroutine)
	}
	return fmt.Sprintf("%s: goroutine %d of %d that waited goes on at %s", name, d.Goroutine, d.Waiting, d.Place)
}

// Max is the number of decisions beyond which a log is neither recorded nor read.
const Max = 1 << 20

// Read reads what Write has written. An error names the line. A log of a newer version is refused by that version.
func Read(r io.Reader) (*Log, error) {
	p := logParser{lines: bufio.NewScanner(r)}
	for p.lines.Scan() {
		p.line++
		if err := p.parse(p.lines.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	if err := p.lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.line+1, err)
	}
	if !p.ended {
		return nil, fmt.Errorf("line %d: the log is cut off; its last line is \"end\" and the number of decisions", p.line+1)
	}
	return &p.log, nil
}

type logParser struct {
	lines  *bufio.Scanner
	line   int
	log    Log
	places []string
	ended  bool
}

func (p *logParser) parse(text string) error {
	if p.ended {
		return errors.New("there is something behind the end")
	}
	word, rest, _ := strings.Cut(text, " ")
	if p.line == 1 {
		return checkLogVersion(word, rest)
	}
	switch word {
	case "seed":
		return parseUint(&p.log.Seed, rest, 0, "seed")
	case "strategy":
		p.log.Strategy = rest
		return nil
	case "place":
		return p.place(rest)
	case "truncated":
		p.log.Truncated = true
		return nil
	case "end":
		return p.end(rest)
	}
	for kind, name := range kinds {
		if name == word {
			return p.decision(seam.Kind(kind), rest)
		}
	}
	return fmt.Errorf("begins with %q; accepted are seed, strategy, place, %s, truncated and end", word, strings.Join(kinds[:], ", "))
}

func checkLogVersion(word, version string) error {
	if word != logHeader {
		return fmt.Errorf("begins with %q; the first line of a log is %s %d", word, logHeader, logVersion)
	}
	n, err := strconv.Atoi(version)
	if err != nil || n < 1 {
		return fmt.Errorf("%s is %q; it accepts %d", logHeader, version, logVersion)
	}
	if n > logVersion {
		return fmt.Errorf("%s is %d, and this version of faultline reads up to %d", logHeader, n, logVersion)
	}
	return nil
}

func (p *logParser) place(text string) error {
	number, place, ok := strings.Cut(text, " ")
	if !ok || place == "" || number != strconv.Itoa(len(p.places)+1) {
		return fmt.Errorf("place %q; expected number %d and the place", text, len(p.places)+1)
	}
	p.places = append(p.places, place)
	return nil
}

func (p *logParser) end(text string) error {
	var n uint64
	if err := parseUint(&n, text, 10, "number of decisions"); err != nil {
		return err
	}
	if n != uint64(len(p.log.Decisions)) {
		return fmt.Errorf("the log says that it has %d decisions, but has %d", n, len(p.log.Decisions))
	}
	p.ended = true
	return nil
}

// decision reads "5 of 3 at 1" or "4 stays 17".
func (p *logParser) decision(kind seam.Kind, text string) error {
	d := Decision{Kind: kind}
	if kind == seam.TimePasses {
		answer, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return fmt.Errorf("time-passes %q is not a number of 32 bits", text)
		}
		d.Answer = uint32(answer)
		return p.append(d, 1)
	}
	words := strings.Split(text, " ")
	if err := parseUint(&d.Goroutine, words[0], 10, "goroutine"); err != nil {
		return err
	}
	switch {
	case len(words) == 3 && words[1] == "stays" && kind != seam.HandOver:
		var n uint64
		if err := parseUint(&n, words[2], 10, "number of decisions"); err != nil {
			return err
		}
		return p.append(d, n)
	case len(words) == 5 && words[1] == "of" && words[3] == "at":
		var waiting, place uint64
		if err := errors.Join(parseUint(&waiting, words[2], 10, "number that waited"), parseUint(&place, words[4], 10, "place")); err != nil {
			return err
		}
		if waiting < 1 || waiting > 1<<32-1 {
			return fmt.Errorf("%d goroutines that waited; it accepts 1 to %d", waiting, uint32(1<<32-1))
		}
		if place < 1 || place > uint64(len(p.places)) {
			return fmt.Errorf("place %d is not listed before", place)
		}
		d.Waiting, d.Place = uint32(waiting), p.places[place-1]
		return p.append(d, 1)
	}
	return fmt.Errorf("decision %q; accepted are \"G of N at P\" and, for a goroutine that went on, \"G stays N\"", text)
}

func (p *logParser) append(d Decision, n uint64) error {
	if n < 1 || n > Max-uint64(len(p.log.Decisions)) {
		return fmt.Errorf("%d decisions more than the %d before; a log has at most %d", n, len(p.log.Decisions), Max)
	}
	for range n {
		p.log.Decisions = append(p.log.Decisions, d)
	}
	return nil
}

func parseUint(n *uint64, text string, base int, what string) error {
	v, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		return fmt.Errorf("%s %q is not a number", what, text)
	}
	*n = v
	return nil
}
