// SPDX-License-Identifier: MPL-2.0

// details.js tells all about what is selected, as text.

const mostEffects = 8;

class Details {
  constructor(box, run, world, turns, actions) {
    Object.assign(this, { box, run, world, turns, actions });
  }

  show(picked) {
    if (!picked) this.box.replaceChildren(hint("Nothing is selected. Choose a record in the lanes or in the list."));
    else if (picked.record !== undefined) this.box.replaceChildren(...this.record(picked.record));
    else if (picked.operation) this.box.replaceChildren(...this.operation(picked.operation));
    else this.box.replaceChildren(...this.turn(picked.turn));
  }

  record(i) {
    const run = this.run, facts = [["time", formatTime(run.at[i])], ["node", whose(run, i)]];
    const list = run.attrs[i];
    for (let k = 0; k < list.length; k += 2) facts.push([run.strings[list[k]], run.strings[list[k + 1]]]);
    facts.push(...this.fate(i));
    const parts = [element("h2", {}, "Record " + run.seq[i] + ": " + run.kindOf(i))];
    if (run.textOf(i)) parts.push(element("p", { class: "text" }, run.textOf(i)));
    parts.push(definitions(facts));
    if (i === run.head.failure) parts.push(hint("j and k walk the list, t goes to the next turning point, c to the cause."));
    parts.push(this.links(i));
    return parts;
  }

  // fate says what became of a message or a write.
  fate(i) {
    const run = this.run, write = this.world.writes.get(i);
    if (write) return [["durability", durability[write.fate] + (write.by >= 0 ? " (record " + run.seq[write.by] + ")" : "")]];
    const flights = this.world.traffic.flights.filter((f) => f.sent === i || f.ended === i);
    return flights.map((f) => ["message", flightText(run, f)]);
  }

  links(i) {
    const run = this.run, box = element("div", { class: "links" });
    if (run.cause[i] >= 0) box.append(this.link("Cause", run.cause[i], "c"));
    else box.append(hint(run.cause[i] === unkept ? "Its cause was not kept." : "It has no cause in the trace."));
    const write = this.world.writes.get(i);
    if (write && write.by >= 0) box.append(this.link("Fate", write.by));
    const before = run.lives[i];
    if (before >= 0 && before !== run.cause[i]) box.append(this.link("Node since", before, "l"));
    let effects = 0;
    for (let k = i + 1; k < run.count && effects <= mostEffects; k++) {
      if (run.cause[k] !== i) continue;
      if (effects++ < mostEffects) box.append(this.link("Led to", k, effects === 1 ? "e" : ""));
      else box.append(hint("It led to more."));
    }
    const root = element("button", { type: "button", id: "root" }, "List the causes of this record");
    root.addEventListener("click", () => this.actions.root(i));
    box.append(root);
    return box;
  }

  link(name, i, key) {
    const run = this.run, attributes = { type: "button", class: "link" };
    if (key) attributes["aria-keyshortcuts"] = key;
    const told = [run.seq[i], whose(run, i), run.kindOf(i), run.textOf(i)].filter(Boolean).join(" ");
    const button = element("button", attributes, element("b", {}, name), " " + told);
    button.addEventListener("click", () => this.actions.pick({ record: i }));
    return button;
  }

  operation(op) {
    const facts = [["client", op.process], ["result", statusText[op.status] || op.status], ["called", formatTime(op.call)]];
    if (op.status !== "pending") facts.push(["returned", formatTime(op.return)], ["took", formatDuration(op.return - op.call)]);
    if (op.input) facts.push(["input", op.input]);
    if (op.output) facts.push(["output", op.output]);
    return [element("h2", {}, "Operation " + op.id + ": " + op.f), definitions(facts)];
  }

  turn(i) {
    const t = this.turns, last = t.stop[i] - t.start[i];
    const facts = [
      ["decisions", t.start[i] + 1 + " to " + t.stop[i]],
      ["kept the token", last === 1 ? "until the next decision" : "for " + last + " decisions"],
    ];
    if (t.before[i] !== none) facts.push(["waited", "since decision " + t.stop[t.before[i]]]);
    facts.push(["waited at", t.placeOf(i)], ["could go on", t.waiting[i] === 1 ? "it alone" : t.waiting[i] + " goroutines"]);
    return [element("h2", {}, "Goroutine " + t.goroutine[i]), definitions(facts)];
  }
}

function hint(text) { return element("p", { class: "hint" }, text); }

function definitions(facts) {
  const list = element("dl");
  for (const [name, text] of facts) if (text) list.append(element("dt", {}, name), element("dd", {}, text));
  return list;
}
