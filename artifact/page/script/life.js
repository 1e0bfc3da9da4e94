// SPDX-License-Identifier: MPL-2.0

// life.js finds when each node was up, paused or down, and how its clock ran.

// afterLife is the state in which a record leaves its node.
const afterLife = { boot: "up", restart: "up", resume: "up", crash: "down", pause: "paused" };

// lifeSpans returns, by node, spans {from, to, state, inc, record}.
function lifeSpans(run) {
  const spans = run.nodes.map(() => []);
  for (let i = 0; i < run.count; i++) {
    const state = afterLife[run.kindOf(i)];
    if (!state || !run.node[i]) continue;
    const list = spans[run.node[i] - 1];
    if (list.length) list[list.length - 1].to = run.at[i];
    list.push({ from: run.at[i], to: run.end, state, inc: run.inc[i], record: i });
  }
  return spans;
}

// driftSpans returns, by node, spans {from, to, ppm, record} in which a clock ran
// faster or slower.
function driftSpans(run) {
  const spans = run.nodes.map(() => []);
  for (let i = 0; i < run.count; i++) {
    if (run.kindOf(i) !== "clock" || !run.node[i]) continue;
    const drift = /^drifts by (-?\d+) ppm/.exec(run.textOf(i));
    if (!drift) continue;
    const list = spans[run.node[i] - 1];
    const open = list[list.length - 1];
    if (open && open.open) Object.assign(open, { to: run.at[i], open: false });
    if (Number(drift[1])) list.push({ from: run.at[i], to: run.end, ppm: Number(drift[1]), record: i, open: true });
  }
  return spans;
}
