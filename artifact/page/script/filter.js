// SPDX-License-Identifier: MPL-2.0

// filter.js decides which records are shown: of which nodes, of which kinds, and
// which match the text that is searched.

class Filter {
  constructor(run, turns) {
    Object.assign(this, { run, turns, hiddenNodes: new Set(), hiddenKinds: new Set(), matched: null, matchedTurns: null, slice: null, picked: null });
    this.shown = new Uint8Array(run.count).fill(1);
  }

  shows(i) { return this.shown[i] === 1; }

  // apply takes over what the sets hide.
  apply() {
    for (let i = 0; i < this.shown.length; i++) this.shown[i] = !this.hiddenNodes.has(this.run.node[i]) && !this.hiddenKinds.has(this.run.kind[i]);
  }

  // search keeps for each record whether its kind, text, node, number or one of its
  // details has the text in it.
  search(text) {
    const run = this.run, wanted = text.trim().toLowerCase();
    this.matched = this.matchedTurns = null;
    if (!wanted) return;
    const has = run.strings.map((s) => s.toLowerCase().includes(wanted));
    this.matched = new Uint8Array(run.count);
    for (let i = 0; i < run.count; i++) {
      this.matched[i] = has[run.kind[i]] || has[run.text[i]] || run.attrs[i].some((s) => has[s]) ||
        String(run.seq[i]) === wanted || whose(run, i).toLowerCase().includes(wanted);
    }
    if (!this.turns) return;
    this.matchedTurns = new Uint8Array(this.turns.count);
    for (let i = 0; i < this.turns.count; i++) this.matchedTurns[i] = has[this.turns.place[i]] || "g" + this.turns.goroutine[i] === wanted;
  }

  // records are those that are shown and match.
  records() {
    const list = [];
    for (let i = 0; i < this.run.count; i++) if (this.shows(i) && (!this.matched || this.matched[i])) list.push(i);
    return list;
  }

  turnList() {
    const list = [];
    for (let i = 0; i < this.turns.count; i++) if (!this.matchedTurns || this.matchedTurns[i]) list.push(i);
    return list;
  }
}

// fillChoices makes a checkbox for each choice {key, label, count}. hidden is the
// set of keys that are off.
function fillChoices(box, choices, hidden, changed) {
  const set = (on) => {
    for (const choice of choices) on ? hidden.delete(choice.key) : hidden.add(choice.key);
    for (const input of box.querySelectorAll("input")) input.checked = on;
    changed();
  };
  const all = element("button", { type: "button" }, "All"), no = element("button", { type: "button" }, "None");
  all.addEventListener("click", () => set(true));
  no.addEventListener("click", () => set(false));
  box.replaceChildren(element("div", { class: "choose" }, all, no));
  for (const choice of choices) {
    const input = element("input", { type: "checkbox", checked: "" });
    input.addEventListener("change", () => {
      input.checked ? hidden.delete(choice.key) : hidden.add(choice.key);
      changed();
    });
    box.append(element("label", {}, input, element("span", {}, choice.label), element("small", {}, String(choice.count))));
  }
}

// countBy lists the values of a column with how many records have each.
function countBy(column, label) {
  const counts = new Map();
  for (const key of column) counts.set(key, (counts.get(key) || 0) + 1);
  return [...counts].map(([key, count]) => ({ key, label: label(key), count }));
}
