// SPDX-License-Identifier: MPL-2.0

// world.js is the scene of the simulated world: a band of faults, then a lane for
// each node with its lives, records, disk and operations, and messages across.

const part = { pad: 0.4, operation: 0.95, life: 1.1, disk: 0.8, fault: 1.15 }; // heights in em

class World {
  constructor(run, state) {
    Object.assign(this, { run, state, end: run.end });
    this.lives = lifeSpans(run);
    this.drifts = driftSpans(run);
    this.traffic = new Traffic(this);
    this.writes = diskFates(run);
    this.faults = faultSpans(run);
    this.faultRows = inRows(this.faults, 8);
    this.operations = operationsBy(run);
    this.mostSpare = 2.5;
    this.classify();
    this.arrange();
  }

  // classify notes of each record how it is drawn.
  classify() {
    const { run } = this, life = kindsWhere(run, (kind) => lifeKinds.has(kind)), disk = kindsWhere(run, (kind) => kind.startsWith("disk."));
    const plain = new Map([...new Set(run.kind)].map((kind) => [kind, lookOf(run.strings[kind])]));
    this.looks = new Array(run.count);
    this.onDisk = new Uint8Array(run.count);
    this.lifeRecords = [];
    for (let i = 0; i < run.count; i++) {
      const write = this.writes.get(i), look = plain.get(run.kind[i]);
      const failed = look === looks.sync && run.attr(i, "result") !== "ok";
      this.looks[i] = write ? looks[write.fate] : failed ? looks.badSync : look;
      this.onDisk[i] = run.node[i] > 0 && disk[run.kind[i]];
      if (life[run.kind[i]]) this.lifeRecords.push(i);
    }
  }

  // arrange makes the lanes of the nodes that are shown.
  arrange() {
    const run = this.run, disks = new Set();
    for (let i = 0; i < run.count; i++) if (this.onDisk[i]) disks.add(run.node[i]);
    this.band = { label: "faults", rows: 0, least: Math.max(this.faultRows, 1) * part.fault + part.pad * 2 };
    this.lanes = [this.band];
    this.byNode = new Map();
    run.nodes.forEach((name, k) => {
      if (this.state.hiddenNodes.has(k + 1)) return;
      const lane = this.clientLane(name, this.operations.get(name), { node: k + 1, disk: disks.has(k + 1) });
      this.byNode.set(k + 1, lane);
      this.lanes.push(lane);
    });
    for (const [name, client] of this.operations) {
      if (!run.nodeByName.has(name)) this.lanes.push(this.clientLane(name, client, { node: 0, disk: false }));
    }
  }

  clientLane(name, client, lane) {
    const rows = client ? client.rows : 0;
    const lives = lane.node ? this.lives[lane.node - 1].filter((s) => s.state === "down").length : 0;
    const note = lives ? (lives === 1 ? "1 crash" : lives + " crashes") : "";
    const height = part.pad * 2 + rows * part.operation + (lane.node ? part.life : 0) + (lane.disk ? part.disk : 0);
    return Object.assign(lane, { label: name, note, client, rows, least: Math.max(height, note ? 2.4 : 1.6) });
  }

  operationY(plot, lane) { return plot.y(lane) + (part.pad + lane.spare / 2) * theme.em; }

  lifeY(plot, lane) { return plot.y(lane) + (part.pad + lane.spare / 2 + lane.rows * part.operation) * theme.em; }

  diskY(plot, lane) { return this.lifeY(plot, lane) + (part.life + 0.15) * theme.em; }

  laneOf(i) { return this.byNode.get(this.run.node[i]) || (this.run.node[i] ? null : this.band); }

  // point is where a record is drawn, or null if its node is hidden.
  point(plot, i) {
    const lane = this.laneOf(i);
    if (!lane) return null;
    const x = plot.x(this.run.at[i]), half = theme.em / 2;
    if (lane === this.band) return { x, y: plot.y(lane) + lane.height * half * 2 - part.pad * half };
    if (this.onDisk[i]) return { x, y: this.diskY(plot, lane) + part.disk * half * 0.7 };
    return { x, y: this.lifeY(plot, lane) + part.life * half };
  }

  arrangeFor() { return false; }

  tick(at, step) { return tickText(at, step); }

  // inView gives the records from the first to before the last in view.
  inView(plot, slack = 0) {
    return [lowerBound(this.run.at, plot.at(-slack)), lowerBound(this.run.at, plot.at(plot.width + slack) + 1)];
  }

  draw(plot) {
    this.drawLives(plot);
    this.drawFaults(plot);
    this.traffic.draw(plot);
    this.drawOperations(plot);
    this.drawRecords(plot);
    this.drawSlice(plot);
    this.drawLifeMarks(plot);
    this.drawSelection(plot);
    this.drawFailure(plot);
  }

  drawLives(plot) {
    const { ctx } = plot, c = theme.colours;
    setFont(ctx, 0.75, 600);
    const height = part.life * theme.em;
    for (const lane of this.byNode.values()) {
      const y = this.lifeY(plot, lane);
      if (y > plot.height || y + height < 0) continue;
      for (const span of this.lives[lane.node - 1]) {
        const left = Math.max(plot.x(span.from), 0), right = Math.min(plot.x(span.to), plot.width);
        if (right < 0 || left > plot.width) continue;
        if (span.state === "down") drawHatch(ctx, left, y + height * 0.2, right - left, height * 0.6, c.faint);
        else drawBar(plot, span.from, span.to, y, height, span.state === "paused" ? c.paused : c.span, "");
      }
      ctx.strokeStyle = c.warn;
      for (const span of this.drifts[lane.node - 1]) drawDashes(ctx, plot.x(span.from), plot.x(span.to), y + height + 1.5, plot.width);
    }
  }

  drawFaults(plot) {
    const c = theme.colours;
    setFont(plot.ctx, 0.75);
    for (const span of this.faults) {
      const y = plot.y(this.band) + (part.pad + span.row * part.fault) * theme.em;
      drawBar(plot, span.from, span.to, y, (part.fault - 0.2) * theme.em, c.fault, span.label, c.ink);
      fillBox(plot.ctx, plot.x(span.from), y, 2, (part.fault - 0.2) * theme.em, c.warn);
    }
    const recovery = this.run.head.recovery;
    if (!recovery || recovery >= this.end) return;
    const x = plot.x(recovery);
    plot.ctx.fillStyle = c.soft;
    plot.ctx.fillText("no new faults", x + 4, plot.y(this.band) + part.pad * theme.em);
    fillBox(plot.ctx, x, plot.y(this.band), 1, this.band.height * theme.em, c.soft);
  }

  drawOperations(plot) {
    const c = theme.colours, fills = { ok: c.good, fail: c.bad, info: c.warn, pending: c.soft };
    setFont(plot.ctx, 0.72);
    for (const lane of this.lanes) {
      if (!lane.client) continue;
      for (const span of lane.client.spans) {
        const y = this.operationY(plot, lane) + span.row * part.operation * theme.em;
        drawBar(plot, span.from, span.to, y, (part.operation - 0.15) * theme.em, fills[span.op.status], span.op.f + " " + (span.op.input || ""), c.onbar);
        if (this.state.picked && this.state.picked.operation === span.op) this.drawFrame(plot, span, y);
      }
    }
  }

  drawFrame(plot, span, y) {
    plot.ctx.strokeStyle = theme.colours.ink;
    plot.ctx.lineWidth = 2;
    const x = plot.x(span.from);
    plot.ctx.strokeRect(x - 2, y - 1, Math.max(plot.x(span.to) - x, 2) + 4, (part.operation - 0.15) * theme.em + 2);
  }

  // drawRecords draws one tick a pixel of each lane and look: with many records in
  // view most ticks would cover each other.
  drawRecords(plot) {
    const [lo, hi] = this.inView(plot, 2), taken = new Set(), { ctx } = plot, run = this.run;
    for (let i = lo; i < hi; i++) {
      if (!this.state.shows(i)) continue;
      const look = this.looks[i], p = look && this.point(plot, i);
      if (!p) continue;
      const key = (run.node[i] * 32 + look.rank) * 65536 + Math.round(p.x) + 8;
      if (taken.has(key)) continue;
      taken.add(key);
      ctx.globalAlpha = this.state.matched && !this.state.matched[i] ? 0.15 : 1;
      look.draw(ctx, p.x, p.y, look);
    }
    ctx.globalAlpha = 1;
  }

  drawLifeMarks(plot) {
    const [lo, hi] = this.inView(plot, 20), { ctx } = plot, c = theme.colours;
    setFont(ctx, 0.75, 600);
    for (const i of this.lifeRecords) {
      const kind = this.run.kindOf(i);
      if (i < lo || i >= hi || !this.state.shows(i)) continue;
      const p = this.point(plot, i), half = (part.life * theme.em) / 2;
      if (!p) continue;
      ctx.lineWidth = 2.5;
      ctx.strokeStyle = c.bad;
      if (kind === "crash") drawCross(ctx, p.x, p.y, theme.em * 0.38);
      else fillBox(ctx, p.x - 1, p.y - half, 2, half * 2, kind === "pause" ? c.warn : c.ink);
    }
    for (const lane of this.byNode.values()) for (const span of this.lives[lane.node - 1]) this.drawIncarnation(plot, lane, span);
  }

  // drawIncarnation writes the number of a life where it begins, or where the view
  // does.
  drawIncarnation(plot, lane, span) {
    const left = Math.max(plot.x(span.from), 0), right = Math.min(plot.x(span.to), plot.width);
    const text = span.state === "down" ? "down" : span.state === "paused" ? "paused" : "#" + span.inc;
    const width = plot.ctx.measureText(text).width + 6;
    if (right - left < width + 6) return;
    const y = this.lifeY(plot, lane) + (part.life * theme.em) / 2;
    fillBox(plot.ctx, left + 4, y - theme.em * 0.45, width, theme.em * 0.9, span.state === "down" ? theme.colours.ground : theme.colours.span);
    plot.ctx.fillStyle = span.state === "down" ? theme.colours.bad : theme.colours.ink;
    plot.ctx.textBaseline = "middle";
    plot.ctx.fillText(text, left + 7, y);
  }

  drawSlice(plot) {
    const { ctx } = plot, slice = this.state.slice, c = theme.colours;
    if (!slice) return;
    ctx.strokeStyle = ctx.fillStyle = c.accent;
    ctx.lineWidth = 2;
    ctx.beginPath();
    for (const e of slice.edges) {
      if (e.life || this.run.at[e.to] < plot.range[0] || this.run.at[e.from] > plot.range[1]) continue;
      const a = this.point(plot, e.from), b = this.point(plot, e.to);
      if (a && b) drawArrow(ctx, a.x, a.y, b.x, b.y, 0);
    }
    ctx.stroke();
    const [lo, hi] = this.inView(plot);
    for (const i of slice.records) {
      if (i < lo || i >= hi) continue;
      const p = this.point(plot, i);
      if (!p) continue;
      ctx.beginPath();
      ctx.arc(p.x, p.y, theme.em * 0.2, 0, 7);
      ctx.fill();
    }
  }

  drawSelection(plot) {
    const picked = this.state.picked, { ctx } = plot;
    if (!picked || picked.record === undefined) return;
    const p = this.point(plot, picked.record);
    if (!p) return;
    const cause = this.run.cause[picked.record], from = cause >= 0 && this.point(plot, cause);
    ctx.strokeStyle = theme.colours.ink;
    ctx.lineWidth = 2;
    ctx.beginPath();
    if (from) drawArrow(ctx, from.x, from.y, p.x, p.y, theme.em * 0.6);
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(p.x, p.y, theme.em * 0.5, 0, 7);
    ctx.stroke();
  }

  drawFailure(plot) {
    if (this.run.head.failedAt < 0) return;
    fillBox(plot.ctx, Math.round(plot.x(this.run.head.failedAt)) - 1, 0, 2, plot.height, theme.colours.bad);
  }

  // flag names the failure on the axis, at the edge when it is out of view.
  flag(plot) {
    const at = this.run.head.failedAt, { ctx } = plot, c = theme.colours;
    if (at < 0) return;
    setFont(ctx, 0.75, 600);
    const x = plot.x(at);
    const text = x < 0 ? "◀ failure" : x > plot.width ? "failure ▶" : "failure";
    const width = ctx.measureText(text).width + 10, left = Math.min(Math.max(x - width / 2, 0), plot.width - width);
    fillBox(ctx, left, 3, width, axisHeight * theme.em - 6, c.bad);
    ctx.fillStyle = c.onbar;
    ctx.textBaseline = "middle";
    ctx.fillText(text, left + 5, (axisHeight * theme.em) / 2);
  }

  // hit finds what is drawn at a point: a record, a message's end or an operation.
  hit(plot, x, y) {
    const near = this.nearest(plot, x, y);
    if (near !== null) return { record: near };
    for (const lane of this.lanes) {
      const row = lane.client && Math.floor((y - this.operationY(plot, lane)) / theme.em / part.operation);
      const span = lane.client && lane.client.spans.find((s) => s.row === row && plot.x(s.from) - 2 <= x && x <= plot.x(s.to) + 2);
      if (span) return { operation: span.op };
    }
    const row = Math.floor(((y - plot.y(this.band)) / theme.em - part.pad) / part.fault);
    const fault = this.faults.find((s) => s.row === row && plot.x(s.from) - 2 <= x && x <= plot.x(s.to) + 2);
    if (fault) return { record: fault.record };
    return this.traffic.hit(plot, x, y);
  }

  nearest(plot, x, y) {
    const reach = theme.em * 0.55, [lo, hi] = this.inView(plot);
    let best = null, bestDistance = reach * reach;
    for (let i = Math.max(lo, lowerBound(this.run.at, plot.at(x - reach))); i < hi && this.run.at[i] <= plot.at(x + reach); i++) {
      if (!this.state.shows(i)) continue;
      const p = this.point(plot, i);
      const distance = p ? (p.x - x) ** 2 + ((p.y - y) ** 2) * 0.6 : Infinity;
      if (distance <= bestDistance) [best, bestDistance] = [i, distance];
    }
    return best;
  }
}

function drawDashes(ctx, from, to, y, width) {
  if (to < 0 || from > width) return;
  ctx.lineWidth = 2;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.moveTo(Math.max(from, 0), y);
  ctx.lineTo(Math.min(to, width), y);
  ctx.stroke();
  ctx.setLineDash([]);
}

// lowerBound is the first place in rising values that is at least value.
function lowerBound(values, value) {
  let lo = 0, hi = values.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (values[mid] < value) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}
