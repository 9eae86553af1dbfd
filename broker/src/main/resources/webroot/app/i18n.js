import en from "./texts-en.js";
import zh from "./texts-zh.js";
import { store } from "./state.js";

const TEXTS = { en, zh };
const LOCALES = { en: "en-GB", zh: "zh-CN" };
const formats = new Map();

/** The text of a key in the page's language. A key that is new to this page (a state, say) shows as itself. */
export function t(key, values = {}) {
  return fill(TEXTS[store.lang][key] ?? key.slice(key.indexOf(".") + 1).replaceAll("_", " "), values);
}

// {name} is a value; {count, plural, one {…} other {…}} chooses by number.
function fill(text, values) {
  return text
    .replace(/\{(\w+), plural, one \{(.*?)\} other \{(.*)\}\}/, (all, name, one, other) =>
      values[name] === 1 ? one : other,
    )
    .replace(/\{(\w+)\}/g, (all, name) => (values[name] === undefined ? all : String(values[name])));
}

/** Of {detail, detailZh} and the like the one in the page's language; English where the other is missing. */
export function said(object, member = "detail") {
  return (store.lang === "zh" && object?.[`${member}Zh`]) || object?.[member] || "";
}

/** Names such as "Alibaba Cloud 阿里云" hold both languages; this is the half for the page's. */
export function nameIn(label) {
  const both = /^([^\u3400-\u9fff]+?)\s+([\u3400-\u9fff].*)$/u.exec(label);
  return both ? both[store.lang === "zh" ? 2 : 1] : label;
}

function format(kind, make) {
  const key = `${store.lang} ${store.zone} ${kind}`;
  let made = formats.get(key);
  if (!made) {
    made = make(LOCALES[store.lang]);
    formats.set(key, made);
  }
  return made;
}

const dateFormat = (kind, options) =>
  format(kind, (locale) => new Intl.DateTimeFormat(locale, { timeZone: store.zone, hourCycle: "h23", ...options }));

const DATE = { weekday: "short", day: "numeric", month: "short", year: "numeric" };
const TIME = { hour: "2-digit", minute: "2-digit" };

/** An instant (milliseconds or RFC 3339) in the page's zone and language: "Tue, 1 Dec 2026, 10:00". */
export const dateTime = (at) => dateFormat("dateTime", { ...DATE, ...TIME }).format(new Date(at));
export const shortDateTime = (at) =>
  dateFormat("short", { day: "numeric", month: "short", ...TIME }).format(new Date(at));
export const clockTime = (at) => dateFormat("clock", { ...TIME, second: "2-digit" }).format(new Date(at));
export const hourMinute = (at) => dateFormat("hourMinute", TIME).format(at);
export const dateRange = (from, to) =>
  dateFormat("range", { day: "numeric", month: "short", year: "numeric" }).formatRange(new Date(from), new Date(to));
export const timeRange = (from, to) =>
  dateFormat("times", { ...DATE, ...TIME }).formatRange(new Date(from), new Date(to));
export const monthName = (at) => dateFormat("month", { month: "long", year: "numeric" }).format(at);
export const dayName = (at) =>
  dateFormat("day", { weekday: "short", day: "numeric", month: "long", year: "numeric" }).format(at);
export const weekdayName = (at) => dateFormat("weekday", { weekday: "short" }).format(at);

/** The zone's distance from UTC at an instant: "GMT+8". */
export function zoneOffset(at) {
  const parts = dateFormat("offset", { timeZoneName: "shortOffset" }).formatToParts(new Date(at));
  return parts.find((part) => part.type === "timeZoneName")?.value ?? "";
}

/** {amount: "277.93", currency: "CNY"} as text. The amount is handed on as text, so nothing is lost. */
export function money({ amount, currency }) {
  return format(currency, (locale) => new Intl.NumberFormat(locale, { style: "currency", currency })).format(amount);
}

/** A decimal without the zeros that say nothing: "34.742410000000" becomes "34.74241". */
export function decimal(text) {
  const short = text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  return short.replace(/^(-?\d+)/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

/** ISO 8601 such as P14D or PT36H in words; as it is where it has other parts. */
export function duration(iso) {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:\d+(?:\.\d+)?S)?)?$/.exec(iso);
  if (!parts) {
    return iso;
  }
  const said = ["day", "hour", "minute"]
    .map((unit, i) => [unit, Number(parts[i + 1] ?? 0)])
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => t(`duration.${unit}`, { count }));
  return said.length > 0 ? said.join(" ") : t("duration.minute", { count: 0 });
}

export const gpus = ({ model, count }) => `${count}×${model}`;

/** What a shown total says: "from" where a line has no known price, and no number where none has one. */
export function total(sum) {
  if (!sum.from) {
    return money(sum);
  }
  return /^0(\.0*)?$/.test(sum.amount) ? t("book.unknownPrice") : t("book.from", { amount: money(sum) });
}
