// Puts the page together: loads what is seen, and asks again while somebody looks.
import "./header.js";
import "./booking-box.js";
import { today } from "./toolbar.js";
import "./timeline.js";
import "./panel.js";
import "./token-dialog.js";
import { Refused, api, onUnauthorized } from "./api.js";
import { nameIn, t } from "./i18n.js";
import { store } from "./state.js";

/** Until the page listens to the live stream. */
const REFRESH_MS = 10_000;
/** After the picture has moved. */
const LOAD_AFTER_MS = 150;

let loading = new AbortController();
let settling = 0;
let platforms = [];

onUnauthorized((refused) => document.querySelector("gb-token").ask(refused));

/** What is seen and as much again on both sides, so that moving a little shows bars at once. */
function wanted({ from, to }) {
  const span = to - from;
  return { from: from - span, to: to + span };
}

async function loadCalendar() {
  loading.abort();
  const { signal } = (loading = new AbortController());
  const { from, to } = wanted(store.view);
  const query = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    groupBy: store.groupBy,
    timeZone: store.zone,
  };
  store.set({ loading: true });
  try {
    const { rows } = await api.calendar(query, signal);
    store.set({ calendar: { rows, from, to }, loading: false });
  } catch (failure) {
    if (!signal.aborted) {
      store.set({ loading: false });
      throw failure;
    }
  }
}

/** Loads again once the picture rests, if it has moved half a screen towards the end of what is loaded. */
function loadIfMoved() {
  clearTimeout(settling);
  settling = setTimeout(() => {
    const { view, calendar } = store;
    const spare = (view.to - view.from) / 2;
    const covered = calendar && view.from - spare >= calendar.from && view.to + spare <= calendar.to;
    if (!covered) {
      quietly(loadCalendar);
    }
  }, LOAD_AFTER_MS);
}

async function refresh() {
  store.setStatus(await api.status());
  if (!store.view) {
    today();
  }
  if (platforms.length === 0) {
    platforms = (await api.platforms()).items;
    namePlatforms();
  }
  await loadCalendar();
  store.set({ tick: store.tick + 1 });
}

function namePlatforms() {
  const names = new Map(platforms.map((one) => [one.id, nameIn(one.name)]));
  names.set("pool", t("acquisition.pool"));
  store.set({ platformNames: names });
}

/** What is wrong is told in a banner, and tried again with the next refresh. */
async function quietly(load) {
  try {
    await load();
    if (store.trouble) {
      store.set({ trouble: null });
    }
  } catch (failure) {
    if (!(failure instanceof Refused)) {
      throw failure;
    }
    store.set({ trouble: { problem: failure.problem, since: store.trouble?.since ?? store.now() } });
  }
}

async function keepFresh() {
  if (document.visibilityState === "visible") {
    await quietly(refresh);
  }
  setTimeout(keepFresh, REFRESH_MS);
}

store.watch((names) => {
  if (names.includes("lang") && platforms.length > 0) {
    namePlatforms();
  }
  if (names.includes("view") && store.status) {
    loadIfMoved();
  }
  if (names.includes("groupBy") && store.view) {
    quietly(loadCalendar);
  }
  if (names.includes("selected")) {
    history.replaceState(null, "", store.selected ? `#${store.selected}` : location.pathname);
  }
});

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && quietly(refresh));
document.addEventListener("acted", () => quietly(refresh));
document.addEventListener("booked", async ({ detail }) => {
  const [start, end] = [Date.parse(detail.request.start), Date.parse(detail.request.end)];
  const { from, to } = store.view;
  if (start >= to || end <= from) {
    const ahead = (to - from) / 10;
    store.set({ view: { from: start - ahead, to: start - ahead + (to - from) } });
  }
  await quietly(refresh);
});

function openFromAddress() {
  const id = location.hash.slice(1);
  if (/^rsv_\w+$/.test(id)) {
    store.set({ selected: id });
  }
}

window.addEventListener("hashchange", openFromAddress);
keepFresh();
openFromAddress();
