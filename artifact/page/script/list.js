// SPDX-License-Identifier: MPL-2.0

// list.js shows one of several lists of records or turns. Only the rows in view
// are in the document, so that a list may have very many.

const rowHeight = 2.75; // in rem; the style sheet has the same
const spareRows = 6; // above and below those in view

class List {
  constructor(box, rows, describe, picked) {
    Object.assign(this, { box, rows, describe, items: [], at: none });
    box.addEventListener("scroll", () => this.render());
    new ResizeObserver(() => this.render()).observe(box);
    rows.addEventListener("click", (e) => {
      const row = e.target.closest("[data-row]");
      if (row) picked(this.items[Number(row.dataset.row)]);
    });
  }

  // show replaces the items. An item is the number of a record or turn.
  show(items, name) {
    this.items = items;
    this.box.setAttribute("aria-label", name);
    this.rows.style.height = items.length * rowHeight + "rem";
    this.at = none;
    this.box.scrollTop = 0;
    this.render();
  }

  // select marks the row of an item, if it has one, and brings it into view.
  select(item) {
    this.at = this.items.indexOf(item);
    if (this.at !== none) {
      const top = this.at * rowHeight * theme.em, bottom = top + rowHeight * theme.em;
      if (top < this.box.scrollTop) this.box.scrollTop = top;
      else if (bottom > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = bottom - this.box.clientHeight;
    }
    this.render();
  }

  // next is the item so many rows further, which may be the same at an end.
  next(rows) {
    if (!this.items.length) return null;
    return this.items[Math.min(this.items.length - 1, Math.max(0, this.at === none ? 0 : this.at + rows))];
  }

  render() {
    const height = rowHeight * theme.em;
    const from = Math.max(0, Math.floor(this.box.scrollTop / height) - spareRows);
    const to = Math.min(this.items.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / height) + spareRows);
    const made = [];
    for (let k = from; k < to; k++) made.push(this.row(k));
    this.rows.replaceChildren(...made);
    if (this.at >= from && this.at < to) this.box.setAttribute("aria-activedescendant", "row-" + this.at);
    else this.box.removeAttribute("aria-activedescendant");
  }

  row(k) {
    const told = this.describe(this.items[k]);
    const attributes = {
      role: "option", id: "row-" + k, "data-row": k, class: "row " + told.tone,
      "aria-selected": String(k === this.at), "aria-posinset": k + 1, "aria-setsize": this.items.length,
    };
    const when = element("span", { class: "row-when" }, told.when);
    const head = element("span", { class: "row-head" }, element("b", {}, told.kind), element("span", {}, told.who), when);
    const row = element("div", attributes, head, element("span", { class: "row-text" }, told.text));
    row.style.top = k * rowHeight + "rem";
    return row;
  }
}
