// SPDX-License-Identifier: MPL-2.0

package gaps

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Version is the version of the text form that Write writes and the newest one
// that Read accepts.
const Version = 1

const (
	magic   = "# faultline_gaps "
	legend  = "# Constructs that the wrapper left unchanged although they can change goroutine order.\n# file:line, construct, reason, cure and acceptance, separated by tabs.\n"
	maxLine = 1 << 20
)

// Labels of the optional columns; the first three columns need none.
const (
	cureLabel     = "cure: "
	acceptedLabel = "accepted: "
)

var (
	escaper   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	unescaper = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")
)

// Write writes list in its text form: a comment header, then one line for each
// gap, sorted and without duplicates. It does not change list. A gap that Read
// would refuse is an error, and nothing is written.
func Write(w io.Writer, list []Gap) error {
	sorted := slices.Clone(list)
	Sort(sorted)
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d\n%s", magic, Version, legend)
	for _, g := range slices.Compact(sorted) {
		if err := g.check(); err != nil {
			return fmt.Errorf("gaps: %s:%d: %w", g.File, g.Line, err)
		}
		b.WriteString(Line(g))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Line returns the text form of one gap, without a newline.
func Line(g Gap) string {
	columns := []string{
		escaper.Replace(g.File) + ":" + strconv.Itoa(g.Line),
		escaper.Replace(g.Construct),
		escaper.Replace(g.Reason),
	}
	if g.Cure != "" {
		columns = append(columns, cureLabel+escaper.Replace(g.Cure))
	}
	if g.Accepted != "" {
		columns = append(columns, acceptedLabel+escaper.Replace(g.Accepted))
	}
	return strings.Join(columns, "\t")
}

// Read reads the text form that Write wrote. It is strict: every line must be
// a comment, empty, or a gap; an error names the line. A file of a newer
// version is refused by that version.
func Read(r io.Reader) ([]Gap, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	var list []Gap
	n := 0
	for in.Scan() {
		n++
		g, ok, err := readLine(n, in.Text())
		if err != nil {
			return nil, fmt.Errorf("gaps: line %d: %w", n, err)
		}
		if ok {
			list = append(list, g)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("gaps: line %d: %w", n+1, err)
	}
	if n == 0 {
		return nil, fmt.Errorf("gaps: line 1: %w", errHeader)
	}
	return list, nil
}

var errHeader = errors.New("want " + strconv.Quote(magic+strconv.Itoa(Version)))

func readLine(n int, text string) (g Gap, ok bool, err error) {
	switch {
	case n == 1:
		return Gap{}, false, checkHeader(text)
	case text == "" || text[0] == '#':
		return Gap{}, false, nil
	}
	g, err = ParseLine(text)
	return g, true, err
}

func checkHeader(text string) error {
	version, ok := strings.CutPrefix(text, magic)
	v, err := strconv.Atoi(version)
	if !ok || err != nil || v < 1 {
		return errHeader
	}
	if v > Version {
		return fmt.Errorf("faultline_gaps version %d is newer than this faultline reads (up to %d)", v, Version)
	}
	return nil
}

// ParseLine reads one line that Line wrote.
func ParseLine(text string) (Gap, error) {
	columns := strings.Split(text, "\t")
	if len(columns) < 3 {
		return Gap{}, fmt.Errorf("%d columns, want file:line, construct and reason separated by tabs", len(columns))
	}
	file, line, err := splitPosition(columns[0])
	if err != nil {
		return Gap{}, err
	}
	g := Gap{
		File:      unescaper.Replace(file),
		Line:      line,
		Construct: unescaper.Replace(columns[1]),
		Reason:    unescaper.Replace(columns[2]),
	}
	if err := g.check(); err != nil {
		return Gap{}, err
	}
	rest := columns[3:]
	g.Cure, rest = takeLabelled(rest, cureLabel)
	g.Accepted, rest = takeLabelled(rest, acceptedLabel)
	if len(rest) > 0 {
		return Gap{}, fmt.Errorf("column %q, want %q then %q, each at most once and not empty", rest[0], cureLabel, acceptedLabel)
	}
	return g, nil
}

// splitPosition cuts at the last colon: a path may hold others.
func splitPosition(text string) (file string, line int, err error) {
	i := strings.LastIndexByte(text, ':')
	if i > 0 {
		line, err = strconv.Atoi(text[i+1:])
	}
	if i <= 0 || err != nil {
		return "", 0, fmt.Errorf("position %q, want file:line", text)
	}
	return text[:i], line, nil
}

func takeLabelled(columns []string, label string) (value string, rest []string) {
	if len(columns) == 0 {
		return "", columns
	}
	text, ok := strings.CutPrefix(columns[0], label)
	if !ok || text == "" {
		return "", columns
	}
	return unescaper.Replace(text), columns[1:]
}
