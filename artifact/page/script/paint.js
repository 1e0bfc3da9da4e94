// SPDX-License-Identifier: MPL-2.0

// paint.js draws the shapes that scenes are made of.

function drawGrid(plot) {
  const { ctx, scene } = plot, c = theme.colours;
  scene.lanes.forEach((lane, i) => {
    const y = plot.y(lane), height = lane.height * theme.em;
    if (y + height < 0 || y > plot.height) return;
    if (i % 2) fillBox(ctx, 0, y, plot.width, height, c.raised);
  });
  ctx.strokeStyle = c.line;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const at of axisTicks(plot).list) {
    const x = Math.round(plot.x(at)) + 0.5;
    ctx.moveTo(x, 0);
    ctx.lineTo(x, plot.height);
  }
  ctx.stroke();
}

function axisTicks(plot) {
  const step = axisStep(plot.span, plot.width / (7 * theme.em));
  const first = Math.ceil(Math.max(0, plot.range[0]) / step) * step, last = Math.min(plot.range[1], plot.scene.end);
  const count = Math.max(0, Math.floor((last - first) / step) + 1);
  return { step, list: Array.from({ length: count }, (_, k) => first + k * step) };
}

function drawAxis(plot) {
  const { ctx } = plot, c = theme.colours, height = axisHeight * theme.em;
  fillBox(ctx, 0, 0, plot.width, height, c.ground);
  fillBox(ctx, 0, height - 1, plot.width, 1, c.line);
  setFont(ctx, 0.75);
  ctx.fillStyle = c.soft;
  ctx.textBaseline = "middle";
  const { step, list } = axisTicks(plot);
  for (const at of list) ctx.fillText(plot.scene.tick(at, step), plot.x(at) + 4, height / 2);
  if (plot.scene.flag) plot.scene.flag(plot);
}

function fillBox(ctx, x, y, width, height, colour) {
  ctx.fillStyle = colour;
  ctx.fillRect(x, y, width, height);
}

// drawBar draws a span of time and as much of its label as fits.
function drawBar(plot, from, to, y, height, fill, label, ink) {
  const left = Math.max(plot.x(from), -2), right = Math.min(plot.x(to), plot.width + 2);
  if (right < 0 || left > plot.width) return;
  const width = Math.max(right - left, 2);
  fillBox(plot.ctx, left, y, width, height, fill);
  if (label && width > 3 * theme.em) drawClipped(plot.ctx, label, left + 4, y + height / 2, width - 8, ink);
}

function drawClipped(ctx, text, x, y, width, ink) {
  let shown = text;
  while (shown && ctx.measureText(shown).width > width) {
    const fits = Math.floor((shown.length * width) / ctx.measureText(shown).width);
    shown = shown.slice(0, Math.min(shown.length - 1, Math.max(0, fits)));
  }
  if (shown.length < text.length) shown = shown.length > 3 ? shown.slice(0, -1) + "…" : "";
  ctx.fillStyle = ink;
  ctx.textBaseline = "middle";
  ctx.fillText(shown, x, y);
}

function drawCross(ctx, x, y, r) {
  ctx.beginPath();
  ctx.moveTo(x - r, y - r);
  ctx.lineTo(x + r, y + r);
  ctx.moveTo(x + r, y - r);
  ctx.lineTo(x - r, y + r);
  ctx.stroke();
}

// drawArrow adds a line with a head at its end to the path.
function drawArrow(ctx, x1, y1, x2, y2, head) {
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  if (!head) return;
  const angle = Math.atan2(y2 - y1, x2 - x1);
  for (const turn of [2.7, -2.7]) {
    ctx.moveTo(x2, y2);
    ctx.lineTo(x2 + head * Math.cos(angle + turn), y2 + head * Math.sin(angle + turn));
  }
}

// hatch fills a box with slanted lines: something did not run there.
function drawHatch(ctx, x, y, width, height, colour) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let at = x - height - (x % 6); at < x + width; at += 6) {
    ctx.moveTo(at, y + height);
    ctx.lineTo(at + height, y);
  }
  ctx.stroke();
  ctx.restore();
}
