// Draws the calendar. Text on a canvas is never read as markup.
import { dayName, gpus, hourMinute, monthName, weekdayName } from "./i18n.js";
import { DAY, ENDED, STATES } from "./state.js";
import { BOLD, FONT, Pen, SMALL, SMALL_BOLD } from "./pen.js";
import { labelOf } from "./row-label.js";
import { isolate, oneLine } from "./text.js";
import { axis } from "./timeline-axis.js";
import { BAR } from "./timeline-layout.js";

export const AXIS = 46;
const RADIUS = 5;
/** In less room a text is only an ellipsis. */
const SMALLEST_TEXT = 30;

/** Paints scenes onto one canvas in the colours of the page. */
export class Painter {
  #canvas;
  #pen;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#pen = new Pen(canvas);
  }

  /** To be called when light becomes dark, or fonts have come. */
  readColours() {
    this.#pen.readColours();
  }

  /**
   * @param scene {width, height, labels, scroll, x, from, to, zone, now, rows, hover, selected, focused}: sizes in CSS pixels,
   *     labels the width of the column of names, x from instants to pixels
   */
  paint(scene) {
    const { ctx, colours } = this.#pen;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(scene.width * ratio), Math.round(scene.height * ratio)];
    if (this.#canvas.width !== wide || this.#canvas.height !== high) {
      this.#canvas.width = wide;
      this.#canvas.height = high;
    }
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.textBaseline = "middle";
    ctx.direction = "ltr";
    ctx.fillStyle = colours.surface;
    ctx.fillRect(0, 0, scene.width, scene.height);
    const marks = axis(scene.from, scene.to, scene.width - scene.labels, scene.zone);
    this.#pen.clip(scene.labels, AXIS, scene.width, scene.height, () => {
      this.#grid(scene, marks);
      for (const row of scene.rows) {
        if (row.top + row.height > scene.scroll && row.top < scene.scroll + scene.height) {
          this.#row(scene, row);
        }
      }
    });
    this.#pen.clip(scene.labels, 0, scene.width, AXIS, () => this.#axis(scene, marks));
    this.#pen.clip(0, AXIS, scene.labels, scene.height, () => scene.rows.forEach((row) => this.#label(scene, row)));
    this.#frame(scene);
    this.#pen.clip(scene.labels, 0, scene.width, scene.height, () => this.#now(scene));
  }

  #grid(scene, marks) {
    const { x } = scene;
    for (const day of marks.days) {
      if (day.weekday > 5) {
        this.#pen.box(x(day.at), AXIS, x(day.end) - x(day.at), scene.height, "weekend");
      }
    }
    if (scene.now > scene.from) {
      this.#pen.box(scene.labels, AXIS, Math.min(x(scene.now), scene.width) - scene.labels, scene.height, "past");
    }
    for (const at of marks.lines) {
      this.#pen.vertical(x(at), AXIS, scene.height, "line");
    }
    for (const part of marks.major) {
      this.#pen.vertical(x(part.at), AXIS, scene.height, "line-strong");
    }
    for (const row of scene.rows) {
      this.#pen.horizontal(row.top + row.height - scene.scroll + AXIS, 0, scene.width, "line");
    }
  }

  #row(scene, row) {
    for (const item of row.items) {
      if (item.end > scene.from && item.start < scene.to) {
        this.#bar(scene, item);
      }
    }
  }

  #bar(scene, item) {
    const { ctx, colours } = this.#pen;
    const { bar } = item;
    const left = Math.max(scene.x(item.start), scene.labels - 10);
    const right = Math.min(scene.x(item.end), scene.width + 10);
    const width = Math.max(right - left - 1, 3);
    const y = item.y - scene.scroll + AXIS;
    const colour = this.#pen.stateColour(bar.state);
    const marked = bar.reservation === scene.hover || bar.reservation === scene.selected;
    ctx.save();
    ctx.globalAlpha = ENDED.has(bar.state) && !marked ? 0.55 : 1;
    const shape = new Path2D();
    shape.roundRect(left + 0.5, y + 0.5, width - 1, BAR - 1, Math.min(RADIUS, width / 2));
    ctx.fillStyle = colours.surface;
    ctx.fill(shape);
    ctx.fillStyle = colour;
    const base = ctx.globalAlpha;
    ctx.globalAlpha = base * (marked ? 0.34 : 0.2);
    ctx.fill(shape);
    if (bar.state === "queued") {
      ctx.globalAlpha = base * 0.5;
      ctx.fillStyle = this.#pen.hatch(colour);
      ctx.fill(shape);
    }
    ctx.globalAlpha = base;
    ctx.strokeStyle = colour;
    ctx.setLineDash(bar.state === "offered" || bar.state === "queued" ? [4, 3] : []);
    ctx.lineWidth = marked ? 2 : 1;
    ctx.stroke(shape);
    ctx.clip(shape);
    ctx.fillStyle = colour;
    if (scene.x(item.start) >= scene.labels - 10) {
      ctx.fillRect(left, y, 4, BAR);
    }
    this.#barText(scene, item, Math.max(left, scene.labels) + 9, right - 6, y + BAR / 2 + 0.5, colour);
    ctx.restore();
    if (bar.reservation === scene.focused || bar.reservation === scene.selected) {
      this.#ring(left, y, width);
    }
  }

  // Sign of the state, mark of a substitute, title, then what is booked, as far as there is room.
  #barText(scene, item, left, right, y, colour) {
    const { ctx, colours } = this.#pen;
    const { bar } = item;
    if (right - left < 8) {
      return;
    }
    ctx.font = BOLD;
    ctx.fillStyle = colour;
    ctx.fillText(STATES.get(bar.state) ?? "", left, y);
    let at = left + 15;
    if (bar.substituted && right - at > 14) {
      ctx.fillText("⇄", at, y);
      at += 17;
    }
    const what = gpus(bar.gpus);
    const title = oneLine(bar.title ?? "");
    ctx.fillStyle = colours.text;
    if (title && right - at > SMALLEST_TEXT) {
      const shown = this.#pen.cut(title, right - at);
      ctx.fillText(isolate(shown.text), at, y);
      at += shown.width + 8;
    }
    ctx.font = FONT;
    if (title) {
      ctx.fillStyle = colours.muted;
    }
    if (right - at > SMALLEST_TEXT) {
      ctx.fillText(this.#pen.cut(what, right - at).text, at, y);
    }
  }

  #ring(left, y, width) {
    const { ctx, colours } = this.#pen;
    ctx.strokeStyle = colours.accent;
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.roundRect(left - 2, y - 2, width + 4, BAR + 4, RADIUS + 2);
    ctx.stroke();
  }

  #axis(scene, marks) {
    const { ctx, colours } = this.#pen;
    this.#pen.box(scene.labels, 0, scene.width, AXIS, "sunken");
    for (const part of marks.major) {
      const left = Math.max(scene.x(part.at), scene.labels);
      const right = Math.min(scene.x(part.end), scene.width);
      this.#pen.vertical(scene.x(part.at), 0, AXIS, "line-strong");
      ctx.font = BOLD;
      ctx.fillStyle = colours.text;
      const name = part.kind === "month" ? monthName(part.at) : dayName(part.at);
      if (ctx.measureText(name).width < right - left - 12) {
        ctx.fillText(name, left + 8, 14);
      }
    }
    ctx.font = SMALL;
    const { now } = scene;
    for (const mark of marks.minor) {
      const left = scene.x(mark.at);
      this.#pen.vertical(left, 27, AXIS, "line");
      const text =
        mark.kind === "hour"
          ? `${String(mark.hour).padStart(2, "0")}:00`
          : mark.kind === "dayName"
            ? `${weekdayName(mark.at)} ${mark.day}`
            : String(mark.day);
      if (!marks.byHour && now >= mark.at && now < Math.min(mark.end, mark.at + 1.1 * DAY)) {
        this.#chip(text, left + 2);
      } else {
        ctx.fillStyle = mark.weekday > 5 ? colours.muted : colours.text;
        ctx.fillText(text, left + 5, 36);
      }
    }
    if (marks.byHour && now >= scene.from && now < scene.to) {
      this.#chip(hourMinute(now), scene.x(now) - 17);
    }
  }

  #label(scene, row) {
    const { ctx, colours } = this.#pen;
    const top = row.top - scene.scroll + AXIS;
    if (top > scene.height || top + row.height < AXIS) {
      return;
    }
    this.#pen.box(0, top, scene.labels, row.height, "sunken");
    this.#pen.horizontal(top + row.height, 0, scene.labels, "line");
    // The name stays in sight while its row is scrolled through.
    const seen = (Math.max(top, AXIS) + Math.min(top + row.height, scene.height)) / 2;
    const middle = Math.max(top + 22, Math.min(seen, top + row.height - 22));
    const room = scene.labels - 20;
    const { name, sub } = labelOf(row);
    ctx.fillStyle = colours.text;
    ctx.font = BOLD;
    ctx.fillText(isolate(this.#pen.cut(name, room).text), 12, sub ? middle - 8 : middle);
    ctx.fillStyle = colours.muted;
    ctx.font = SMALL;
    ctx.fillText(isolate(this.#pen.cut(sub, room).text), 12, middle + 8);
  }

  #frame(scene) {
    this.#pen.box(0, 0, scene.labels, AXIS, "sunken");
    this.#pen.horizontal(AXIS, 0, scene.width, "line-strong");
    this.#pen.vertical(scene.labels, 0, scene.height, "line-strong");
  }

  #now(scene) {
    const { ctx, colours } = this.#pen;
    const at = Math.round(scene.x(scene.now));
    if (at < scene.labels || at > scene.width) {
      return;
    }
    ctx.fillStyle = colours.now;
    ctx.fillRect(at - 1, AXIS, 2, scene.height);
    ctx.beginPath();
    ctx.arc(at, AXIS, 4, 0, 2 * Math.PI);
    ctx.fill();
  }

  /** A word on the axis that stands out. */
  #chip(text, left) {
    const { ctx, colours } = this.#pen;
    ctx.font = SMALL_BOLD;
    ctx.fillStyle = colours.now;
    ctx.beginPath();
    ctx.roundRect(left, 27.5, ctx.measureText(text).width + 7, 16, 4);
    ctx.fill();
    ctx.fillStyle = colours["on-now"];
    ctx.fillText(text, left + 3.5, 36);
    ctx.font = SMALL;
  }
}
