import { browserZone, isZone } from "./time.js";

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Every state of a reservation, in the order of its life, with the sign that stands for it beside its colour. */
export const STATES = new Map([
  ["queued", "⋯"],
  ["offered", "?"],
  ["ordering", "→"],
  ["confirmed", "✓"],
  ["provisioning", "↑"],
  ["active", "●"],
  ["releasing", "↓"],
  ["completed", "■"],
  ["cancelled", "×"],
  ["expired", "–"],
  ["failed", "!"],
  ["no_show", "○"],
]);
export const ENDED = new Set(["completed", "cancelled", "expired", "failed", "no_show"]);

// Storage may be forbidden; the page then forgets, and works.
function recall(storage, name) {
  try {
    return storage().getItem(`gpu-broker.${name}`);
  } catch {
    return null;
  }
}

function keep(storage, name, value) {
  try {
    if (value === null) {
      storage().removeItem(`gpu-broker.${name}`);
    } else {
      storage().setItem(`gpu-broker.${name}`, value);
    }
  } catch {
    // As above.
  }
}

const forever = () => localStorage;
const thisTab = () => sessionStorage;

export const token = {
  get: () => recall(thisTab, "token"),
  set: (value) => keep(thisTab, "token", value),
};

function startingFilters() {
  let stored = {};
  try {
    stored = JSON.parse(recall(thisTab, "filters") ?? "{}");
  } catch {
    // Of another version of this page: as if nothing were stored.
  }
  return { hidden: new Set(stored.hidden), model: stored.model ?? "", ended: stored.ended ?? true };
}

/** What the parts of the page share. Members change through {@link set} only, which tells those who watch them. */
class Store {
  lang = recall(forever, "lang") ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
  /** The zone in which everything is shown; the chosen one, else the installation's once it is known. */
  zone = "UTC";
  zoneChosen = recall(forever, "zone");
  /** What /v1/status said, or null before. */
  status = null;
  /** {from, to}: what can be seen; null until business time is known. */
  view = null;
  groupBy = recall(thisTab, "groupBy") ?? "platform";
  filters = startingFilters();
  /** {rows, from, to}: what was loaded, null before. */
  calendar = null;
  platformNames = new Map();
  loading = false;
  /** {problem, since}: why nothing newer can be shown; null while all is well. */
  trouble = null;
  /** Id of the reservation in the side panel, or null. */
  selected = null;
  /** Grows with every refresh. */
  tick = 0;

  #watchers = new Set();
  #clockAt = 0;

  constructor() {
    if (this.zoneChosen && isZone(this.zoneChosen)) {
      this.zone = this.zoneChosen;
    }
  }

  set(changes) {
    Object.assign(this, changes);
    const names = Object.keys(changes);
    for (const watcher of [...this.#watchers]) {
      watcher(names);
    }
  }

  /** Calls back with the names of what changed; answers how to stop. */
  watch(watcher) {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  setStatus(status) {
    this.#clockAt = performance.now();
    const zone = this.zoneChosen && isZone(this.zoneChosen) ? this.zoneChosen : status.timeZone;
    this.set({ status, zone: isZone(zone) ? zone : "UTC" });
  }

  /** Business time: the installation's clock, which may be far from the browser's. */
  now() {
    return this.status ? Date.parse(this.status.now) + performance.now() - this.#clockAt : Date.now();
  }

  choose({ lang, zone, groupBy, filters }) {
    if (lang) {
      keep(forever, "lang", lang);
      this.set({ lang });
    }
    if (zone) {
      const own = zone === this.status?.timeZone;
      keep(forever, "zone", own ? null : zone);
      this.set({ zone, zoneChosen: own ? null : zone });
    }
    if (groupBy) {
      keep(thisTab, "groupBy", groupBy);
      this.set({ groupBy });
    }
    if (filters) {
      keep(thisTab, "filters", JSON.stringify({ ...filters, hidden: [...filters.hidden] }));
      this.set({ filters });
    }
  }

  platformName(id) {
    return this.platformNames.get(id) ?? id;
  }
}

export const store = new Store();

/** Renders a component again when one of these members of the store changes. */
export class Watch {
  #names;
  #host;
  #stop = () => {};

  constructor(host, ...names) {
    this.#host = host;
    this.#names = new Set(["lang", ...names]);
    host.addController(this);
  }

  hostConnected() {
    this.#stop = store.watch((names) => {
      if (names.some((name) => this.#names.has(name))) {
        this.#host.requestUpdate();
      }
    });
  }

  hostDisconnected() {
    this.#stop();
  }
}

export const zonesAtHand = () => [...new Set([store.status?.timeZone, browserZone(), "UTC", store.zone])].filter(Boolean);
