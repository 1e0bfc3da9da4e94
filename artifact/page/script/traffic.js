// SPDX-License-Identifier: MPL-2.0

// traffic.js draws messages as lines between the lanes of the world.

const mostMessages = 3000; // of one fate drawn at once; of more, a regular sample
const messageGap = 3; // pixels within which many messages of a link are drawn as one
const fewMessages = 400; // up to so many get heads
const readableMessages = 24; // up to so many get their texts

class Traffic {
  constructor(world) {
    Object.assign(this, { world, run: world.run, state: world.state, flights: findMessages(world.run) });
  }

  // inView lists by fate the flights that a view shows.
  inView(plot) {
    const [from, to] = plot.range, lists = [[], [], [], []];
    for (const f of this.flights) {
      if (f.start > to) break;
      const stop = f.ended === none ? this.run.end : f.stop;
      if (stop < from || !this.world.byNode.has(f.from) || !this.world.byNode.has(f.to) || !this.state.shows(f.sent)) continue;
      if (this.state.matched && !this.state.matched[f.sent] && !(f.ended >= 0 && this.state.matched[f.ended])) continue;
      lists[f.fate].push(f);
    }
    return lists;
  }

  draw(plot) {
    const { ctx } = plot, c = theme.colours;
    const lists = this.inView(plot);
    const all = lists.reduce((n, list) => n + list.length, 0);
    const head = all <= fewMessages ? theme.em * 0.4 : 0;
    const colours = [c.message, c.bad, c.accent, c.soft];
    this.thinned = false; // whether messages were left out
    ctx.lineWidth = 1;
    for (const fate of [delivered, underway, duplicated, dropped]) {
      const list = all > fewMessages ? this.apart(plot, lists[fate]) : lists[fate];
      const every = Math.ceil(list.length / mostMessages) || 1;
      this.thinned ||= list.length < lists[fate].length || every > 1;
      ctx.strokeStyle = colours[fate];
      ctx.globalAlpha = all > fewMessages ? 0.4 : 0.9;
      ctx.beginPath();
      for (let k = 0; k < list.length; k += every) this.trace(plot, list[k], head);
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
    if (all <= readableMessages) this.drawTexts(plot, lists.flat());
  }

  // apart keeps of the messages of a link that begin at about one place the first.
  apart(plot, list) {
    const taken = new Set();
    return list.filter((f) => {
      const key = (f.from * 4096 + f.to) * 65536 + Math.max(0, Math.floor(plot.x(f.start) / messageGap));
      return !taken.has(key) && taken.add(key);
    });
  }

  // ends are the points between which a flight is drawn. What was dropped where it
  // was sent goes half a lane only, and so does what never arrived.
  ends(plot, f) {
    const half = (part.life * theme.em) / 2;
    const a = this.world.byNode.get(f.from), b = this.world.byNode.get(f.to);
    const y1 = this.world.lifeY(plot, a) + half, y2 = this.world.lifeY(plot, b) + half;
    const x1 = plot.x(f.start);
    if (f.ended !== none && f.stop > f.start) return [x1, y1, plot.x(f.stop), y2];
    const away = Math.sign(y2 - y1) * theme.em;
    return f.fate === delivered ? [x1, y1, x1, y2] : [x1, y1, x1 + theme.em * 0.5, y1 + away];
  }

  trace(plot, f, head) {
    const [x1, y1, x2, y2] = this.ends(plot, f);
    if (f.from === f.to) return;
    if (f.fate !== dropped) return drawArrow(plot.ctx, x1, y1, x2, y2, head);
    drawArrow(plot.ctx, x1, y1, x2, y2, 0);
    const r = theme.em * 0.25;
    for (const s of [-r, r]) {
      plot.ctx.moveTo(x2 - r, y2 - s);
      plot.ctx.lineTo(x2 + r, y2 + s);
    }
  }

  // drawTexts writes the texts of messages where they do not cover others.
  drawTexts(plot, flights) {
    const { ctx } = plot, c = theme.colours, written = [];
    setFont(ctx, 0.7);
    for (const f of flights) {
      const [x1, y1, x2, y2] = this.ends(plot, f);
      const text = this.run.textOf(f.sent) + (f.fate === delivered ? "" : " (" + flightText(this.run, f) + ")");
      const x = (x1 + x2) / 2 + 6, y = (y1 + y2) / 2, width = Math.min(ctx.measureText(text).width, 16 * theme.em);
      const covers = written.some((w) => Math.abs(w.y - y) < theme.em && x < w.x + w.width && w.x < x + width);
      if (f.from === f.to || x < 0 || x > plot.width || covers) continue;
      written.push({ x, y, width });
      drawClipped(ctx, text, x, y, width + 1, f.fate === dropped ? c.bad : c.soft);
    }
  }

  hit(plot, x, y) {
    const lists = this.inView(plot);
    for (const list of [lists[dropped], lists[duplicated], lists[underway], lists[delivered]]) {
      if (list.length > mostMessages) continue;
      const f = list.find((f) => distanceToLine(x, y, ...this.ends(plot, f)) < 4);
      if (f) return { record: f.ended === none ? f.sent : f.ended };
    }
    return null;
  }
}

function distanceToLine(x, y, x1, y1, x2, y2) {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const t = length ? Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length)) : 0;
  return Math.hypot(x - x1 - t * (x2 - x1), y - y1 - t * (y2 - y1));
}
