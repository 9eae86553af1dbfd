import { LitElement, html, nothing } from "lit";
import { t } from "./i18n.js";
import { DAY, Watch, store } from "./state.js";
import { emptyTip, showTip } from "./tip.js";
import { AXIS, Painter } from "./timeline-canvas.js";
import "./bar-list.js";
import { BAR, itemAt, place, prepare, within } from "./timeline-layout.js";

const d3 = window.d3;
/** The span that the base scale shows; zoom is relative to it. */
const BASE = 28 * DAY;
const SHORTEST = DAY / 4;
const LONGEST = 120 * DAY;
/** The list follows the picture once that rests. */
const LIST_AFTER_MS = 120;
const NO_ROWS = { rows: [], height: 0, hidden: 0 };

/**
 * The calendar: a picture on a canvas that drags, wheels and buttons move, and a list of the same bookings for keyboards and
 * screen readers, in which arrow keys move and Enter opens.
 */
export class Timeline extends LitElement {
  #watch = new Watch(this, "calendar", "filters", "selected", "zone");
  #layout = NO_ROWS;
  #prepared = { calendar: null, filters: null, bars: null };
  #painter;
  #zoom;
  #base;
  #hover = null;
  #focused = null;
  #listed = [];
  #size = { width: 0, height: 0 };
  #drawing = 0;
  #listing = 0;
  #moving = false;

  createRenderRoot() {
    return this;
  }

  firstUpdated() {
    this.#painter = new Painter(this.#canvas);
    this.#zoom = d3
      .zoom()
      .clickDistance(4)
      .scaleExtent([BASE / LONGEST, BASE / SHORTEST])
      .filter((event) => (event.type === "wheel" ? this.#wheelZooms(event) : !event.ctrlKey && !event.button))
      .on("zoom", (event) => this.#moved(event.transform));
    d3.select(this.#canvas)
      .call(this.#zoom)
      .on("dblclick.zoom", null)
      .on("pointermove", (event) => this.#point(event))
      .on("pointerleave", () => this.#point(null))
      .on("click", (event) => this.#open(this.#at(event)));
    this.#canvas.addEventListener("wheel", (event) => this.#wheelPans(event), { passive: false });
    this.#scroller.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.#resized()).observe(this.#scroller);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.#painter.readColours();
      this.draw();
    });
    store.watch((names) => {
      if (names.includes("view")) {
        if (!this.#moving) {
          this.#show(store.view);
        }
        clearTimeout(this.#listing);
        this.#listing = setTimeout(() => this.requestUpdate(), LIST_AFTER_MS);
      }
      this.draw();
    });
    setInterval(() => this.draw(), 30_000); // The line of now.
    document.fonts.ready.then(() => {
      this.#painter.readColours();
      this.draw();
    });
  }

  get #canvas() {
    return this.querySelector("canvas");
  }

  get #scroller() {
    return this.querySelector(".scroller");
  }

  get #tipBox() {
    return this.querySelector(".tip");
  }

  get #labels() {
    return this.#size.width < 700 ? 96 : 178;
  }

  /** From instants to pixels of the canvas, as now seen. */
  get #x() {
    return d3.zoomTransform(this.#canvas).rescaleX(this.#base);
  }

  // ---- what is seen

  #resized() {
    const { clientWidth: width, clientHeight: height } = this.#scroller;
    if (width === 0 || height === 0) {
      return;
    }
    this.#size = { width, height };
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${height}px`;
    const from = store.view?.from ?? store.now();
    this.#base = d3.scaleUtc([from, from + BASE], [this.#labels, width]);
    this.#zoom.extent([
      [this.#labels, 0],
      [width, height],
    ]);
    this.#show(store.view);
    this.requestUpdate();
  }

  #show(view) {
    if (!view || !this.#base) {
      return;
    }
    const k = BASE / (view.to - view.from);
    const shift = this.#labels - k * this.#base(view.from);
    this.#moving = true;
    d3.select(this.#canvas).call(this.#zoom.transform, d3.zoomIdentity.translate(shift, 0).scale(k));
    this.#moving = false;
  }

  #moved(transform) {
    const x = transform.rescaleX(this.#base);
    if (!this.#moving) {
      this.#moving = true;
      store.set({ view: { from: +x.invert(this.#labels), to: +x.invert(this.#size.width) } });
      this.#moving = false;
      this.#tipBox.hidden = true;
    }
    this.draw();
  }

  /** Moves the picture by a share of what is seen, or zooms it around its middle. */
  step(share) {
    const { from, to } = store.view;
    store.set({ view: { from: from + (to - from) * share, to: to + (to - from) * share } });
  }

  zoomBy(factor) {
    const { from, to } = store.view;
    const span = Math.min(Math.max((to - from) / factor, SHORTEST), LONGEST);
    const middle = (from + to) / 2;
    store.set({ view: { from: middle - span / 2, to: middle + span / 2 } });
  }

  // The wheel scrolls where there are more rows than room, as everywhere; over the axis or with Ctrl it zooms.
  #wheelZooms(event) {
    const overflows = this.#layout.height + AXIS > this.#size.height;
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    return !sideways && (event.ctrlKey || event.offsetY < AXIS || !overflows);
  }

  #wheelPans(event) {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.shiftKey ? event.deltaY : 0;
    if (sideways && store.view) {
      event.preventDefault();
      this.step(sideways / (this.#size.width - this.#labels));
    }
  }

  // ---- drawing

  /** Draws once before the next frame, however often it is called. */
  draw() {
    this.#drawing ||= requestAnimationFrame(() => {
      this.#drawing = 0;
      this.#paint();
    });
  }

  #paint() {
    if (!this.#base || !store.view) {
      return;
    }
    this.#painter.paint({
      ...this.#size,
      labels: this.#labels,
      scroll: this.#scroller.scrollTop,
      x: this.#x,
      from: store.view.from,
      to: store.view.to,
      zone: store.zone,
      now: store.now(),
      rows: this.#layout.rows,
      hover: this.#hover?.item.bar.reservation,
      selected: store.selected,
      focused: this.#focused,
    });
  }

  /** Where the bar of a reservation is drawn, in CSS pixels of the canvas; null if it is not in the picture. */
  barRect(reservation) {
    const shown = within(this.#layout, store.view.from, store.view.to);
    const found = shown.find(({ item }) => item.bar.reservation === reservation);
    if (!found) {
      return null;
    }
    const left = Math.max(this.#x(found.item.start), this.#labels);
    const right = Math.min(this.#x(found.item.end), this.#size.width);
    return { x: left, y: found.item.y - this.#scroller.scrollTop + AXIS, width: right - left, height: BAR };
  }

  // ---- pointer

  #at(event) {
    const [px, py] = d3.pointer(event, this.#canvas);
    if (px < this.#labels || py < AXIS || !this.#base) {
      return null;
    }
    return itemAt(this.#layout, this.#x, px, py - AXIS + this.#scroller.scrollTop);
  }

  #point(event) {
    const found = event && event.buttons === 0 ? this.#at(event) : null;
    if (found?.item !== this.#hover?.item) {
      this.#hover = found;
      this.#canvas.classList.toggle("over-bar", found !== null);
      this.draw();
    }
    if (found) {
      const [px, py] = d3.pointer(event, this);
      showTip(this.#tipBox, found, px, py);
    } else {
      this.#tipBox.hidden = true;
    }
  }

  #open(found) {
    if (found) {
      this.#tipBox.hidden = true; // The panel says more, and moves what the tip belongs to.
      store.set({ selected: found.item.bar.reservation });
    }
  }

  #focus(found) {
    this.#focused = found?.item.bar.reservation ?? null;
    if (found) {
      const { item } = found;
      const { scrollTop, clientHeight } = this.#scroller;
      if (item.y < scrollTop || item.y + BAR > scrollTop + clientHeight - AXIS) {
        this.#scroller.scrollTop = item.y - 20;
      }
    }
    this.draw();
  }

  // ---- what stands around the picture

  willUpdate() {
    const { calendar, filters } = store;
    const room = this.#size.height - AXIS;
    if (this.#prepared.calendar !== calendar || this.#prepared.filters !== filters) {
      this.#prepared = { calendar, filters, bars: calendar ? prepare(calendar.rows, filters) : null };
    }
    this.#layout = this.#prepared.bars ? place(this.#prepared.bars, room, store.view) : NO_ROWS;
    this.#listed = store.view ? within(this.#layout, store.view.from, store.view.to) : [];
  }

  updated() {
    const { height } = this.#layout;
    this.querySelector(".spacer").style.height = `${Math.max(0, height + AXIS - this.#size.height)}px`;
    this.draw();
  }

  render() {
    return html`
      <div class="scroller">
        <canvas role="img" aria-label=${t("timeline.label")}></canvas>
        <div class="spacer"></div>
      </div>
      ${this.#notice()}
      ${emptyTip}
      <gb-bar-list
        class="unseen"
        .found=${this.#listed}
        @bar-focus=${(event) => this.#focus(event.detail)}
        @bar-open=${(event) => this.#open(event.detail)}
      ></gb-bar-list>
    `;
  }

  #notice() {
    if (!store.calendar) {
      return html`<p class="notice">${t("timeline.loading")}</p>`;
    }
    const filtered = this.#layout.hidden;
    if (this.#listed.length > 0 || !store.view) {
      return nothing;
    }
    return html`<p class="notice">
      ${t("timeline.empty")} ${filtered > 0 ? html`<br />${t("timeline.filtered", { count: filtered })}` : nothing}
    </p>`;
  }
}

customElements.define("gb-timeline", Timeline);
