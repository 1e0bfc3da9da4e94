// SPDX-License-Identifier: MPL-2.0

// decode.js turns the columns of the page's data into typed arrays, which stay
// small and quick to scan with very many records.

const none = -1; // an index that points to nothing
const unkept = -2; // a cause that the trace lacks

function running(differences) {
  const sums = new Float64Array(differences.length);
  let sum = 0;
  for (let i = 0; i < sums.length; i++) sums[i] = sum += differences[i];
  return sums;
}

function causes(back) {
  const list = new Int32Array(back.length);
  for (let i = 0; i < list.length; i++) list[i] = back[i] > 0 ? i - back[i] : back[i] < 0 ? unkept : none;
  return list;
}

function decode(raw) {
  const c = raw.records;
  const run = {
    head: raw.head,
    nodes: raw.nodes, // names; node n has the name nodes[n - 1]
    strings: raw.strings,
    count: c.seq.length,
    seq: running(c.seq),
    at: running(c.at),
    node: Int32Array.from(c.node),
    inc: Int32Array.from(c.inc),
    kind: Int32Array.from(c.kind),
    cause: causes(c.cause),
    text: Int32Array.from(c.text),
    attrs: c.attrs,
    operations: raw.operations || [],
    turns: raw.turns || null,
  };
  run.end = Math.max(run.head.end, run.count ? run.at[run.count - 1] : 0, 1);
  run.kindOf = (i) => run.strings[run.kind[i]];
  run.textOf = (i) => run.strings[run.text[i]];
  run.nodeName = (n) => (n ? run.nodes[n - 1] : "");
  run.attr = (i, key) => {
    const list = run.attrs[i];
    for (let k = 0; k < list.length; k += 2) if (run.strings[list[k]] === key) return run.strings[list[k + 1]];
    return "";
  };
  run.nodeByName = new Map(run.nodes.map((name, i) => [name, i + 1]));
  return run;
}

// kindsWhere says of each kind whether a test holds, by its number: there are few
// kinds, and comparing texts for each record takes long.
function kindsWhere(run, test) {
  const table = new Uint8Array(run.strings.length);
  for (const kind of new Set(run.kind)) table[kind] = test(run.strings[kind]);
  return table;
}

// whose is a node and its incarnation, as in timeline.txt.
function whose(run, i) {
  if (!run.node[i]) return "";
  return run.nodeName(run.node[i]) + (run.inc[i] ? "#" + run.inc[i] : "");
}
