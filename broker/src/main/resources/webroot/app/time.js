// Instants are milliseconds since 1970; a zone is an IANA name. Nothing here looks at the browser's own zone.
const partsFormats = new Map();

function partsFormat(zone) {
  let format = partsFormats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    partsFormats.set(zone, format);
  }
  return format;
}

/** Whether this browser knows the zone. */
export function isZone(zone) {
  try {
    partsFormat(zone);
    return true;
  } catch {
    return false;
  }
}

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** {year, month, day, hour, minute} on the wall clock of the zone; months count from 1. */
export function wall(ms, zone) {
  const fields = {};
  for (const part of partsFormat(zone).formatToParts(ms)) {
    fields[part.type] = Number(part.value);
  }
  return fields;
}

function offset(ms, zone) {
  const w = wall(ms, zone);
  return Date.UTC(w.year, w.month - 1, w.day, w.hour, w.minute, w.second) - Math.floor(ms / 1000) * 1000;
}

/** The instant at which the zone's clock shows this; fields may overflow (day 32, hour 24). A skipped time gives one beside the gap. */
export function instant({ year, month, day, hour = 0 }, zone) {
  const asIfUtc = Date.UTC(year, month - 1, day, hour);
  const guess = asIfUtc - offset(asIfUtc, zone);
  return asIfUtc - offset(guess, zone);
}

export function startOfDay(ms, zone) {
  const { year, month, day } = wall(ms, zone);
  return instant({ year, month, day }, zone);
}

/** The same time of day so many days later. */
export function plusDays(ms, days, zone) {
  const { year, month, day, hour } = wall(ms, zone);
  return instant({ year, month, day: day + days, hour }, zone);
}

/** 1 for Monday … 7 for Sunday. */
export function dayOfWeek({ year, month, day }) {
  return ((new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7) + 1;
}

/** All days that touch [from, to), each {at, end, year, month, day, weekday}. */
export function days(from, to, zone) {
  const list = [];
  let { year, month, day } = wall(from, zone);
  let at = instant({ year, month, day }, zone);
  while (at < to) {
    const end = instant({ year, month, day: day + 1 }, zone);
    const date = wall(at, zone);
    list.push({ at, end, year: date.year, month: date.month, day: date.day, weekday: dayOfWeek(date) });
    ({ year, month, day } = wall(end, zone));
    at = end;
  }
  return list;
}
