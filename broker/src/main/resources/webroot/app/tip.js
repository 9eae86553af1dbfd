import { html } from "lit";
import { gpus, t, timeRange } from "./i18n.js";
import { labelOf } from "./row-label.js";
import { STATES } from "./state.js";
import { oneLine, ranges } from "./text.js";

/** What the pointer rests on; filled by {@link showTip}, since it moves with every move of the pointer. */
export const emptyTip = html`<div class="tip" hidden>
  <strong><bdi></bdi></strong>
  <span class="tip-state"></span>
  <span class="tip-what"></span>
  <span class="tip-when"></span>
</div>`;

/** Shows the facts of a bar beside a point of the box that the tip stands in. */
export function showTip(tip, { row, item }, px, py) {
  const { bar } = item;
  tip.querySelector("bdi").textContent = oneLine(bar.title ?? "") || t("bar.untitled");
  tip.querySelector(".tip-state").textContent =
    `${STATES.get(bar.state) ?? ""} ${t(`state.${bar.state}`)}` + (bar.substituted ? ` · ⇄ ${t("bar.substituted")}` : "");
  const indexes = bar.gpus.indexes ? ` · GPU ${ranges(bar.gpus.indexes)}` : "";
  tip.querySelector(".tip-what").textContent = `${gpus(bar.gpus)} · ${labelOf(row).name}${indexes}`;
  tip.querySelector(".tip-when").textContent = timeRange(item.start, item.end);
  tip.hidden = false;
  const { clientWidth, clientHeight } = tip.parentElement;
  const left = Math.min(px + 14, clientWidth - tip.offsetWidth - 8);
  const top = py + 18 + tip.offsetHeight > clientHeight ? py - tip.offsetHeight - 10 : py + 18;
  tip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(4, top)}px)`;
}
