// SPDX-License-Identifier: MPL-2.0

// faults.js finds how long each fault lasted: until the one that undoes it.

// lasting are the faults that go on until something undoes them.
const lasting = new Set([
  "partition", "isolate", "cut", "link", "crash", "pause", "clock-drift", "sync-fail", "disk-capacity", "misdirect-write", "misdirect-read",
]);

// faultSpans returns spans {from, to, label, record}, oldest first.
function faultSpans(run) {
  const spans = [];
  const byID = new Map();
  for (let i = 0; i < run.count; i++) {
    const kind = run.kindOf(i);
    if (!kind.startsWith("fault.") || kind === "fault.no-effect") continue;
    const undone = byID.get(run.attr(i, "undoes"));
    if (undone) Object.assign(undone, { to: run.at[i] });
    else {
      const name = kind.slice(6), from = run.at[i];
      const span = { from, to: lasting.has(name) ? run.end : from + run.end / 500, label: (name + " " + run.textOf(i)).trim(), record: i };
      spans.push(span);
      byID.set(run.attr(i, "id"), span);
    }
  }
  return spans;
}
