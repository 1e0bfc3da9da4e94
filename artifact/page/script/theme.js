// SPDX-License-Identifier: MPL-2.0

// theme.js gives the canvas the colours and the text size of the style sheet.

const colourNames = [
  "ink", "soft", "faint", "line", "ground", "raised", "accent", "bad", "warn", "good", "message", "disk", "paused", "span", "fault", "onbar",
];

const theme = { em: 16, colours: {}, font: "" };

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  theme.em = parseFloat(style.fontSize) || 16;
  theme.font = style.fontFamily;
  for (const name of colourNames) theme.colours[name] = style.getPropertyValue("--" + name).trim();
}

function watchTheme(changed) {
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
    matchMedia(query).addEventListener("change", changed);
  }
}

// text sets the font of a canvas, in units of the page's text size.
function setFont(ctx, size, weight = 400) {
  ctx.font = `${weight} ${size * theme.em}px ${theme.font}`;
}
