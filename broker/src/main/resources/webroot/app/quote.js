import { html, nothing } from "lit";
import { decimal, duration, money, said, t, total } from "./i18n.js";

/** The mark that stands beside every simulated price. */
export const simulatedMark = (simulated) =>
  simulated
    ? html`<span class="badge stamp-simulated" title=${t("stamp.simulated.hint")}>${t("panel.simulated")}</span>`
    : nothing;

/** All lines of a quote, with what has no known price said as such. */
export function linesView(quote) {
  return html`<table class="lines">
    <tbody>
      ${quote.lines.map((line) =>
        html`<tr>
          <th scope="row">${t(`line.${line.kind}`)}<small>${said(line, "description")}</small></th>
          <td class="calc">${line.unitPrice === null ? nothing : `${decimal(line.quantity)} × ${decimal(line.unitPrice)}`}<small
              >${line.unit}</small></td>
          <td class="sum">${line.amount === null ? html`<em>${t("line.unknown")}</em>` : money(line.amount)}</td>
        </tr>`)}
    </tbody>
    <tfoot>
      <tr>
        <th scope="row">${t("line.total")} ${simulatedMark(quote.simulated)}</th>
        <td></td>
        <td class="sum">${total(quote.total)}</td>
      </tr>
    </tfoot>
  </table>`;
}

export function refundText({ rule, feePercent }) {
  const fee = decimal(feePercent);
  return t(rule === "unused_hours" && fee === "0" ? "refund.unused_hours.free" : `refund.${rule}`, { fee });
}

/** "no wait (says the platform)" */
export function leadText(lead) {
  const wait = /^P(T0[HMS])?$|^PT0S$/.test(lead.duration) ? t("lead.now") : t("lead.wait", { duration: duration(lead.duration) });
  return `${wait} (${t(`lead.source.${lead.source}`, { count: lead.observations ?? 0 })})`;
}

export function substitutionView(substitution) {
  const { from, to, expectedSlowdown, basis } = substitution;
  const slower =
    expectedSlowdown === null
      ? t("panel.slowdown.unknown")
      : t("panel.slowdown", { ratio: expectedSlowdown, basis: t(`basis.${basis ?? "estimated"}`) });
  return html`<p class="substitution"><b>⇄ ${from} → ${to}</b> ${slower}<br />
    <span class="muted">${said(substitution) || `${from}: ${t(`reason.${substitution.reason}`)}`}</span></p>`;
}
