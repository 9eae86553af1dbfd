import { html, nothing } from "lit";
import { dateTime, gpus, said, shortDateTime, t, total } from "./i18n.js";
import { leadText, linesView, refundText, simulatedMark, substitutionView } from "./quote.js";
import { store } from "./state.js";

/** One priced plan with what makes it differ from the others, and a button that books it. */
export function planView(quote, busy, book) {
  const { plan } = quote;
  return html`<li class="plan" data-quote=${quote.quoteId}>
    <div class="plan-what">
      <b>${store.platformName(plan.platform)}</b> ${gpus(plan.gpu)}
      <span class="badge ${plan.certainty}">${t(`certainty.${plan.certainty}`)}</span>
      ${plan.needsPick ? html`<span class="badge">${t("book.needsPick")}</span>` : nothing}
      ${plan.fit === "covers" ? html`<span class="badge">${t("fit.covers")}</span>` : nothing}
      <small>${howText(plan)}</small>
      ${plan.substitution ? substitutionView(plan.substitution) : nothing}
    </div>
    <div class="plan-sum"><strong>${total(quote.total)}</strong> ${simulatedMark(quote.simulated)}
      <small>${t("book.expires", { time: shortDateTime(quote.expiresAt) })}</small></div>
    <button type="button" class="primary" data-book=${quote.quoteId} ?disabled=${busy !== ""} @click=${book}>
      ${busy === `booking ${quote.quoteId}` ? t("book.booking") : t("book.book")}
    </button>
    <details>
      <summary>${t("book.lines")}</summary>
      ${linesView(quote)}
      <p class="small">${refundText(quote.refundTerms)} <span class="muted">${quote.refundTerms.source}</span></p>
      <p class="small"><b>${t("book.ifItFails")}:</b> ${said(plan, "ifItFails")}</p>
      <p class="small">${said(quote, "dataAtEnd")}</p>
      ${plan.endsOnlyWhileBrokerRuns ? html`<p class="small">${t("book.brokerEnds")}</p>` : nothing}
      <ul class="actions">
        ${plan.actions.map((action) => html`<li><time>${dateTime(action.at)}</time> ${t(`action.${action.what}`)}</li>`)}
      </ul>
    </details>
  </li>`;
}

// Own capacity is in our ledger: neither stock nor a wait says anything more.
function howText(plan) {
  return plan.acquisition === "pool"
    ? plan.sku
    : [t(`acquisition.${plan.acquisition}`), plan.region, t(`stock.${plan.stock}`), leadText(plan.leadTime)].join(" · ");
}
