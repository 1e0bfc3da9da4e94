// SPDX-License-Identifier: MPL-2.0

// plot.js owns the canvas of the lanes: which part of the run it shows, and how
// pointer and wheel change that. A scene says which lanes there are and draws
// them: {end, lanes: [{label, least}], mostSpare, arrangeFor(range), draw(plot),
// hit(plot, x, y), tick(at, step)}.

const axisHeight = 1.75; // in em, like all heights of lanes
const smallestSpan = 100; // ns, or decisions

class Plot {
  constructor(parts, changed, picked) {
    Object.assign(this, parts); // scroller, labels, canvas
    this.ctx = this.canvas.getContext("2d");
    this.changed = changed;
    this.picked = picked;
    this.draws = 0;
    this.ranges = new Map(); // by scene, so that each keeps its place
    this.listen();
  }

  show(scene, range) {
    this.scene = scene;
    if (!this.ranges.has(scene)) this.ranges.set(scene, range || [0, scene.end]);
    this.setRange(...this.range);
    this.layLabels();
  }

  get range() { return this.ranges.get(this.scene); }

  get span() { return this.range[1] - this.range[0]; }

  // setRange keeps the range within the run, with a little room at both ends.
  setRange(from, to) {
    const room = this.scene.end * 0.02 + smallestSpan;
    const lowest = -room, highest = this.scene.end + room;
    const span = Math.min(Math.max(to - from, Math.min(smallestSpan, this.scene.end)), highest - lowest);
    const start = Math.min(Math.max((from + to - span) / 2, lowest), highest - span);
    this.ranges.set(this.scene, [start, start + span]);
    this.redraw();
  }

  zoom(factor, at = (this.range[0] + this.range[1]) / 2) {
    const [from, to] = this.range;
    this.setRange(at - (at - from) * factor, at + (to - at) * factor);
  }

  pan(part) { this.setRange(this.range[0] + this.span * part, this.range[1] + this.span * part); }

  // reveal moves the range and the lanes as little as needed to show a point.
  reveal(at, lane) {
    const [from, to] = this.range, margin = this.span * 0.08;
    if (at < from + margin) this.setRange(at - margin, at - margin + this.span);
    else if (at > to - margin) this.setRange(at + margin - this.span, at + margin);
    if (!lane) return;
    const top = lane.top * theme.em, bottom = top + lane.height * theme.em, view = this.height - axisHeight * theme.em;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (bottom > this.scroller.scrollTop + view) this.scroller.scrollTop = bottom - view;
  }

  x(at) { return ((at - this.range[0]) / this.span) * this.width; }

  at(x) { return this.range[0] + (x / this.width) * this.span; }

  // y is where a lane begins on the canvas.
  y(lane) { return (axisHeight + lane.top) * theme.em - this.scrolled; }

  // layLabels puts the names of the lanes beside the canvas, as text of the page.
  // Lanes share the height that is left, so that messages get room.
  layLabels() {
    this.laid = this.scroller.clientHeight;
    const { lanes } = this.scene, needed = lanes.reduce((sum, lane) => sum + lane.least, axisHeight);
    const spare = Math.min(Math.max(0, (this.laid - 1) / theme.em - needed) / lanes.length, this.scene.mostSpare);
    let top = 0;
    this.labels.replaceChildren(element("div", { class: "axis-label" }));
    this.labels.firstChild.style.height = axisHeight + "rem";
    for (const lane of this.scene.lanes) {
      Object.assign(lane, { top, spare, height: lane.least + spare });
      top += lane.height;
      const attributes = { class: "lane-label" + (lane.least < 2 ? " one-line" : ""), title: lane.title || lane.label };
      const label = element("div", attributes, element("span", {}, lane.label));
      if (lane.note) label.append(element("small", {}, lane.note));
      label.style.height = lane.height + "rem";
      this.labels.append(label);
    }
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  measure() {
    const ratio = devicePixelRatio || 1;
    this.width = Math.max(1, this.canvas.parentElement.clientWidth);
    this.height = Math.max(1, this.scroller.clientHeight);
    this.scrolled = this.scroller.scrollTop; // asked once a drawing: each question may lay out the page
    const width = Math.round(this.width * ratio), height = Math.round(this.height * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    this.canvas.style.height = this.height + "px";
    this.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  draw() {
    const began = performance.now();
    if (this.scene.arrangeFor(this.range) || this.laid !== this.scroller.clientHeight) this.layLabels();
    this.measure();
    this.ctx.clearRect(0, 0, this.width, this.height);
    drawGrid(this);
    this.scene.draw(this);
    drawAxis(this);
    if (this.draws++ % 256 === 0) performance.clearMeasures("faultline draw"); // the browser keeps all
    performance.measure("faultline draw", { start: began, end: performance.now() });
    this.changed();
  }

  listen() {
    this.canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    this.scroller.addEventListener("scroll", () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.scroller);
    this.canvas.addEventListener("pointerdown", (e) => this.press(e));
    this.canvas.addEventListener("dblclick", (e) => this.zoom(0.4, this.at(e.offsetX)));
    this.canvas.addEventListener("pointermove", (e) => {
      if (!this.drag) this.canvas.style.cursor = this.scene.hit(this, e.offsetX, e.offsetY) === null ? "" : "pointer";
    });
  }

  wheel(e) {
    const unit = e.deltaMode === 1 ? theme.em : 1;
    if (e.ctrlKey || e.metaKey) this.zoom(Math.exp(e.deltaY * unit * 0.003), this.at(e.offsetX));
    else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.pan(((e.deltaX || e.deltaY) * unit) / this.width);
    else if (!this.scrolls()) this.zoom(Math.exp(e.deltaY * unit * 0.002), this.at(e.offsetX));
    else return;
    e.preventDefault();
  }

  // scrolls says whether the wheel is needed to scroll the lanes or the page.
  scrolls() {
    const page = document.scrollingElement;
    return this.scroller.scrollHeight > this.scroller.clientHeight + 1 || page.scrollHeight > page.clientHeight + 1;
  }

  // press begins a drag, which is a click when it stays where it began.
  press(e) {
    if (e.button !== 0) return;
    const [from, to] = this.range, x = e.clientX;
    this.drag = false;
    this.canvas.setPointerCapture(e.pointerId);
    const move = (m) => {
      if (Math.abs(m.clientX - x) > 3) this.drag = true;
      const by = ((x - m.clientX) / this.width) * (to - from);
      if (this.drag) this.setRange(from + by, to + by);
    };
    const release = (m) => {
      this.canvas.removeEventListener("pointermove", move);
      const hit = this.drag ? null : this.scene.hit(this, m.offsetX, m.offsetY);
      this.drag = false;
      if (hit !== null) this.picked(hit);
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", release, { once: true });
  }
}

// element makes an element with attributes and children. Strings become text, so
// that nothing of a run is ever markup.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
