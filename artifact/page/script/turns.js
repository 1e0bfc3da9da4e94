// SPDX-License-Identifier: MPL-2.0

// turns.js tells of an exact run which goroutine ran when. Time is counted in
// decisions here: the log of decisions has no other.

function decodeTurns(run) {
  const raw = run.turns;
  if (!raw) return null;
  const count = raw.goroutine.length;
  const turns = {
    ...raw, count,
    start: new Float64Array(count), stop: new Float64Array(count), // decisions before, and up to its last
    before: new Int32Array(count).fill(none), // the goroutine's turn before
  };
  const lanes = new Map();
  let at = raw.first;
  for (let i = 0; i < count; i++) {
    const g = raw.goroutine[i];
    turns.start[i] = at;
    turns.stop[i] = at += 1 + raw.stays[i];
    if (!lanes.has(g)) lanes.set(g, { goroutine: g, turns: [], places: new Map() });
    const lane = lanes.get(g);
    if (lane.turns.length) turns.before[i] = lane.turns[lane.turns.length - 1];
    lane.turns.push(i);
    lane.places.set(raw.place[i], (lane.places.get(raw.place[i]) || 0) + 1);
  }
  turns.end = at;
  turns.lanes = [...lanes.values()];
  for (const lane of turns.lanes) lane.home = homeOf(run, lane);
  turns.placeOf = (i) => run.strings[raw.place[i]];
  return turns;
}

// homeOf names a goroutine by the place where it waits most, of those that are not
// just its start.
function homeOf(run, lane) {
  const places = [...lane.places].map(([place, n]) => ({ text: run.strings[place], n })).filter((p) => !p.text.startsWith("runtime."));
  places.sort((a, b) => b.n - a.n);
  return places.length ? shortPlace(places[0].text) : "";
}

// shortPlace keeps of "example.com/a/pkg.(*T).F /home/u/a/pkg/file.go:17" what
// fits in a lane.
function shortPlace(place) {
  const [name, file] = place.split(" ");
  return name.slice(name.lastIndexOf("/") + 1) + (file ? " " + file.slice(file.lastIndexOf("/") + 1) : "");
}
