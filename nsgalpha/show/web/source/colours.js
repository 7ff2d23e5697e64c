// Colours of bodies: their own, or by speed, contact status, or the values of the page.

import { inWords } from "./overlay.js";

const mix = (scale, part) => {
  const at = Math.min(Math.max(part, 0), 1) * (scale.length - 1), k = Math.min(Math.floor(at), scale.length - 2);
  return scale[k].map((c, i) => c + (at - k) * (scale[k + 1][i] - c));
};

export const css = ([r, g, b]) => `rgb(${[r, g, b].map((c) => Math.round(255 * c))})`;

// { of: colour of a body, alike: colour of a surface whose nodes are bodies, or null: by its nodes,
//   stated: whether visual shapes have the colours that were stated }
export function colouring(run, name) {
  const { body_colours: own, scale, status_colours: dyes, fastest, value_range: range } = run.data;
  if (name === "speed") return { of: (body) => mix(scale, run.speed(body) / (fastest || 1)), alike: null };
  if (name === "status") return { of: (body) => dyes[run.now.status[body]], alike: null };
  if (name === "value") {
    const [low, high] = range ?? [0, 0], width = high - low || 1;
    return { of: (body) => {
      const value = run.now.value[body];
      return Number.isFinite(value) ? mix(scale, (value - low) / width) : [0.8, 0.8, 0.8];
    }, alike: null };
  }
  const of = (body) => [0, 1, 2].map((i) => own[3 * body + i] / 255);
  return { of, alike: run.data.surface_colour, stated: true };
}

// Entries of the legend: [css colours, text before, text after]
export function legend(run, name) {
  const { status_names: names, status_colours: dyes, statuses, scale, fastest, value_range: range } = run.data;
  if (name === "status") return statuses.map((k) => [[css(dyes[k])], "", names[k]]);
  if (name === "speed") return [[scale.map(css), "0", inWords(fastest, "m/s")]];
  if (name === "value") {
    if (!range) return [[[css([0.8, 0.8, 0.8])], run.data.value_label, "no value"]];
    const [low, high] = range.map((each) => each.toPrecision(3));
    return [[scale.map(css), `${run.data.value_label} ${low}`, high]];
  }
  return [];
}
