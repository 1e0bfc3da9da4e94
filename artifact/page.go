// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/hmdsefi/faultline/artifact/internal/lines"
	"github.com/hmdsefi/faultline/artifact/page"
	"github.com/hmdsefi/faultline/sim/history"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// Page writes timeline.html: the run as a page that draws what happened on each
// node and walks from the failure to its causes. It loads nothing.
func Page(w io.Writer, run *Run) error {
	s := newStrings()
	data := &page.Data{
		Head:       pageHead(run),
		Nodes:      printableAll(run.Report.NodeNames()),
		Records:    pageRecords(run.Records, s),
		Operations: pageOperations(run),
		Turns:      pageTurns(run.Decisions, s),
	}
	for i := range run.Records { // nodes that the report lacks
		for int(run.Records[i].Node) > len(data.Nodes) {
			data.Nodes = append(data.Nodes, fmt.Sprintf("#%d", len(data.Nodes)+1))
		}
	}
	data.Strings = s.list
	return page.Write(w, data)
}

func pageHead(run *Run) page.Head {
	r := &run.Report
	h := page.Head{
		Title:    lines.Printable(fmt.Sprintf("%s/seed=%v", r.Test, r.Seed)),
		Status:   string(r.Status),
		Headline: headline(r),
		Failure:  -1,
		FailedAt: -1,
		End:      r.Run.EndNS,
	}
	for _, line := range consoleLines(run) {
		if line.text != "" {
			h.Facts = append(h.Facts, page.Fact{Name: line.label, Text: lines.PrintableLines(line.text)})
		}
	}
	for _, warning := range r.Warnings {
		h.Facts = append(h.Facts, page.Fact{Name: "warning", Text: lines.PrintableLines(warning)})
	}
	if run.Schedule != nil {
		h.Recovery = int64(run.Schedule.Recovery)
	}
	if f := r.Failure; f != nil {
		h.Message, h.Stack, h.FailedAt = lines.PrintableLines(f.Message), lines.PrintableLines(f.Stack), f.AtNS
		if i, ok := find(run.Records, f.Record); ok {
			h.Failure = i
		}
	}
	return h
}

// stringTable numbers texts, each once.
type stringTable struct {
	list  []string
	index map[string]int
}

// newStrings returns a table whose text 0 is empty.
func newStrings() *stringTable { return &stringTable{list: []string{""}, index: map[string]int{"": 0}} }

func (s *stringTable) add(text string) int {
	i, ok := s.index[text]
	if !ok {
		i = len(s.list)
		s.list = append(s.list, lines.Printable(text))
		s.index[text] = i
	}
	return i
}

func printableAll(texts []string) []string {
	for i := range texts {
		texts[i] = lines.Printable(texts[i])
	}
	return texts
}

func pageRecords(records []kernel.Record, s *stringTable) page.Records {
	n := len(records)
	c := page.Records{
		Seq: make([]int64, n), At: make([]int64, n), Node: make([]int, n), Inc: make([]int, n),
		Kind: make([]int, n), Cause: make([]int, n), Text: make([]int, n), Attrs: make([][]int, n),
	}
	var last kernel.Record
	for i := range records {
		r := &records[i]
		c.Seq[i], c.At[i] = int64(r.Seq-last.Seq), int64(r.At-last.At)
		c.Node[i], c.Inc[i] = int(r.Node), r.Inc
		c.Kind[i], c.Text[i] = s.add(string(r.Kind)), s.add(r.Text)
		c.Cause[i] = stepsBack(records, i)
		c.Attrs[i] = make([]int, 0, 2*len(r.Attrs))
		for _, a := range r.Attrs {
			c.Attrs[i] = append(c.Attrs[i], s.add(a.Key), s.add(a.Value))
		}
		last = *r
	}
	return c
}

// stepsBack says how many records before the i-th its cause stands.
func stepsBack(records []kernel.Record, i int) int {
	r := &records[i]
	if r.Cause == 0 {
		return 0
	}
	if at, ok := findBefore(records, i, r.Cause); ok {
		return i - at
	}
	return -1
}

func pageOperations(run *Run) []page.Operation {
	list := make([]page.Operation, len(run.History))
	for i, op := range run.History {
		list[i] = page.Operation{
			ID: op.ID, Process: lines.Printable(op.Process), F: lines.Printable(op.F), Status: string(op.Status),
			Call: int64(op.Call), Return: int64(op.Return), Input: valueText(op.Input), Output: valueText(op.Output),
		}
		if op.Status == history.Pending {
			list[i].Return = run.Report.Run.EndNS
		}
	}
	return list
}

// valueText is a client's value as JSON.
func valueText(value any) string {
	if value == nil {
		return ""
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return lines.Printable(err.Error())
	}
	return lines.Printable(strings.TrimSuffix(b.String(), "\n"))
}
