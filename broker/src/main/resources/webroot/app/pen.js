// The strokes that the picture is made of.
import { STATES } from "./state.js";
import { cut } from "./text.js";

const FAMILY = 'system-ui, -apple-system, "Segoe UI", "PingFang SC", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif';
export const FONT = `12px ${FAMILY}`;
export const BOLD = `600 12px ${FAMILY}`;
export const SMALL = `11px ${FAMILY}`;
export const SMALL_BOLD = `700 11px ${FAMILY}`;
const COLOURS = ["surface", "sunken", "text", "muted", "line", "line-strong", "weekend", "past", "accent", "now", "on-now"];
const MOST_CUTS = 20_000;

/** A drawing context with the colours of the page, by the names that base.css gives them. */
export class Pen {
  colours = {};
  ctx;
  #hatches = new Map();
  #cuts = new Map();

  constructor(canvas) {
    this.ctx = canvas.getContext("2d");
    this.readColours();
  }

  /** To be called when light becomes dark, or fonts have come. */
  readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of [...COLOURS, ...[...STATES.keys()].map((state) => `s-${state}`)]) {
      this.colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
    this.#hatches.clear();
    this.#cuts.clear();
  }

  stateColour(state) {
    return this.colours[`s-${state}`] ?? this.colours.muted;
  }

  clip(left, top, right, bottom, draw) {
    this.ctx.save();
    this.ctx.beginPath();
    this.ctx.rect(left, top, right - left, bottom - top);
    this.ctx.clip();
    draw();
    this.ctx.restore();
  }

  /** As much of a text as fits in the present font, and its width. Measuring is what takes time, so it is kept. */
  cut(text, room) {
    const { ctx } = this;
    const key = `${ctx.font} ${Math.floor(room)} ${text}`;
    let kept = this.#cuts.get(key);
    if (!kept) {
      const shown = cut(text, Math.floor(room), (part) => ctx.measureText(part).width);
      kept = { text: shown, width: ctx.measureText(shown).width };
      if (this.#cuts.size > MOST_CUTS) {
        this.#cuts.clear();
      }
      this.#cuts.set(key, kept);
    }
    return kept;
  }

  hatch(colour) {
    if (!this.#hatches.has(colour)) {
      const tile = new OffscreenCanvas(8, 8);
      const ctx = tile.getContext("2d");
      ctx.strokeStyle = colour;
      ctx.globalAlpha = 0.55;
      ctx.lineWidth = 1.4;
      for (const shift of [-8, 0, 8]) {
        ctx.beginPath();
        ctx.moveTo(shift - 1, 9);
        ctx.lineTo(shift + 9, -1);
        ctx.stroke();
      }
      this.#hatches.set(colour, this.ctx.createPattern(tile, "repeat"));
    }
    return this.#hatches.get(colour);
  }

  box(left, top, width, height, colour) {
    this.ctx.fillStyle = this.colours[colour];
    this.ctx.fillRect(left, top, width, height);
  }

  vertical(x, top, bottom, colour) {
    this.box(Math.round(x), top, 1, bottom - top, colour);
  }

  horizontal(y, left, right, colour) {
    this.box(left, Math.round(y) - 1, right - left, 1, colour);
  }
}
