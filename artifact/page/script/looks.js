// SPDX-License-Identifier: MPL-2.0

// looks.js says how records look: a tick, or a box or diamond for what stands out.

// lookOf says how records of a kind are drawn; null if something else shows them.
function lookOf(kind) {
  if (kind === "fail" || lifeKinds.has(kind) || kind.startsWith("fault.")) return null;
  if (kind === "disk.sync" || kind === "disk.syncdir") return looks.sync;
  const group = kind.slice(0, kind.indexOf(".") + 1);
  return looks[kind] || { "disk.": looks.disk, "tcp.": looks.net, "net.": looks.net, "udp.": looks.net }[group] || looks.other;
}

// A look draws a record at a point. Its rank tells it from other looks.
function tickLook(colour, height, width = 1) {
  return (ctx, x, y) => fillBox(ctx, Math.round(x - width / 2), y - (height * theme.em) / 2, width, height * theme.em, theme.colours[colour]);
}

function boxLook(colour, how) {
  return (ctx, x, y) => {
    const r = theme.em * 0.22, c = theme.colours;
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = c[colour];
    if (how !== "hollow") fillBox(ctx, x - r, y - r, how === "half" ? r : 2 * r, 2 * r, c[colour]);
    if (how !== "full") ctx.strokeRect(x - r, y - r, 2 * r, 2 * r);
    if (how !== "crossed") return;
    ctx.strokeStyle = c.ground;
    drawCross(ctx, x, y, r * 0.7);
  };
}

function diamondLook(colour) {
  return (ctx, x, y) => {
    const r = theme.em * 0.32;
    ctx.fillStyle = theme.colours[colour];
    ctx.beginPath();
    for (const [dx, dy] of [[0, -r], [r, 0], [0, r], [-r, 0]]) ctx.lineTo(x + dx, y + dy);
    ctx.fill();
  };
}

const looks = {
  timer: tickLook("faint", 0.4),
  net: tickLook("message", 0.7),
  other: tickLook("soft", 0.9),
  log: tickLook("ink", 0.9),
  clock: diamondLook("warn"),
  exit: diamondLook("bad"),
  "net.drop": tickLook("bad", 0.9),
  "net.corrupt": diamondLook("bad"),
  "tcp.rst": tickLook("bad", 0.9),
  "tcp.timeout": diamondLook("bad"),
  "tcp.retransmit": tickLook("warn", 0.9),
  "udp.overflow": diamondLook("bad"),
  disk: tickLook("disk", 0.5),
  sync: tickLook("disk", 0.8, 2),
  badSync: tickLook("bad", 0.8, 2),
  "disk.crash": diamondLook("bad"),
  "disk.corrupt": diamondLook("bad"),
  synced: boxLook("disk", "full"),
  kept: boxLook("disk", "half"),
  unsynced: boxLook("disk", "hollow"),
  failed: boxLook("warn", "hollow"),
  torn: boxLook("bad", "half"),
  lost: boxLook("bad", "crossed"),
  nameless: boxLook("bad", "crossed"),
};
Object.keys(looks).forEach((name, rank) => (looks[name] = { draw: looks[name], rank }));
