import { html, nothing } from "lit";
import { dateTime, said, t, timeRange } from "./i18n.js";
import { store } from "./state.js";

const NOT_SOLD = "not_offered";

/** A problem document for people, in the page's language, with everything in it that helps to go on. */
export function problemView(problem, { onSuggestion } = {}) {
  if (!problem) {
    return nothing;
  }
  return html`<div class="problem" role="alert" data-code=${problem.code}>
    <p>${detail(problem)}</p>
    ${list(problem.errors?.filter((error) => !detail(problem).includes(said(error))), (error) =>
      html`<li>${error.field ? html`<code>${error.field}</code> ` : nothing}${said(error)}</li>`)}
    ${problem.suggestions?.length
      ? html`<p>${t("book.suggestions")}
          ${problem.suggestions.map((text) =>
            onSuggestion
              ? html`<button type="button" class="link" @click=${() => onSuggestion(text)}>${text}</button>`
              : html`<code>${text}</code> `)}</p>`
      : nothing}
    ${problem.lastBookable
      ? html`<p>${t("problem.lastBookable", { time: dateTime(problem.lastBookable) })}</p>`
      : nothing}
    ${problem.freeWindows?.length
      ? html`<p>${t("problem.freeWindows")}</p>
          ${list(problem.freeWindows, (free) =>
            html`<li>${timeRange(free.start, free.end)}
              <span class="muted">${[
                free.pool ?? (free.platform && store.platformName(free.platform)),
                free.count && t("problem.gpusFree", { count: free.count }),
              ].filter(Boolean).join(" · ")}</span></li>`)}`
      : nothing}
    ${problem.conflicts?.length
      ? html`<p>${t("problem.conflicts")}</p>
          ${list(problem.conflicts, (one) =>
            html`<li><bdi>${one.title || one.reservation || one.node}</bdi>
              <span class="muted">${timeRange(one.start, one.end)}</span></li>`)}`
      : nothing}
    ${explanationView(problem.explanation)}
    ${problem.instance ? html`<p class="reference">${t("problem.reference", { id: problem.instance })}</p>` : nothing}
  </div>`;
}

function detail(problem) {
  if (problem.code === "network" || problem.code === "unreadable") {
    return t(`problem.${problem.code}`, { status: problem.status });
  }
  return said(problem);
}

const list = (items, item) => (items?.length ? html`<ul>${items.map(item)}</ul>` : nothing);

/** Why each candidate was left aside; what a platform simply does not sell comes last, in one line for each. */
export function explanationView(explanation = []) {
  const unsold = new Map();
  for (const one of explanation.filter((each) => each.reason === NOT_SOLD)) {
    unsold.set(one.platform, [...(unsold.get(one.platform) ?? []), one.model]);
  }
  return html`${list(explanation.filter((one) => one.reason !== NOT_SOLD), (one) =>
    html`<li><b>${store.platformName(one.platform)}</b> ${one.sku ?? one.model}
      <span class="badge">${t(`reason.${one.reason}`)}</span> <span class="muted">${said(one)}</span></li>`)}
  ${list([...unsold], ([platform, models]) =>
    html`<li><b>${store.platformName(platform)}</b> <span class="badge">${t(`reason.${NOT_SOLD}`)}</span>
      <span class="muted">${[...new Set(models)].join(", ")}</span></li>`)}`;
}
