// SPDX-License-Identifier: MPL-2.0

package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hmdsefi/faultline/sim/kernel"
)

// Version is the version of the file format that is written, and the newest that
// is read.
const Version = 1

type header struct {
	Version *int `json:"faultline_history"`
}

// line is one operation in the file.
type line struct {
	ID          int             `json:"id"`
	Process     string          `json:"process"`
	F           string          `json:"f"`
	Status      Status          `json:"status"`
	Call        kernel.Time     `json:"call"`
	Return      *kernel.Time    `json:"return,omitempty"`
	CallIndex   int             `json:"call_index"`
	ReturnIndex int             `json:"return_index,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
}

// WriteJSONL writes a header line and then one line per operation. Times are
// virtual nanoseconds; a pending operation has neither return nor return_index.
func WriteJSONL(w io.Writer, ops []Op) error {
	version := Version
	b := bufio.NewWriter(w)
	enc := newEncoder(b)
	if err := enc.Encode(header{&version}); err != nil {
		return err
	}
	for i := range ops {
		l, err := lineOf(&ops[i])
		if err == nil {
			err = enc.Encode(l)
		}
		if err != nil {
			return fmt.Errorf("history: operation %d (%s): %w", ops[i].ID, ops[i].F, err)
		}
	}
	return b.Flush()
}

func lineOf(op *Op) (line, error) {
	l := line{
		ID:          op.ID,
		Process:     op.Process,
		F:           op.F,
		Status:      op.Status,
		Call:        op.Call,
		CallIndex:   op.CallIndex,
		ReturnIndex: op.ReturnIndex,
	}
	if op.Status != Pending {
		l.Return = &op.Return
	}
	var err error
	if l.Input, err = encode(op.Input); err != nil {
		return l, fmt.Errorf("input: %w", err)
	}
	if l.Output, err = encode(op.Output); err != nil {
		return l, fmt.Errorf("output: %w", err)
	}
	return l, nil
}

func encode(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	var b bytes.Buffer
	if err := newEncoder(&b).Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// newEncoder returns an encoder that leaves <, > and & readable.
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// ReadJSONL reads what WriteJSONL wrote. It ignores fields that it does not know
// and rejects a newer version of the format; an error names the line and what is
// accepted.
func ReadJSONL(r io.Reader) ([]Op, error) {
	in := bufio.NewReader(r)
	if err := readHeader(in); err != nil {
		return nil, fmt.Errorf("history: line 1: %w", err)
	}
	var (
		ops  []Op
		used = indices{}
	)
	for n := 2; ; n++ {
		text, err := readLine(in)
		if err == io.EOF {
			return ops, nil
		}
		var op Op
		if err == nil {
			op, err = parse(text)
		}
		if err == nil {
			err = check(&op, len(ops)+1, used)
		}
		if err != nil {
			return nil, fmt.Errorf("history: line %d: %w", n, err)
		}
		ops = append(ops, op)
	}
}

func readHeader(in *bufio.Reader) error {
	text, err := readLine(in)
	if err == io.EOF {
		return errors.New("the file is empty: a header {\"faultline_history\":1} is expected")
	}
	if err != nil {
		return err
	}
	var h header
	if err := json.Unmarshal(text, &h); err != nil || h.Version == nil {
		return errors.New("no header: {\"faultline_history\":1} is expected")
	}
	if *h.Version > Version {
		return fmt.Errorf("faultline_history %d is newer than this build, which reads up to %d", *h.Version, Version)
	}
	if *h.Version < 1 {
		return fmt.Errorf("faultline_history %d: versions from 1 to %d are accepted", *h.Version, Version)
	}
	return nil
}

// readLine returns the next line without its end, or io.EOF after the last.
func readLine(in *bufio.Reader) ([]byte, error) {
	text, err := in.ReadBytes('\n')
	if err == io.EOF && len(text) > 0 {
		err = nil
	}
	return bytes.TrimRight(text, "\r\n"), err
}

func parse(text []byte) (Op, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Op{}, fmt.Errorf("no operation: %w", err)
	}
	op := Op{
		ID:          l.ID,
		Process:     l.Process,
		F:           l.F,
		Status:      l.Status,
		Call:        l.Call,
		CallIndex:   l.CallIndex,
		ReturnIndex: l.ReturnIndex,
	}
	if l.Status != Pending && !l.Status.complete() {
		return op, fmt.Errorf("status %q: ok, fail, info or pending is accepted", l.Status)
	}
	if l.Return == nil && l.Status != Pending {
		return op, fmt.Errorf("return is missing: an operation with status %q has one", l.Status)
	}
	if l.Return != nil && l.Status == Pending {
		return op, fmt.Errorf("return %d: a pending operation has none", *l.Return)
	}
	if l.Return != nil {
		op.Return = *l.Return
	}
	if l.Input != nil {
		op.Input = l.Input
	}
	if l.Output != nil {
		op.Output = l.Output
	}
	return op, nil
}

// indices are the call and return indices that earlier lines took.
type indices map[int]bool

func (u indices) take(i int) bool {
	taken := u[i]
	u[i] = true
	return !taken
}

// check returns an error if op cannot stand in a history as the operation with
// that id.
func check(op *Op, id int, used indices) error {
	pending := op.Status == Pending
	switch {
	case op.ID != id:
		return fmt.Errorf("id %d: the operations are numbered from 1 in order, %d is expected", op.ID, id)
	case op.F == "":
		return errors.New("f is empty: the name of what was asked is expected")
	case op.Call < 0:
		return fmt.Errorf("call %d: virtual nanoseconds from 0 are accepted", op.Call)
	case op.CallIndex < 1 || !used.take(op.CallIndex):
		return fmt.Errorf("call_index %d: a number from 1 that no other index has is expected", op.CallIndex)
	case pending && op.ReturnIndex != 0:
		return fmt.Errorf("return_index %d: a pending operation has none", op.ReturnIndex)
	case pending:
		return nil
	case op.Return < op.Call:
		return fmt.Errorf("return %d: the operation was called at %d", op.Return, op.Call)
	case op.ReturnIndex <= op.CallIndex || !used.take(op.ReturnIndex):
		return fmt.Errorf("return_index %d: a number above call_index %d that no other index has is expected", op.ReturnIndex, op.CallIndex)
	}
	return nil
}
