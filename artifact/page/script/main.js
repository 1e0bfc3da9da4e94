// SPDX-License-Identifier: MPL-2.0

// main.js puts the page together and is what keys and buttons act on.

const readableRecords = 3000; // that one view can show

class App {
  constructor(run) {
    this.run = run;
    run.lives = livesBefore(run);
    this.turns = decodeTurns(run);
    this.state = new Filter(run, this.turns);
    this.parts = Object.fromEntries([...document.querySelectorAll("[id]")].map((part) => [part.id.replaceAll("-", "_"), part]));
    this.trail = [];
    readTheme();
    this.world = new World(run, this.state);
    this.goroutines = this.turns && new Goroutines(run, this.turns, this.state);
    const { scroller, labels, canvas, list, rows, details } = this.parts;
    this.plot = new Plot({ scroller, labels, canvas }, () => this.drawn(), (hit) => this.pick(hit));
    this.overview = new Overview(this.parts.overview, this.plot, run, this.state);
    this.details = new Details(details, run, this.world, this.turns, { pick: (hit) => this.pick(hit), root: (i) => this.root(i) });
    this.list = new List(list, rows, (item) => this.describe(item), (item) => this.pick(this.asPicked(item)));
    this.fill();
    listenToKeys(this);
    watchTheme(() => this.redress());
    new ResizeObserver(() => this.redress()).observe(this.parts.status); // the text size may have changed
    this.root(run.head.failure);
    this.plot.show(this.world, this.firstRange());
    this.pick(run.head.failure >= 0 ? { record: run.head.failure } : null);
  }

  // firstRange is from the last crash that led to the failure to the failure; from a
  // few causes before it when that crash is far away. Without a failure it is the run.
  firstRange() {
    const { run } = this, failed = run.head.failedAt;
    if (failed < 0 || run.head.failure < 0) return [0, run.end];
    const turning = this.state.slice.records.filter((i) => isTurningPoint(run, i) && i !== run.head.failure);
    const crash = turning.filter((i) => run.kindOf(i) === "crash").pop();
    const recent = this.state.slice.records.slice(-40)[0];
    const from = run.at[crash === undefined || run.head.failure - crash > readableRecords ? recent : crash];
    const span = Math.max(failed - from, run.end / 1000, 1000);
    return [failed - span * 1.15, failed + span * 0.08];
  }

  fill() {
    const { parts, run } = this;
    parts.message.hidden = !run.head.message;
    parts.facts.replaceChildren(...definitions(run.head.facts.map((f) => [f.name, f.text])).childNodes);
    parts.stack.hidden = !run.head.stack;
    parts.stack.textContent = run.head.stack || "";
    this.nodeChoices = countBy(run.node, (n) => run.nodeName(n) || "(no node)").sort((a, b) => a.key - b.key);
    this.kindChoices = countBy(run.kind, (k) => run.strings[k]).sort((a, b) => (a.label < b.label ? -1 : 1));
    fillChoices(parts.nodes_filter, this.nodeChoices, this.state.hiddenNodes, () => this.filtered());
    fillChoices(parts.kinds_filter, this.kindChoices, this.state.hiddenKinds, () => this.filtered());
    fillHelp(parts.help, this);
    this.countChoices();
    parts.scenes.hidden = !this.goroutines;
    for (const [part, act] of [
      ["zoom_failure", () => this.toFailure()], ["zoom_all", () => this.plot.setRange(0, this.plot.scene.end)],
      ["zoom_in", () => this.zoom(0.5)], ["zoom_out", () => this.zoom(2)],
      ["scene_world", () => this.toScene(this.world)], ["scene_goroutines", () => this.toScene(this.goroutines)],
    ]) parts[part].addEventListener("click", act);
    parts.zoom_failure.hidden = run.head.failedAt < 0;
    parts.search.addEventListener("input", () => this.searched());
    parts.search.addEventListener("keydown", (e) => e.key === "Enter" && this.walk(e.shiftKey ? -1 : 1));
    document.addEventListener("click", (e) => {
      for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(e.target)) menu.open = false;
    });
  }

  countChoices() {
    const shown = (choices, hidden) => (hidden.size ? choices.filter((c) => !hidden.has(c.key)).length + " of " : "") + choices.length;
    this.parts.nodes_count.textContent = shown(this.nodeChoices, this.state.hiddenNodes);
    this.parts.kinds_count.textContent = shown(this.kindChoices, this.state.hiddenKinds);
  }

  filtered() {
    this.state.apply();
    this.countChoices();
    this.world.arrange();
    this.plot.layLabels();
    this.plot.redraw();
    this.fillTabs();
    this.openTab(this.tab);
  }

  searched() {
    this.state.search(this.parts.search.value);
    this.plot.redraw();
    this.fillTabs();
    this.openTab(this.plot.scene === this.goroutines ? "turns" : this.state.matched ? "records" : this.tab);
  }

  toScene(scene) {
    if (this.plot.scene === scene) return;
    this.parts.scene_world.setAttribute("aria-pressed", String(scene === this.world));
    this.parts.scene_goroutines.setAttribute("aria-pressed", String(scene !== this.world));
    this.parts.nodes_menu.hidden = this.parts.kinds_menu.hidden = scene !== this.world;
    this.parts.scroller.scrollTop = 0;
    this.plot.show(scene, scene === this.world ? undefined : [this.turns.end - 250, this.turns.end]);
    this.fillTabs();
    this.openTab(scene === this.world ? (this.state.slice.records.length ? "causes" : "records") : "turns");
    this.pick(scene === this.world ? this.inWorld : { turn: this.turns.count - 1 });
  }

  // root lists the causes of a record, or nothing for none.
  root(i) {
    const { run, state } = this;
    state.slice = causalSlice(run, i);
    this.rootRecord = i;
    this.lists = {
      causes: state.slice.records.toReversed(),
      turning: state.slice.records.filter((k) => isTurningPoint(run, k)).toReversed(),
    };
    this.fillTabs();
    this.openTab(i >= 0 ? "causes" : "records");
    this.list.select(i);
    this.plot.scene && this.plot.redraw();
  }

  // tabs are [key, name, items] of the lists of the scene.
  tabs() {
    if (this.plot.scene && this.plot.scene === this.goroutines) return [["turns", "Turns", this.state.turnList()]];
    const causes = [["causes", "Causes", this.lists.causes], ["turning", "Turning points", this.lists.turning]];
    return [...causes.filter(([, , items]) => items.length), ["records", "Records", this.state.records()]];
  }

  fillTabs() {
    this.shownTabs = this.tabs();
    this.parts.tabs.replaceChildren(...this.shownTabs.map(([key, name, items]) => {
      const count = element("small", {}, items.length.toLocaleString("en"));
      const tab = element("button", { type: "button", id: "tab-" + key, "aria-controls": "list" }, name + " ", count);
      tab.addEventListener("click", () => this.openTab(key));
      return tab;
    }));
  }

  openTab(key) {
    const [opened, name, items] = this.shownTabs.find((tab) => tab[0] === key) || this.shownTabs[0];
    this.tab = opened;
    for (const tab of this.parts.tabs.children) tab.setAttribute("aria-pressed", String(tab.id === "tab-" + opened));
    this.list.show(items, name);
    this.list.select(this.asItem(this.state.picked));
  }

  asPicked(item) { return this.tab === "turns" ? { turn: item } : { record: item }; }

  asItem(picked) { return !picked ? none : this.tab === "turns" ? picked.turn : picked.record; }

  describe(item) {
    const { run, turns } = this;
    if (this.tab === "turns") {
      const text = turns.placeOf(item), file = shortPlace(text).split(" ")[1] || "";
      return { kind: "g" + turns.goroutine[item], who: file, when: String(turns.start[item] + 1), text, tone: "" };
    }
    const kind = run.kindOf(item);
    const tone = kind === "fail" || kind === "crash" ? "tone-bad" : isTurningPoint(run, item) ? "tone-turning" : "";
    return { kind, who: whose(run, item), when: formatTime(run.at[item]), text: run.textOf(item) || "record " + run.seq[item], tone };
  }

  // pick selects a record, an operation or a turn, or nothing.
  pick(picked, forget) {
    if (this.state.picked && picked && !forget) this.trail.push(this.state.picked);
    this.state.picked = picked;
    if (picked && picked.turn === undefined) this.inWorld = picked;
    this.details.show(picked);
    this.list.select(this.asItem(picked));
    this.reveal(picked);
    this.plot.redraw();
  }

  reveal(picked) {
    if (!picked) return;
    if (picked.record !== undefined) this.plot.reveal(this.run.at[picked.record], this.world.laneOf(picked.record));
    if (picked.turn !== undefined) this.revealTurn(picked.turn);
  }

  // revealTurn lays the lanes of the new range before it looks for the turn's.
  revealTurn(i) {
    const { plot, goroutines } = this;
    plot.reveal(this.turns.start[i]);
    if (goroutines.arrangeFor(plot.range)) plot.layLabels();
    plot.reveal(this.turns.start[i], goroutines.laneOf(i));
  }

  walk(rows) {
    const item = this.list.next(rows);
    if (item !== null) this.pick(this.asPicked(item));
  }

  // toTurning goes along the list to the next turning point in a direction.
  toTurning(step) {
    const { items, at } = this.list;
    if (this.tab === "turns") return;
    for (let k = at + step; k >= 0 && k < items.length; k += step) {
      if (isTurningPoint(this.run, items[k])) return this.pick({ record: items[k] });
    }
  }

  // follow goes from the selected record to its cause, or to what made its node
  // live; from a record without the one to the other.
  follow(how) {
    const { picked } = this.state, { run } = this;
    if (!picked || picked.record === undefined) return;
    const [first, second] = how === "cause" ? [run.cause, run.lives] : [run.lives, run.cause];
    const to = first[picked.record] >= 0 ? first[picked.record] : second[picked.record];
    if (to >= 0) this.pick({ record: to });
  }

  // zoom keeps the selected record where it is on the screen, if it is there.
  zoom(factor) {
    const { picked } = this.state, { plot } = this;
    const at = !picked ? NaN : plot.scene === this.world ? this.run.at[picked.record] : this.turns.start[picked.turn];
    plot.zoom(factor, at >= plot.range[0] && at <= plot.range[1] ? at : undefined);
  }

  // zoomToPicked shows what is selected and its cause, side by side.
  zoomToPicked() {
    const { picked } = this.state, { run } = this;
    if (!picked || picked.record === undefined) return;
    const to = run.at[picked.record], cause = run.cause[picked.record];
    const span = cause >= 0 ? to - run.at[cause] : 0;
    const room = Math.max(span * 0.5, 50e3);
    this.plot.setRange(to - span - room, to + room);
  }

  effect() {
    const { picked } = this.state;
    if (!picked || picked.record === undefined) return;
    const to = this.run.cause.indexOf(picked.record);
    if (to >= 0) this.pick({ record: to });
  }

  back() {
    const before = this.trail.pop();
    if (before) this.pick(before, true);
  }

  toFailure() {
    const { failure, failedAt } = this.run.head;
    if (failedAt < 0) return;
    this.toScene(this.world);
    if (this.rootRecord !== failure) this.root(failure);
    this.plot.setRange(...this.firstRange());
    if (failure >= 0) this.pick({ record: failure });
  }

  escape(target) {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      if (menu.contains(target)) menu.querySelector("summary").focus();
    }
    if (target !== this.parts.search) return;
    this.parts.search.value = "";
    this.searched();
    this.parts.list.focus();
  }

  // redress takes over the colours and text size of the page.
  redress() {
    readTheme();
    this.list.render();
    this.plot.redraw();
  }

  drawn() {
    const { plot, run } = this, [from, to] = plot.range;
    this.overview.draw();
    let text = plot.scene === this.world
      ? `${formatTime(Math.max(0, from))} to ${formatTime(Math.min(to, run.end))}, ${formatDuration(plot.span)}`
      : `decisions ${Math.max(1, Math.round(from))} to ${Math.round(Math.min(to, this.turns.end))}`;
    if (plot.scene !== this.world && this.turns.omitted) text += `, after ${this.turns.omitted} turns that are left out`;
    if (plot.scene === this.world && this.world.traffic.thinned) text += "; not all messages are drawn, zoom in for all";
    if (this.state.slice.cut) text += "; more led to it than is marked";
    if (this.parts.status.textContent !== text) this.parts.status.textContent = text;
    if (document.documentElement.dataset.drawn === undefined) performance.measure("faultline first view", "faultline start");
    document.documentElement.dataset.drawn = "";
  }
}

performance.mark("faultline start");
new App(decode(JSON.parse(document.getElementById("data").textContent)));
