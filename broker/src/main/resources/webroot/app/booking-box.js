import { LitElement, html, nothing } from "lit";
import { Keys, Refused, api } from "./api.js";
import { gpus, said, t } from "./i18n.js";
import { planView } from "./plan.js";
import { explanationView, problemView } from "./problem.js";
import { Watch, store } from "./state.js";

const MODES = ["ask", "auto", "never"];
/** The best ones; the others are a click away. */
const FIRST_PLANS = 4;

/** One line of words, then how it was understood, then priced plans, then a booking. */
class BookingBox extends LitElement {
  #watch = new Watch(this, "zone", "platformNames");
  #keys = new Keys();
  /** Each search is told from the one before, so that a late answer to an old one is not shown. */
  #search = 0;
  #phrase = "";
  #title = "";
  #mode = "ask";
  #busy = "";
  #readings = null;
  #request = null;
  #quotes = null;
  #problem = null;
  #booked = null;
  /** How many of the plans are shown. */
  #shown = FIRST_PLANS;

  createRenderRoot() {
    return this;
  }

  // ---- steps

  #start(event) {
    event.preventDefault();
    this.#phrase = this.querySelector("[name=phrase]").value.trim();
    if (this.#phrase) {
      this.#keys.forget();
      this.#reset();
      this.#attempt("checking", async (current) => {
        const read = await api.interpret({ phrase: this.#phrase, timeZone: store.zone });
        if (current()) {
          this.#readings = read.readings;
          if (!read.needsConfirmation) {
            await this.#quote(read.readings[0].request, current);
          }
        }
      });
    }
  }

  #choose(reading) {
    this.#readings = [reading];
    this.#attempt("checking", (current) => this.#quote(reading.request, current));
  }

  async #quote(request, current) {
    this.#request = withoutPhrase({ ...request, substitution: { ...request.substitution, mode: this.#mode } });
    this.requestUpdate();
    const quotes = await api.quote(this.#request);
    if (current()) {
      this.#quotes = quotes;
    }
  }

  #book(quoteId) {
    const named = this.#title.trim() ? { title: this.#title.trim() } : {};
    const body = quoteId ? { quoteId, ...named } : { ...this.#request, onUnavailable: "queue", ...named };
    this.#attempt(`booking ${quoteId ?? ""}`, async () => {
      const reservation = await api.book(body, this.#keys.of(body));
      this.#keys.forget();
      this.#reset();
      this.#booked = reservation;
      this.#phrase = "";
      this.#title = "";
      this.querySelector("[name=phrase]").value = "";
      this.dispatchEvent(new CustomEvent("booked", { bubbles: true, detail: reservation }));
    });
  }

  /** One attempt at a time: a second click while the first is answered does nothing. */
  async #attempt(busy, step) {
    if (this.#busy.startsWith("booking")) {
      return;
    }
    const search = ++this.#search;
    this.#busy = busy;
    this.#problem = null;
    this.requestUpdate();
    try {
      await step(() => search === this.#search);
    } catch (failure) {
      if (search === this.#search) {
        this.#fail(failure);
      }
    } finally {
      if (search === this.#search) {
        this.#busy = "";
        this.requestUpdate();
      }
    }
  }

  #fail(failure) {
    if (!(failure instanceof Refused)) {
      throw failure;
    }
    const { problem } = failure;
    this.#problem = problem;
    if (problem.readings?.length) {
      this.#readings = problem.readings;
      this.#quotes = null;
    }
    if (problem.code === "price_changed" && this.#quotes) {
      const plans = this.#quotes.plans.filter((quote) => !samePlan(quote.plan, problem.quote.plan));
      this.#quotes = { ...this.#quotes, plans: [problem.quote, ...plans] };
    }
  }

  #reset() {
    this.#readings = null;
    this.#request = null;
    this.#quotes = null;
    this.#problem = null;
    this.#booked = null;
    this.#shown = FIRST_PLANS;
  }

  #close() {
    if (this.#busy.startsWith("booking")) {
      return;
    }
    this.#search++;
    this.#busy = "";
    this.#keys.forget();
    this.#reset();
    this.requestUpdate();
    this.querySelector("[name=phrase]").focus();
  }

  // ---- what is shown

  render() {
    const open = this.#busy || this.#readings || this.#problem || this.#booked;
    return html`<section class="booking" @keydown=${(event) => event.key === "Escape" && open && this.#close()}>
      <form class="ask" @submit=${this.#start}>
        <label for="phrase">${t("book.label")}</label>
        <input
          id="phrase"
          name="phrase"
          maxlength="500"
          autocomplete="off"
          spellcheck="false"
          enterkeyhint="search"
          placeholder=${t("book.placeholder")}
        />
        <select
          name="mode"
          aria-label=${t("book.mode.label")}
          title=${t("book.mode.label")}
          @change=${(event) => (this.#mode = event.target.value)}
        >
          ${MODES.map((mode) => html`<option value=${mode} ?selected=${mode === this.#mode}>${t(`book.mode.${mode}`)}</option>`)}
        </select>
        <button class="primary" ?disabled=${this.#busy !== ""}>${t("book.check")}</button>
      </form>
      ${open ? this.#sheet() : nothing}
    </section>`;
  }

  #sheet() {
    return html`<div class="sheet" aria-live="polite">
      <button type="button" class="icon close" aria-label=${t("book.close")} title=${t("book.close")} @click=${this.#close}>×</button>
      ${this.#booked ? this.#done() : nothing} ${this.#understood()}
      ${problemView(this.#problem, { onSuggestion: (text) => this.#retry(text) })}
      ${this.#busy === "checking" ? html`<p class="waiting">${t("book.checking")}</p>` : nothing}
      ${this.#quotes ? this.#plans() : nothing}
    </div>`;
  }

  #retry(text) {
    const input = this.querySelector("[name=phrase]");
    input.value = text;
    input.focus();
  }

  #done() {
    const { id, state, request } = this.#booked;
    return html`<p class="done">${t("book.done", { what: gpus(request.gpu), state: t(`state.${state}`) })}
      <button type="button" class="link" data-booked=${id} @click=${() => store.set({ selected: id })}>${id}</button></p>`;
  }

  #understood() {
    const readings = this.#readings ?? [];
    if (readings.length === 1) {
      return html`<p class="echo"><span class="muted">${t("book.understood")}</span> ${said(readings[0], "echo")}</p>`;
    }
    return readings.length === 0
      ? nothing
      : html`<fieldset class="readings">
          <legend>${t("book.choose")}</legend>
          ${readings.map((reading) =>
            html`<button type="button" class="reading" @click=${() => this.#choose(reading)}>
              ${said(reading, "echo")}${reading.why ? html`<small>${said(reading, "why")}</small>` : nothing}
            </button>`)}
        </fieldset>`;
  }

  #plans() {
    const { plans, explanation, platforms } = this.#quotes;
    const silent = platforms.filter((one) => !one.answered).map((one) => store.platformName(one.platform));
    const asked = platforms.filter((one) => one.answered).map((one) => store.platformName(one.platform));
    return html`
      <div class="row plans-head">
        <h2>${plans.length === 0 ? t("book.noPlans") : t("book.plans", { count: plans.length })}</h2>
        <span class="gap"></span>
        <input
          name="title"
          maxlength="300"
          dir="auto"
          aria-label=${t("book.title.label")}
          placeholder=${t("book.title.placeholder")}
          .value=${this.#title}
          @input=${(event) => (this.#title = event.target.value)}
        />
      </div>
      <ol class="plans">
        ${plans.slice(0, this.#shown).map((quote) => planView(quote, this.#busy, () => this.#book(quote.quoteId)))}
      </ol>
      ${plans.length > this.#shown
        ? html`<p><button type="button" class="more" @click=${this.#more}>${t("book.more", { count: plans.length - this.#shown })}</button></p>`
        : nothing}
      ${plans.length === 0 ? this.#queue() : nothing}
      <p class="muted small">
        ${asked.length > 0 ? t("book.asked", { platforms: asked.join(", ") }) : nothing}
        ${silent.length > 0 ? html`<b class="wrong">${t("book.silent", { platforms: silent.join(", ") })}</b>` : nothing}
      </p>
      ${explanation.length > 0
        ? html`<details><summary>${t("book.left", { count: explanation.length })}</summary>${explanationView(explanation)}</details>`
        : nothing}
    `;
  }

  #more() {
    this.#shown = Infinity;
    this.requestUpdate();
  }

  #queue() {
    return html`<p class="row"><button type="button" class="primary" data-book="queue" ?disabled=${this.#busy !== ""}
      @click=${() => this.#book(null)}>${t("book.queue")}</button> <span class="muted">${t("book.queue.hint")}</span></p>`;
  }
}

const samePlan = (one, other) => one.account === other.account && one.sku === other.sku && one.acquisition === other.acquisition;

// A request that is complete needs no words beside it.
const withoutPhrase = ({ phrase, ...request }) => request;

customElements.define("gb-booking", BookingBox);
