// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hmdsefi/faultline/artifact/internal/lines"
	"github.com/hmdsefi/faultline/sim/kernel"
)

// TraceVersion is the version of trace.jsonl that this package writes and the
// newest that it reads.
const TraceVersion = 1

// maxLine bounds a line of trace.jsonl.
const maxLine = 16 << 20

// traceHeader is the first line of trace.jsonl.
type traceHeader struct {
	Version   int      `json:"faultline_trace"`
	Seed      Hex64    `json:"seed"`
	TraceHash Hex64    `json:"trace_hash"`
	Records   int      `json:"records"` // lines that follow
	Nodes     []string `json:"nodes"`   // names by id, the first has id 1
}

// traceLine is one record. Node is a name, so that a line says something by
// itself.
type traceLine struct {
	Seq   uint64      `json:"seq"`
	At    kernel.Time `json:"at"`
	T     string      `json:"t"`
	Node  string      `json:"node,omitempty"`
	Inc   int         `json:"inc,omitempty"`
	Kind  kernel.Kind `json:"kind"`
	Cause uint64      `json:"cause,omitempty"`
	Text  string      `json:"text,omitempty"`
	Attrs attrs       `json:"attrs,omitempty"`
}

// attrs are the details of a record as a JSON object that keeps their order.
type attrs []kernel.Attr

// MarshalJSON implements json.Marshaler.
func (a attrs) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, attr := range a {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := json.Marshal(attr.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(attr.Value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *attrs) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("attrs are no JSON object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value string
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("attrs: value of %q: %w", key, err)
		}
		*a = append(*a, kernel.Attr{Key: key.(string), Value: value})
	}
	return nil
}

// writeTrace writes trace.jsonl.
func writeTrace(w io.Writer, run *Run) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	names := run.Report.NodeNames()
	err := enc.Encode(traceHeader{
		Version:   TraceVersion,
		Seed:      run.Report.Seed,
		TraceHash: run.Report.Run.TraceHash,
		Records:   len(run.Records),
		Nodes:     names,
	})
	for i := 0; err == nil && i < len(run.Records); i++ {
		r := &run.Records[i]
		err = enc.Encode(traceLine{
			Seq: r.Seq, At: r.At, T: r.At.String(), Node: lines.Name(names, r.Node), Inc: r.Inc,
			Kind: r.Kind, Cause: r.Cause, Text: r.Text, Attrs: r.Attrs,
		})
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// readTrace reads trace.jsonl. Its errors begin with the number of the line.
func readTrace(r io.Reader) ([]kernel.Record, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	if !in.Scan() {
		return nil, fmt.Errorf("line 1: %w", cmp.Or(in.Err(), errors.New("no header, the file is empty")))
	}
	header, err := readTraceHeader(in.Bytes())
	if err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	ids := map[string]kernel.NodeID{"": 0}
	for i, name := range header.Nodes {
		ids[name] = kernel.NodeID(i + 1)
	}
	var records []kernel.Record
	last := uint64(0)
	for line := 2; in.Scan(); line++ {
		record, err := readRecord(in.Bytes(), ids, last)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		last = record.Seq
		records = append(records, record)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", len(records)+2, err)
	}
	if len(records) != header.Records {
		return nil, fmt.Errorf("line %d: the file ends after %d records, but its header promises %d", len(records)+1, len(records), header.Records)
	}
	return records, nil
}

func readTraceHeader(line []byte) (traceHeader, error) {
	var h traceHeader
	if err := json.Unmarshal(line, &h); err != nil {
		return h, err
	}
	return h, checkVersion("faultline_trace", h.Version, TraceVersion)
}

// checkVersion refuses what this package does not read.
func checkVersion(format string, version, newest int) error {
	switch {
	case version > newest:
		return fmt.Errorf("%s version %d is newer than this faultline reads (up to %d)", format, version, newest)
	case version < 1:
		return fmt.Errorf("no field %q with a version from 1 to %d", format, newest)
	}
	return nil
}

func readRecord(line []byte, ids map[string]kernel.NodeID, last uint64) (kernel.Record, error) {
	var l traceLine
	if err := json.Unmarshal(line, &l); err != nil {
		return kernel.Record{}, err
	}
	id, ok := ids[l.Node]
	switch {
	case !ok:
		return kernel.Record{}, fmt.Errorf("node %q is not among those of the header", l.Node)
	case l.Seq <= last:
		return kernel.Record{}, fmt.Errorf("seq is %d, want more than the %d before it", l.Seq, last)
	case l.Cause >= l.Seq:
		return kernel.Record{}, fmt.Errorf("cause is %d, want less than the seq %d", l.Cause, l.Seq)
	case l.Kind == "":
		return kernel.Record{}, errors.New("no kind")
	}
	return kernel.Record{
		Seq: l.Seq, At: l.At, Node: id, Inc: l.Inc,
		Kind: l.Kind, Cause: l.Cause, Text: l.Text, Attrs: l.Attrs,
	}, nil
}
