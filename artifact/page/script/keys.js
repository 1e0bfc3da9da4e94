// SPDX-License-Identifier: MPL-2.0

// keys.js says what keys do and tells it in the help.

const marks = [
  ["bar with #n", "incarnation n of a node is up; hatched: down; tinted: paused"],
  ["red ×", "a crash, or a message that was dropped"],
  ["line between lanes", "a message or TCP segment, from its sending to its arrival"],
  ["filled box", "a write that a sync made durable"],
  ["hollow box", "a write without a sync; half: a crash kept it all the same"],
  ["red box", "a write that a crash lost; half red: tore"],
  ["bar above a life", "a client's operation: green ok, red failed, amber unknown, grey pending"],
  ["amber diamond", "a clock jumped or drifts; dashes below a life: while it drifts"],
  ["thick line and dots", "the records that the failure follows from"],
];

function keyTable(app) {
  return [
    ["j", "next in the list", () => app.walk(1)],
    ["k", "the one before", () => app.walk(-1)],
    ["t", "next turning point in the list", () => app.toTurning(1)],
    ["T", "the turning point before", () => app.toTurning(-1)],
    ["c", "cause of the selected record", () => app.follow("cause")],
    ["l", "how its node came to live then", () => app.follow("lives")],
    ["e", "first effect", () => app.effect()],
    ["b", "back to what was selected before", () => app.back()],
    ["f", "the failure", () => app.toFailure()],
    ["0", "the whole run", () => app.plot.setRange(0, app.plot.scene.end)],
    ["+", "zoom in", () => app.zoom(0.5), ["="]],
    ["-", "zoom out", () => app.zoom(2)],
    ["z", "zoom to the selected record and its cause", () => app.zoomToPicked()],
    ["/", "search", () => app.parts.search.focus()],
  ];
}

function listenToKeys(app) {
  const table = new Map();
  for (const [key, , act, more = []] of keyTable(app)) for (const name of [key, ...more]) table.set(name, act);
  const arrows = { ArrowLeft: () => app.plot.pan(-0.2), ArrowRight: () => app.plot.pan(0.2) };
  const inList = {
    ArrowDown: () => app.walk(1), ArrowUp: () => app.walk(-1), PageDown: () => app.walk(10), PageUp: () => app.walk(-10),
    Home: () => app.walk(-Infinity), End: () => app.walk(Infinity), Enter: () => app.follow("cause"),
  };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "Escape") return app.escape(e.target);
    if (e.target.matches("input[type=search]")) return;
    const act = table.get(e.key) || (e.target === app.parts.list && inList[e.key]) || (e.target.matches("body, #scroller, #list") && arrows[e.key]);
    if (!act) return;
    e.preventDefault();
    act();
  });
}

function fillHelp(box, app) {
  const keys = element("dl");
  for (const [key, text] of keyTable(app)) keys.append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, text));
  for (const [key, after, text] of [
    ["← →", "", "move in time; in the list, ↑ ↓ walk and Enter goes to the cause"],
    ["Ctrl", " wheel", "zoom, and where nothing scrolls the wheel alone; Shift and wheel, or drag: move"],
  ]) keys.append(element("dt", {}, element("kbd", {}, key), after), element("dd", {}, text));
  const shapes = element("dl");
  for (const [mark, text] of marks) shapes.append(element("dt", {}, mark), element("dd", {}, text));
  box.replaceChildren(keys, shapes);
}
