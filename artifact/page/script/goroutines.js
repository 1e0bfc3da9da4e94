// SPDX-License-Identifier: MPL-2.0

// goroutines.js is the scene of an exact run's decisions: a lane for each
// goroutine, a bar for each of its turns, and a line while it waits.

const turnBar = 0.9, goroutineLane = 1.5; // in em

class Goroutines {
  constructor(run, turns, state) {
    Object.assign(this, { run, turns, state, end: turns.end, mostSpare: 0 });
    this.all = turns.lanes.map((lane) => {
      const title = "goroutine " + lane.goroutine + " " + lane.home;
      return { ...lane, label: "g" + lane.goroutine, note: lane.home, title, least: goroutineLane };
    });
    this.all.sort((a, b) => a.goroutine - b.goroutine);
    this.lanes = [];
    this.byGoroutine = new Map(this.all.map((lane) => [lane.goroutine, lane]));
  }

  // arrangeFor keeps the lanes of the goroutines that have a turn in view: most of
  // very many do not. It says whether that changed them.
  arrangeFor(range) {
    const lanes = this.all.filter((lane) => {
      const k = firstWhere(lane.turns, (i) => this.turns.stop[i] >= range[0]);
      return k < lane.turns.length && this.turns.start[lane.turns[k]] <= range[1];
    });
    if (lanes.length === this.lanes.length && lanes.every((lane, k) => lane === this.lanes[k])) return false;
    this.lanes = lanes;
    return true;
  }

  tick(at) { return String(Math.round(at)); }

  laneOf(i) { return this.byGoroutine.get(this.turns.goroutine[i]); }

  // turnsInView gives those of a lane's turns that are in view, and the next one.
  turnsInView(plot, lane) {
    const from = firstWhere(lane.turns, (i) => this.turns.stop[i] >= plot.range[0]);
    const to = firstWhere(lane.turns, (i) => this.turns.start[i] > plot.range[1]);
    return [from, Math.min(to + 1, lane.turns.length)];
  }

  draw(plot) {
    for (const lane of this.lanes) {
      const y = plot.y(lane);
      if (y + lane.height * theme.em >= 0 && y <= plot.height) this.drawLane(plot, lane, y + ((goroutineLane - turnBar) / 2) * theme.em);
    }
    this.drawPicked(plot);
  }

  drawLane(plot, lane, y) {
    const c = theme.colours, [from, to] = this.turnsInView(plot, lane), height = turnBar * theme.em;
    setFont(plot.ctx, 0.7);
    let last = -10;
    for (let k = from; k < to; k++) {
      const i = lane.turns[k], before = this.turns.before[i];
      if (before !== none) this.drawWait(plot, this.turns.stop[before], this.turns.start[i], y + height / 2, i);
      const x = Math.round(plot.x(this.turns.stop[i]));
      if (x === last) continue; // it would cover the bar before it
      last = x;
      plot.ctx.globalAlpha = this.state.matchedTurns && !this.state.matchedTurns[i] ? 0.2 : 1;
      drawBar(plot, this.turns.start[i], this.turns.stop[i], y, height, c.message, "");
    }
    plot.ctx.globalAlpha = 1;
  }

  drawWait(plot, from, to, y, i) {
    const left = Math.max(plot.x(from), 0), right = Math.min(plot.x(to), plot.width);
    if (right - left < 3) return;
    fillBox(plot.ctx, left, y, right - left, 1, theme.colours.faint);
    if (right - left < 8 * theme.em) return;
    const text = "waits at " + shortPlace(this.turns.placeOf(i));
    drawClipped(plot.ctx, text, left + 4, y - theme.em * 0.4, right - left - 8, theme.colours.soft);
  }

  drawPicked(plot) {
    const picked = this.state.picked;
    if (!picked || picked.turn === undefined || !this.lanes.includes(this.laneOf(picked.turn))) return;
    const lane = this.laneOf(picked.turn), left = plot.x(this.turns.start[picked.turn]), right = plot.x(this.turns.stop[picked.turn]);
    plot.ctx.strokeStyle = theme.colours.ink;
    plot.ctx.lineWidth = 2;
    plot.ctx.strokeRect(left - 3, plot.y(lane) + 2, Math.max(right - left, 2) + 6, lane.height * theme.em - 4);
  }

  hit(plot, x, y) {
    const lane = this.lanes.find((lane) => plot.y(lane) <= y && y < plot.y(lane) + lane.height * theme.em);
    if (!lane || y < axisHeight * theme.em) return null;
    const at = plot.at(x), k = firstWhere(lane.turns, (i) => this.turns.stop[i] >= at);
    return k < lane.turns.length ? { turn: lane.turns[k] } : null;
  }
}

// firstWhere is the first place in a list from which on a test holds.
function firstWhere(list, test) {
  let lo = 0, hi = list.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (test(list[mid])) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}
