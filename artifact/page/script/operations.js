// SPDX-License-Identifier: MPL-2.0

// operations.js places what clients asked for in rows, so that operations of one
// client that overlap do not hide each other.

// inRows gives each span {from, to} one of at most so many rows, and returns how
// many there are.
function inRows(spans, most) {
  const ends = [];
  for (const span of spans) {
    let row = ends.findIndex((end) => end <= span.from);
    if (row < 0) row = ends.length < most ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = span.to;
    span.row = row;
  }
  return ends.length;
}

// operationsBy returns {spans, rows} by the name of the client.
function operationsBy(run) {
  const by = new Map();
  run.operations.forEach((op) => {
    if (!by.has(op.process)) by.set(op.process, { spans: [], rows: 0 });
    by.get(op.process).spans.push({ from: op.call, to: op.return, op });
  });
  for (const client of by.values()) client.rows = inRows(client.spans, 4);
  return by;
}

const statusText = { ok: "ok", fail: "failed", info: "unknown whether it took effect", pending: "pending at the end" };
