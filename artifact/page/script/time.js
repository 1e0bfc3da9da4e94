// SPDX-License-Identifier: MPL-2.0

// time.js writes virtual times and durations, which are in nanoseconds.

const second = 1e9;

function formatTime(ns) {
  const whole = Math.floor(ns / second);
  return whole + "." + String(Math.round(ns - whole * second)).padStart(9, "0") + "s";
}

const units = [["s", second], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

function formatDuration(ns) {
  const [name, size] = units.find(([, size]) => Math.abs(ns) >= size) || units[3];
  return Number((ns / size).toPrecision(4)) + " " + name;
}

// steps of an axis are 1, 2 or 5 times a power of ten.
function axisStep(span, room) {
  const rough = span / Math.max(room, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  return [1, 2, 5, 10].map((f) => f * power).find((step) => step >= rough) || power;
}

// tickText writes a time of an axis with as many digits as its step needs.
function tickText(ns, step) {
  const digits = Math.min(9, Math.max(0, 9 - Math.floor(Math.log10(step))));
  return (ns / second).toFixed(digits) + " s";
}
