import { html, nothing } from "lit";
import { dateTime, gpus, money, said, shortDateTime, t, total } from "./i18n.js";
import { leadText, linesView, refundText, simulatedMark, substitutionView } from "./quote.js";
import { store } from "./state.js";

/** What an offered reservation asks its owner. */
export function proposalView(proposal, busy, answer) {
  const { quote } = proposal;
  const { plan } = quote;
  return html`<section class="proposal">
    <h3>${t("panel.proposal")}</h3>
    <p>${said(proposal)}</p>
    <p><b>${store.platformName(plan.platform)}</b> ${gpus(plan.gpu)} · <b>${total(quote.total)}</b> ${simulatedMark(quote.simulated)}
      <br /><span class="muted small">${t(`certainty.${plan.certainty}`)} · ${leadText(plan.leadTime)}</span></p>
    ${plan.substitution ? substitutionView(plan.substitution) : nothing}
    <details><summary>${t("book.lines")}</summary>${linesView(quote)}<p class="small">${refundText(quote.refundTerms)}</p></details>
    <div class="row">
      <button type="button" class="primary" data-act="accept" ?disabled=${busy} @click=${() => answer("accept")}>${t("panel.accept")}</button>
      <button type="button" data-act="decline" ?disabled=${busy} @click=${() => answer("decline")}>${t("panel.decline")}</button>
      <span class="muted small">${t("panel.proposal.until", { time: dateTime(proposal.expiresAt) })}</span>
    </div>
  </section>`;
}

/** What happened, newest first. */
export function eventsView(events, more) {
  return html`<ol class="events" reversed>
    ${more ? html`<li class="muted">${t("panel.moreEvents")}</li>` : nothing}
    ${[...events].reverse().map((event) =>
      html`<li><time>${shortDateTime(event.at)}</time>
        <span>${changeText(event)} <span class="muted"><bdi>${event.who}</bdi></span>
          ${said(event, "why") ? html`<br /><span class="muted">${said(event, "why")}</span>` : nothing}</span></li>`)}
  </ol>`;
}

function changeText({ what, before, after }) {
  const [from, to] = [before?.state, after?.state];
  if (to && from && from !== to) {
    return html`${t(`state.${from}`)} → <b>${t(`state.${to}`)}</b>`;
  }
  return html`${t(`event.${what}`)}${to ? html` → <b>${t(`state.${to}`)}</b>` : nothing}`;
}

/**
 * The way to cancel: a button, a question, and where it costs something the quote to agree to.
 *
 * @param stage "" before, "ask" while asking, else the cancellation quote
 */
export function cancelView(stage, busy, { ask, cancel }) {
  if (stage === "") {
    return html`<p class="cancel"><button type="button" class="danger" data-act="cancel" ?disabled=${busy}
      @click=${() => ask("ask")}>${t("panel.cancel")}</button></p>`;
  }
  const quoted = stage !== "ask";
  return html`<section class="cancel sure">
    <p>${quoted ? html`<b>${t("panel.cancel.cost")}</b>` : t("panel.cancel.sure")}</p>
    ${quoted ? costView(stage) : nothing}
    <div class="row wrap">
      <button type="button" class="danger" data-act="cancel-sure" ?disabled=${busy} @click=${() => cancel(quoted ? stage : null)}>
        ${quoted ? t("panel.cancel.agree", { amount: money(stage.fee) }) : t("panel.cancel.yes")}
      </button>
      <button type="button" data-act="keep" ?disabled=${busy} @click=${() => ask("")}>${t("panel.cancel.no")}</button>
    </div>
  </section>`;
}

function costView(quote) {
  return html`<dl class="facts">
    <dt>${t("panel.cancel.fee")}</dt><dd>${money(quote.fee)}</dd>
    <dt>${t("panel.cancel.refund")}</dt><dd>${money(quote.refund)}</dd>
    <dt>${t("panel.cancel.total")}</dt><dd>${money(quote.total)}</dd>
  </dl>
  <p class="muted small">${refundText(quote.refundTerms)} ${t("book.expires", { time: dateTime(quote.expiresAt) })}</p>`;
}
