import { LitElement, html } from "lit";
import { dateRange, t } from "./i18n.js";
import { DAY, ENDED, STATES, Watch, store } from "./state.js";
import { plusDays, startOfDay } from "./time.js";

const SPANS = [
  ["day", 1],
  ["week", 7],
  ["weeks4", 28],
  ["weeks8", 56],
];
const GROUPS = ["platform", "pool", "node"];

/** What is seen of the calendar, and the legend, whose entries are the filters. */
class Toolbar extends LitElement {
  #watch = new Watch(this, "view", "zone", "groupBy", "filters", "calendar");

  createRenderRoot() {
    return this;
  }

  get #timeline() {
    return document.querySelector("gb-timeline");
  }

  updated() {
    this.querySelector(".model").value = store.filters.model; // Options that moved do not take their choice along.
  }

  render() {
    return html`
      <div class="bar views">
        <div class="switch" role="group" aria-label=${t("view.label")}>
          ${SPANS.map(
            ([name, days]) =>
              html`<button type="button" data-view=${name} aria-pressed=${isSpan(days)} @click=${() => show(days)}>
                ${t(`view.${name}`)}
              </button>`,
          )}
        </div>
        <div class="row">
          ${icon("‹", "view.earlier", () => this.#timeline.step(-0.5))}
          <button type="button" @click=${today}>${t("view.today")}</button>
          ${icon("›", "view.later", () => this.#timeline.step(0.5))}
          <span class="zoom row">${icon("−", "view.zoomOut", () => this.#timeline.zoomBy(1 / 1.6))}
          ${icon("+", "view.zoomIn", () => this.#timeline.zoomBy(1.6))}</span>
        </div>
        <strong class="range">${store.view ? dateRange(store.view.from, store.view.to - 1) : ""}</strong>
        <span class="gap"></span>
        <div class="switch" role="group" aria-label=${t("group.label")}>
          ${GROUPS.map(
            (groupBy) =>
              html`<button
                type="button"
                data-group=${groupBy}
                aria-pressed=${store.groupBy === groupBy}
                @click=${() => store.choose({ groupBy })}
              >${t(`group.${groupBy}`)}</button>`,
          )}
        </div>
        ${models()}
      </div>
      <div class="bar legend" role="group" aria-label=${t("filter.states")}>
        ${[...STATES].map(([state, sign]) => chip(state, sign))}
        <span class="key"><b>⇄</b> ${t("legend.substituted")}</span>
        <span class="gap"></span>
        <label class="check"
          ><input
            type="checkbox"
            name="ended"
            .checked=${store.filters.ended}
            @change=${(event) => filter({ ended: event.target.checked })}
          />${t("filter.ended")}</label
        >
      </div>
    `;
  }
}

const icon = (sign, name, act) =>
  html`<button type="button" class="icon" aria-label=${t(name)} title=${t(name)} @click=${act}>${sign}</button>`;

const filter = (changes) => store.choose({ filters: { ...store.filters, ...changes } });

function chip(state, sign) {
  const { hidden, ended } = store.filters;
  const shown = !hidden.has(state) && (ended || !ENDED.has(state));
  return html`<button
    type="button"
    class="chip s-${state}"
    data-state=${state}
    aria-pressed=${shown}
    title=${t("filter.states")}
    @click=${() => toggle(state, shown)}
  ><i aria-hidden="true">${sign}</i>${t(`state.${state}`)}</button>`;
}

function toggle(state, shown) {
  const hidden = new Set(store.filters.hidden);
  let { ended } = store.filters;
  if (shown) {
    hidden.add(state);
  } else {
    hidden.delete(state);
    if (ENDED.has(state) && !ended) {
      // Of the ended ones only this: the others stay away as they were.
      ended = true;
      ENDED.forEach((other) => other !== state && hidden.add(other));
    }
  }
  filter({ hidden, ended });
}

/** The models that are booked in what was loaded; found once, since this is shown with every frame of a movement. */
let booked = { calendar: null, models: new Set() };

function bookedModels() {
  const { calendar } = store;
  if (booked.calendar !== calendar) {
    booked = { calendar, models: new Set(calendar.rows.flatMap((row) => row.bars.map((bar) => bar.gpus.model))) };
  }
  return booked.models;
}

function models() {
  const chosen = store.filters.model;
  const all = [...new Set(chosen ? [...bookedModels(), chosen] : bookedModels())].sort();
  return html`<select
    class="model"
    aria-label=${t("filter.model")}
    @change=${(event) => filter({ model: event.target.value })}
  >
    <option value="">${t("filter.allModels")}</option>
    ${all.map((model) => html`<option value=${model}>${model}</option>`)}
  </select>`;
}

function isSpan(days) {
  const { view } = store;
  return view !== null && Math.abs(view.to - view.from - days * DAY) < DAY / 12;
}

/** So many days: around now where now is seen, else from the first day that is seen. */
function show(days) {
  const now = store.now();
  const { from, to } = store.view;
  const first = now >= from && now < to ? plusDays(now, -before(days), store.zone) : from + DAY / 2;
  const start = startOfDay(first, store.zone);
  store.set({ view: { from: start, to: plusDays(start, days, store.zone) } });
}

const before = (days) => (days >= 28 ? 2 : days >= 7 ? 1 : 0);

/** Today, as much of it and after it as is seen now. */
export function today() {
  const span = store.view ? store.view.to - store.view.from : 28 * DAY;
  const from = startOfDay(plusDays(store.now(), -before(span / DAY), store.zone), store.zone);
  store.set({ view: { from, to: from + span } });
}

customElements.define("gb-toolbar", Toolbar);
