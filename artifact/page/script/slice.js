// SPDX-License-Identifier: MPL-2.0

// slice.js finds what led to a record, as artifact.CausalSlice does: the chain of
// its causes, for each node on it how that node came to live then, and what the
// crashes on it cost.

const sliceLimit = 10000;
const lifeKinds = new Set(["boot", "crash", "restart", "pause", "resume"]);

// livesBefore gives each record the one that last began, ended or interrupted the
// life of its node.
function livesBefore(run) {
  const before = new Int32Array(run.count).fill(none);
  const latest = new Map();
  const life = kindsWhere(run, (kind) => lifeKinds.has(kind));
  for (let i = 0; i < run.count; i++) {
    const node = run.node[i];
    if (!node) continue;
    before[i] = latest.has(node) ? latest.get(node) : none;
    if (life[run.kind[i]]) latest.set(node, i);
  }
  return before;
}

// causalSlice returns records, rising, and for each what came of it: edges from a
// record to a later one, marked when that is no cause but the life of a node.
function causalSlice(run, last) {
  const needed = new Uint8Array(run.count);
  const slice = { records: [], edges: [], cut: false };
  if (last < 0) return slice;
  needed[last] = 1;
  for (let i = last; i >= 0; i--) {
    if (!needed[i]) continue;
    if (slice.records.length === sliceLimit) {
      slice.cut = true;
      break;
    }
    slice.records.push(i);
    for (const from of new Set([run.cause[i], run.lives[i]])) {
      if (from < 0) continue;
      needed[from] = 1;
      slice.edges.push({ from, to: i, life: from !== run.cause[i] });
    }
  }
  slice.records.reverse();
  addLosses(run, slice, last);
  slice.has = new Set(slice.records);
  slice.edges = slice.edges.filter((e) => slice.has.has(e.from));
  return slice;
}

// addLosses adds what the crashes did to their nodes, such as writes that a disk
// lost: often that is the answer, though nothing came of it.
function addLosses(run, slice, last) {
  const has = new Set(slice.records);
  const crashes = slice.records.filter((i) => run.kindOf(i) === "crash");
  for (let i = crashes.length ? crashes[0] : run.count; i <= last; i++) {
    const crash = run.cause[i];
    if (crash < 0 || has.has(i) || !has.has(crash) || run.kindOf(crash) !== "crash" || run.node[crash] !== run.node[i]) continue;
    if (slice.records.length >= sliceLimit) {
      slice.cut = true;
      break;
    }
    slice.records.push(i);
    slice.edges.push({ from: crash, to: i, life: false });
  }
  slice.records.sort((a, b) => a - b);
}

// isTurningPoint says whether a record changed what its node or the network could
// do, rather than being one step of many.
function isTurningPoint(run, i) {
  const kind = run.kindOf(i);
  return lifeKinds.has(kind) || kind === "fail" || kind === "exit" || kind === "clock" || kind.startsWith("fault.") ||
    ["net.drop", "net.corrupt", "disk.crash", "disk.corrupt", "tcp.rst", "tcp.timeout", "udp.overflow"].includes(kind) ||
    (kind.startsWith("disk.") && (run.attr(i, "result") || "ok") !== "ok") || kind.startsWith("disk.stray");
}
