// SPDX-License-Identifier: MPL-2.0

// disk.js finds what became of each write: whether a sync made it durable, or what
// a crash did to it before one.

const durability = {
  unsynced: "not synced by the end",
  synced: "synced",
  failed: "its sync failed",
  kept: "not synced, and a crash kept it",
  lost: "lost in a crash",
  torn: "torn in a crash",
  nameless: "lost in a crash: the file lost its directory entry",
};

// diskFates returns {write, fate, by} by record of the write; by is the record
// that settled it.
function diskFates(run) {
  const volumes = new Map();
  const fates = new Map();
  for (let i = 0; i < run.count; i++) {
    const step = diskSteps[run.kindOf(i)];
    if (!step) continue;
    if (!volumes.has(run.node[i])) volumes.set(run.node[i], new Map());
    step(run, i, volumes.get(run.node[i]), fates);
  }
  return fates;
}

// A file is known by each name that it has had: a crash may bring back an old one.
// Of its writes those are open whose fate may still change without a loss of its
// name; there are few of them, and a sync looks at those alone.
function fileAt(files, path) {
  if (!files.has(path)) files.set(path, { writes: [], open: [] });
  return files.get(path);
}

// settle gives the open writes of some fates another one. They stay open if it may
// change too.
function settle(fates, file, from, fate, by) {
  const still = [];
  for (const write of file.open) {
    if (!from.includes(fates.get(write).fate)) still.push(write);
    else {
      fates.set(write, { fate, by });
      if (fate === "failed") still.push(write);
    }
  }
  file.open = still;
}

const diskSteps = {
  "disk.create": (run, i, files) => files.set(run.attr(i, "path"), { writes: [], open: [] }),
  "disk.write": (run, i, files, fates) => {
    const file = fileAt(files, run.attr(i, "path"));
    file.writes.push(i);
    file.open.push(i);
    fates.set(i, { fate: "unsynced", by: none });
  },
  "disk.sync": (run, i, files, fates) => {
    const ok = run.attr(i, "result") === "ok";
    settle(fates, fileAt(files, run.attr(i, "path")), ok ? ["unsynced"] : ["unsynced", "failed"], ok ? "synced" : "failed", i);
  },
  "disk.rename": (run, i, files) => files.set(run.attr(i, "to"), fileAt(files, run.attr(i, "path"))),
  "disk.crash": (run, i, files, fates) => {
    const file = fileAt(files, run.attr(i, "path"));
    if (run.attr(i, "dropped")) settle(fates, file, ["failed"], "lost", i);
    else if (run.attr(i, "model")) settleByModel(run, i, file, fates);
    else if (run.textOf(i).includes("dropped the directory entry")) loseAll(fates, file, i);
  },
};

// loseAll is for a file whose name is gone: what was synced is gone with it.
function loseAll(fates, file, by) {
  for (const write of file.writes) fates.set(write, { fate: "nameless", by });
  file.open = [];
}

// settleByModel reads what a crash says that it lost and tore.
function settleByModel(run, i, file, fates) {
  const lost = byteRanges(run.attr(i, "lost")), torn = byteRanges(run.attr(i, "torn"));
  const settled = file.open.filter((write) => fates.get(write).fate === "unsynced");
  file.open = file.open.filter((write) => fates.get(write).fate !== "unsynced");
  for (const write of settled) {
    const from = Number(run.attr(write, "off")), to = from + Number(run.attr(write, "len")) - 1;
    const fate = overlaps(torn, from, to) ? "torn" : overlaps(lost, from, to) ? "lost" : "kept";
    fates.set(write, { fate, by: i });
  }
}

function byteRanges(text) {
  return [...text.matchAll(/bytes (\d+) to (-?\d+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
}

function overlaps(ranges, from, to) {
  return ranges.some(([first, last]) => first <= to && last >= from);
}
