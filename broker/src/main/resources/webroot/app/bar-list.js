import { LitElement, html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { dateTime, gpus, t } from "./i18n.js";
import { labelOf } from "./row-label.js";
import { Watch } from "./state.js";
import { oneLine } from "./text.js";

/** More would slow the page down and be read by nobody. */
const LISTED = 300;

/**
 * What the picture shows, as a list for keyboards and screen readers: one stop of the Tab key, in which the arrow keys move.
 * Says "bar-focus" (null when left) and "bar-open" with the {row, item} meant.
 */
class BarList extends LitElement {
  static properties = { found: { attribute: false } };

  #watch = new Watch(this, "zone");
  #current = null;

  constructor() {
    super();
    this.found = [];
  }

  createRenderRoot() {
    return this;
  }

  render() {
    const shown = this.found.slice(0, LISTED);
    const more = this.found.length - shown.length;
    const current = Math.max(
      0,
      shown.findIndex((one) => keyOf(one) === this.#current),
    );
    return html`
      <h2 id="list-title">${t("timeline.list", { count: this.found.length })}</h2>
      <ul aria-labelledby="list-title">
        ${repeat(shown, keyOf, (one, index) => this.#entry(one, index, index === current, shown.length - 1))}
        ${more > 0 ? html`<li>${t("timeline.more", { count: more })}</li>` : nothing}
      </ul>
    `;
  }

  #entry(one, index, current, last) {
    const { bar } = one.item;
    return html`<li>
      <button
        type="button"
        data-reservation=${bar.reservation}
        data-state=${bar.state}
        data-row=${one.row.id}
        tabindex=${current ? 0 : -1}
        @keydown=${(event) => this.#key(event, index, last)}
        @focus=${() => this.#reach(one)}
        @blur=${() => this.#say("bar-focus", null)}
        @click=${() => this.#say("bar-open", one)}
      >
        <bdi>${describe(one)}</bdi>
      </button>
    </li>`;
  }

  #key(event, index, last) {
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: last }[event.key];
    if (to !== undefined && to >= 0 && to <= last) {
      event.preventDefault();
      this.querySelectorAll("button")[to].focus();
    }
  }

  #reach(one) {
    this.#current = keyOf(one);
    this.requestUpdate();
    this.#say("bar-focus", one);
  }

  #say(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

// On rows of nodes one reservation has a bar on each.
const keyOf = ({ row, item }) => `${row.id} ${item.bar.reservation} ${item.bar.gpus.indexes ?? ""}`;

function describe({ row, item }) {
  const { bar } = item;
  return t("bar.describe", {
    title: oneLine(bar.title ?? "") || t("bar.untitled"),
    gpus: gpus(bar.gpus),
    state: t(`state.${bar.state}`) + (bar.substituted ? `, ${t("bar.substituted")}` : ""),
    from: dateTime(item.start),
    to: dateTime(item.end),
    row: labelOf(row).name,
  });
}

customElements.define("gb-bar-list", BarList);
