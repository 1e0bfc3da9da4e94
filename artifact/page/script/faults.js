// SPDX-License-Identifier: MPL-2.0

// faults.js finds how long each fault lasted: until the one that undoes it.

// faultSpans returns spans {from, to, label, record, ended}, oldest first.
function faultSpans(run) {
  const spans = [];
  const byID = new Map();
  for (let i = 0; i < run.count; i++) {
    const kind = run.kindOf(i);
    if (!kind.startsWith("fault.") || kind === "fault.no-effect") continue;
    const undone = byID.get(run.attr(i, "undoes"));
    if (undone) Object.assign(undone, { to: run.at[i], ended: i });
    else {
      const span = { from: run.at[i], to: run.at[i], label: (kind.slice(6) + " " + run.textOf(i)).trim(), record: i, ended: none };
      spans.push(span);
      byID.set(run.attr(i, "id"), span);
    }
  }
  return spans;
}
