import { LitElement, html, nothing } from "lit";
import { browserZone } from "./time.js";
import { clockTime, dayName, said, t, zoneOffset } from "./i18n.js";
import { Watch, store, token, zonesAtHand } from "./state.js";

const LANGUAGES = [
  ["en", "EN"],
  ["zh", "中文"],
];

/** Name, stamp and clock of the installation; language and time zone of the reader. */
class Header extends LitElement {
  #watch = new Watch(this, "status", "zone", "trouble");

  createRenderRoot() {
    return this;
  }

  firstUpdated() {
    setInterval(() => this.#tell(), 1000);
  }

  updated() {
    this.querySelector(".zone").value = store.zone; // Options that moved do not take their choice along.
    document.documentElement.lang = store.lang === "zh" ? "zh-CN" : "en";
    document.title = t("app.title");
    this.#tell();
  }

  #tell() {
    const clock = this.querySelector("time");
    if (clock && store.status) {
      const now = store.now();
      clock.dateTime = new Date(now).toISOString();
      clock.textContent = `${dayName(now)} ${clockTime(now)} ${zoneOffset(now)}`;
    }
  }

  render() {
    return html`
      <header class="top">
        <a class="brand" href="/"><img src="/app/icon.svg" alt="" width="24" height="24" /><strong>gpu-broker</strong>
          <span>${t("app.tagline")}</span></a>
        ${this.#stamp()}
        <span class="gap"></span>
        ${store.status ? html`<time title=${t("clock.hint")}></time>` : nothing}
        ${this.#zones()}
        <div class="switch" role="group" aria-label=${t("language.label")}>
          ${LANGUAGES.map(
            ([lang, name]) =>
              html`<button
                type="button"
                lang=${lang}
                data-lang=${lang}
                aria-pressed=${store.lang === lang}
                @click=${() => store.choose({ lang })}
              >${name}</button>`,
          )}
        </div>
        <a class="quiet" href="/docs">${t("docs.link")}</a>
        <button type="button" class="quiet" @click=${forget}>${t("signout")}</button>
      </header>
      ${store.trouble ? html`<p class="banner" role="alert">${troubleText(store.trouble)}</p>` : nothing}
    `;
  }

  #stamp() {
    const { status } = store;
    if (!status) {
      return nothing;
    }
    const bad = status.platforms.filter((one) => one.breaker !== "closed").map((one) => store.platformName(one.platform));
    return html`
      <span class="badge stamp-${status.stamp}" title=${t(`stamp.${status.stamp}.hint`)}>${t(`stamp.${status.stamp}`)}</span>
      ${status.purchasesPaused
        ? html`<span class="badge warn" title=${t("status.paused.hint")}>${t("status.paused")}</span>`
        : nothing}
      ${bad.length > 0
        ? html`<span class="badge warn">${t("status.trouble", { platforms: [...new Set(bad)].join(", ") })}</span>`
        : nothing}
    `;
  }

  #zones() {
    const atHand = zonesAtHand();
    const all = Intl.supportedValuesOf?.("timeZone") ?? [];
    const option = (zone) => html`<option value=${zone}>${zoneName(zone)}</option>`;
    return html`<select
      class="zone"
      aria-label=${t("zone.label")}
      title=${t("zone.label")}
      @change=${(event) => store.choose({ zone: event.target.value })}
    >
      <optgroup label=${t("zone.common")}>${atHand.map(option)}</optgroup>
      <optgroup label=${t("zone.all")}>${all.filter((zone) => !atHand.includes(zone)).map(option)}</optgroup>
    </select>`;
  }
}

function zoneName(zone) {
  if (zone === store.status?.timeZone) {
    return t("zone.installation", { zone });
  }
  return zone === browserZone() ? t("zone.browser", { zone }) : zone;
}

function troubleText({ problem, since }) {
  const reason = problem.code === "network" ? "" : said(problem) || t("problem.unreadable", { status: problem.status });
  return [reason, t("status.stale", { time: clockTime(since) })].filter(Boolean).join(" ");
}

function forget() {
  token.set(null);
  location.reload();
}

customElements.define("gb-header", Header);
