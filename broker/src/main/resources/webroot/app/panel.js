import { LitElement, html, nothing } from "lit";
import { Keys, Refused, api } from "./api.js";
import { dateTime, gpus, money, said, t, timeRange } from "./i18n.js";
import { cancelView, eventsView, proposalView } from "./panel-parts.js";
import { explanationView, problemView } from "./problem.js";
import { linesView, refundText, simulatedMark, substitutionView } from "./quote.js";
import { ENDED, STATES, Watch, store } from "./state.js";
import { oneLine, ranges } from "./text.js";

const MOST_PAGES = 5;

/** One reservation from all sides, and what can be done with it. */
class Panel extends LitElement {
  #watch = new Watch(this, "selected", "zone", "status", "platformNames");
  #keys = new Keys();
  #shown = null;
  #reservation = null;
  #events = [];
  #moreEvents = false;
  #problem = null;
  #busy = false;
  /** "" | "ask" | the cancellation quote to agree to. */
  #cancelling = "";
  #loading = null;

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    store.watch((names) => {
      if (names.includes("selected") && store.selected !== this.#shown) {
        this.#open();
      } else if (names.includes("tick") && store.selected && !this.#busy) {
        this.#load();
      }
    });
    this.addEventListener("keydown", (event) => event.key === "Escape" && this.#close());
  }

  #open() {
    this.#shown = store.selected;
    this.#reservation = null;
    this.#events = [];
    this.#problem = null;
    this.#cancelling = "";
    this.#keys.forget();
    document.body.classList.toggle("with-panel", this.#shown !== null);
    if (this.#shown) {
      this.#load();
      this.updateComplete.then(() => this.querySelector("h2")?.focus());
    }
  }

  #close() {
    store.set({ selected: null });
    document.querySelector("gb-bar-list button[tabindex='0']")?.focus();
  }

  async #load() {
    this.#loading?.abort();
    const { signal } = (this.#loading = new AbortController());
    try {
      const reservation = await api.reservation(this.#shown, signal);
      const { events, more } =
        reservation.version === this.#reservation?.version
          ? { events: this.#events, more: this.#moreEvents }
          : await allEvents(this.#shown, signal);
      if (!signal.aborted) {
        this.#reservation = reservation;
        this.#events = events;
        this.#moreEvents = more;
      }
    } catch (failure) {
      // While the broker is away what was read stays; the banner tells.
      if (!signal.aborted && failure instanceof Refused && failure.problem.code !== "network") {
        this.#problem = failure.problem;
      }
    }
    this.requestUpdate();
  }

  /** Does one thing at a time, then shows how the reservation stands. */
  async #act(act) {
    if (this.#busy) {
      return;
    }
    this.#busy = true;
    this.#problem = null;
    this.requestUpdate();
    try {
      this.#reservation = { ...(await act()), version: -1 }; // So that its events are read again.
      this.#cancelling = "";
      this.#keys.forget();
    } catch (failure) {
      if (!(failure instanceof Refused)) {
        throw failure;
      }
      const { problem } = failure;
      if (problem.code === "cancellation_quote_required") {
        this.#cancelling = problem.quote;
      } else {
        this.#problem = problem;
      }
    } finally {
      this.#busy = false;
      await this.#load();
      this.dispatchEvent(new CustomEvent("acted", { bubbles: true }));
    }
  }

  #answer(how) {
    const { id, version, proposal } = this.#reservation;
    const key = this.#keys.of([how, id, proposal.quote.quoteId]);
    this.#act(() => api[how](id, version, key));
  }

  #cancel(quote) {
    const { id } = this.#reservation;
    const body = quote ? { quoteId: quote.id } : {};
    this.#act(() => api.cancel(id, body, this.#keys.of(["cancel", id, body])));
  }

  render() {
    if (!store.selected) {
      return nothing;
    }
    const r = this.#reservation;
    return html`<aside class="panel" aria-label=${t("panel.label")}>
      <button type="button" class="icon close" aria-label=${t("panel.close")} title=${t("panel.close")} @click=${this.#close}>×</button>
      ${r ? this.#whole(r) : html`<h2 tabindex="-1">${t("panel.loading")}</h2>`} ${problemView(this.#problem)}
      ${r ? this.#cancelPart(r) : nothing}
    </aside>`;
  }

  #whole(r) {
    return html`
      <h2 tabindex="-1" title=${oneLine(r.title ?? "")}><bdi>${oneLine(r.title ?? "") || gpus(r.request.gpu)}</bdi></h2>
      <p class="row wrap">
        <span class="chip s-${r.state}" data-state=${r.state}><i aria-hidden="true">${STATES.get(r.state)}</i>${t(`state.${r.state}`)}</span>
        ${r.health.map((flag) => html`<span class="badge warn">${t(`health.${flag}`)}</span>`)}
        <code class="id">${r.id}</code>
      </p>
      ${nextView(r)} ${r.proposal ? proposalView(r.proposal, this.#busy, (how) => this.#answer(how)) : nothing}
      ${r.blockers.length > 0 ? blockersView(r.blockers) : nothing} ${factsView(r)}
      ${r.substitution ? section("panel.substitution", html`${substitutionView(r.substitution)}
          <p class="muted small">${t(`panel.substitution.${r.substitution.status}`)}</p>`) : nothing}
      ${r.quote ? section("panel.price", priceView(r.quote), simulatedMark(r.quote.simulated)) : nothing}
      ${r.explanation.length > 0
        ? html`<details><summary>${t("panel.why")} (${r.explanation.length})</summary>${explanationView(r.explanation)}</details>`
        : nothing}
      ${this.#events.length > 0 ? section("panel.events", eventsView(this.#events, this.#moreEvents)) : nothing}
    `;
  }

  #cancelPart(r) {
    if (ENDED.has(r.state) || r.state === "releasing") {
      return nothing;
    }
    return cancelView(this.#cancelling, this.#busy, {
      ask: (cancelling) => {
        this.#cancelling = cancelling;
        this.requestUpdate();
      },
      cancel: (quote) => this.#cancel(quote),
    });
  }
}

async function allEvents(id, signal) {
  const events = [];
  let cursor = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, nextCursor } = await api.events(id, cursor, signal);
    events.push(...items);
    cursor = nextCursor;
    if (cursor === null) {
      break;
    }
  }
  return { events, more: cursor !== null };
}

const section = (title, content, mark = nothing) => html`<section><h3>${t(title)} ${mark}</h3>${content}</section>`;

function nextView({ nextAction, waitlist, pendingChange }) {
  const eta = waitlist && waitlist.eta !== "unknown" ? waitlist.eta.split("/") : null;
  return html`
    ${nextAction
      ? html`<p class="next"><b>${t("panel.next")}: ${t(`action.${nextAction.what}`)}</b> <time>${dateTime(nextAction.at)}</time>
          ${Date.parse(nextAction.at) <= store.now() ? html`<span class="badge">${t("panel.overdue")}</span>` : nothing}
          ${said(nextAction) ? html`<br /><span>${said(nextAction)}</span>` : nothing}</p>`
      : nothing}
    ${waitlist
      ? html`<p class="muted small">${t("panel.position", { position: waitlist.position })} ·
          ${eta ? t("panel.eta", { from: dateTime(eta[0]), to: dateTime(eta[1]) }) : t("panel.eta.unknown")}</p>`
      : nothing}
    ${pendingChange ? html`<p class="muted small">${t("panel.pending")}</p>` : nothing}
  `;
}

function blockersView(blockers) {
  return html`<section class="blockers"><h3>${t("panel.blockers")}</h3><ul>
    ${blockers.map((one) => html`<li><b>${t(`reason.${one.what}`)}</b> ${said(one, "how")}
      ${one.fixBy ? html`<span class="muted">${t("panel.fixBy", { time: dateTime(one.fixBy) })}</span>` : nothing}</li>`)}
  </ul></section>`;
}

function factsView({ request, assignment, owner, team, labels }) {
  const window = assignment?.window;
  const named = Object.entries(labels);
  return html`<dl class="facts">
    ${fact("panel.when", html`${timeRange(request.start, request.end)}
      ${window && window.usableEnd !== request.end ? html`<br />${t("panel.usableEnd", { time: dateTime(window.usableEnd) })}` : nothing}`)}
    ${fact("panel.asked", gpus(request.gpu))}
    ${fact(assignment?.nodes.length > 0 ? "panel.gets" : "panel.planned", assignment ? placeView(assignment) : t("panel.nothing"))}
    ${assignment
      ? fact("panel.acquisition", `${t(`acquisition.${assignment.acquisition}`)}, ${t(`certainty.${assignment.certainty}`)}`)
      : nothing}
    ${assignment?.nodes.length > 0
      ? fact("panel.nodes", html`${assignment.nodes.map((node) => html`<div><bdi>${node.name}</bdi>
          <span class="muted">GPU ${ranges(node.gpus)}${node.platformRef ? ` · ${node.platformRef}` : ""}</span></div>`)}`)
      : nothing}
    ${fact("panel.owner", html`<bdi>${owner}</bdi> <span class="muted">${team}</span>`)}
    ${request.phrase ? fact("panel.phrase", html`<bdi>${request.phrase}</bdi>`) : nothing}
    ${named.length > 0
      ? fact("panel.labels", named.map(([name, value]) => html`<span class="badge"><bdi>${name}=${value}</bdi></span> `))
      : nothing}
  </dl>`;
}

const fact = (name, value) => html`<dt>${t(name)}</dt><dd>${value}</dd>`;

function placeView(assignment) {
  const { platform, region, zone, sku, gpu } = assignment;
  return html`${gpus(gpu)} · <b>${store.platformName(platform)}</b><br />
    <span class="muted">${[sku, region, zone].filter(Boolean).join(" · ")}</span>`;
}

function priceView(quote) {
  return html`${linesView(quote)}
    <p class="muted small">${refundText(quote.refundTerms)}
      ${quote.cap ? t("panel.cap", { amount: money(quote.cap) }) : nothing} ${t("panel.agreed", { time: dateTime(quote.agreedAt) })}</p>`;
}

customElements.define("gb-panel", Panel);
