// SPDX-License-Identifier: MPL-2.0

// overview.js draws the whole run in a strip: how much happened when, crashes, the
// failure, what a search finds, and which part the lanes show. A press or drag in
// it moves that part.

class Overview {
  constructor(canvas, plot, run, state) {
    Object.assign(this, { canvas, plot, run, state, ctx: canvas.getContext("2d") });
    const go = (e) => {
      const at = (e.offsetX / this.canvas.clientWidth) * plot.scene.end;
      plot.setRange(at - plot.span / 2, at + plot.span / 2);
    };
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      go(e);
    });
    canvas.addEventListener("pointermove", (e) => e.buttons & 1 && go(e));
  }

  draw() {
    const { canvas, ctx, plot } = this, ratio = devicePixelRatio || 1;
    const width = Math.max(1, canvas.clientWidth), height = Math.max(1, canvas.clientHeight), c = theme.colours;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = (at) => (at / plot.scene.end) * width;
    this.drawDensity(width, height);
    if (plot.scene instanceof World) this.drawMarks(x, height);
    const left = Math.max(0, x(plot.range[0])), right = Math.min(width, x(plot.range[1]));
    ctx.globalAlpha = 0.15;
    fillBox(ctx, left, 0, right - left, height, c.accent);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = c.accent;
    ctx.lineWidth = 2;
    ctx.strokeRect(left + 1, 1, Math.max(right - left - 2, 2), height - 2);
  }

  drawDensity(width, height) {
    const times = this.plot.scene instanceof World ? this.run.at : this.plot.scene.turns.start;
    const counts = new Uint32Array(Math.ceil(width / 2) + 1);
    for (const at of times) counts[Math.min(counts.length - 1, Math.floor(((at / this.plot.scene.end) * width) / 2))]++;
    const most = counts.reduce((a, b) => Math.max(a, b), 1);
    counts.forEach((n, k) => n && fillBox(this.ctx, k * 2, height, 2, -Math.max(1, Math.sqrt(n / most) * (height - 4)), theme.colours.faint));
  }

  drawMarks(x, height) {
    const { run, ctx } = this, c = theme.colours;
    ctx.strokeStyle = c.bad;
    ctx.lineWidth = 1.5;
    const { matched } = this.state;
    for (let i = 0; matched && i < run.count; i++) if (matched[i]) fillBox(ctx, x(run.at[i]), 0, 2, height * 0.3, c.accent);
    for (let i = 0; i < run.count; i++) if (run.kindOf(i) === "crash") drawCross(ctx, x(run.at[i]), height / 2, theme.em * 0.22);
    if (run.head.failedAt >= 0) fillBox(ctx, Math.min(x(run.head.failedAt), this.canvas.clientWidth - 2) - 1, 0, 3, height, c.bad);
  }
}
