import { LitElement, html, nothing } from "lit";
import { t } from "./i18n.js";
import { Watch, token } from "./state.js";

/** Asks for the bearer token. It stays in this tab: never in an address, never in a store that outlives the tab. */
class TokenDialog extends LitElement {
  #watch = new Watch(this);
  #refused = false;
  #waiting = null;

  createRenderRoot() {
    return this;
  }

  /** Answers when there is another token than the refused one; those who ask at the same time share one dialog. */
  ask(refused) {
    if (token.get() && token.get() !== refused) {
      return Promise.resolve();
    }
    this.#refused = Boolean(refused);
    token.set(null);
    this.#waiting ??= new Promise((resolve) => {
      this.addEventListener("given", resolve, { once: true });
    }).finally(() => {
      this.#waiting = null;
    });
    this.requestUpdate();
    this.updateComplete.then(() => {
      const dialog = this.querySelector("dialog");
      if (!dialog.open) {
        dialog.showModal();
        this.querySelector("input").focus();
      }
    });
    return this.#waiting;
  }

  #give(event) {
    event.preventDefault();
    const input = this.querySelector("input");
    const given = input.value.trim();
    if (given) {
      token.set(given);
      input.value = "";
      this.querySelector("dialog").close();
      this.dispatchEvent(new Event("given"));
    }
  }

  render() {
    return html`<dialog aria-labelledby="token-title" @cancel=${(event) => event.preventDefault()}>
      <form method="dialog" @submit=${this.#give}>
        <h2 id="token-title">${t("token.title")}</h2>
        <p>${t("token.text")}</p>
        ${this.#refused ? html`<p class="wrong" role="alert">${t("token.wrong")}</p>` : nothing}
        <label>${t("token.label")}
          <input type="password" name="token" autocomplete="off" spellcheck="false" required /></label>
        <p class="hint">${t("token.hint")}</p>
        <div class="row end"><button class="primary">${t("token.submit")}</button></div>
      </form>
    </dialog>`;
  }
}

customElements.define("gb-token", TokenDialog);
