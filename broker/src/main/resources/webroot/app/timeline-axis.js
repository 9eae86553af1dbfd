// What the time axis shows at a given zoom, as plain data.
import { DAY } from "./state.js";
import { days, instant } from "./time.js";

const HOUR = DAY / 24;
/** Pixels that a label of each kind needs. */
const ROOM = { hour: 46, dayName: 62, day: 24 };
const HOUR_STEPS = [1, 2, 3, 6, 12];

/**
 * @returns {major, minor, lines, days, byHour}: major and minor bands are {at, end, kind, date} with kind "month", "day",
 *     "dayName", "number" or "hour"; lines are instants with a fine grid line
 */
export function axis(from, to, width, zone) {
  const all = days(from, to, zone);
  const perDay = (width * DAY) / (to - from);
  const step = HOUR_STEPS.find((hours) => (perDay / 24) * hours >= ROOM.hour);
  if (perDay >= 180 && step) {
    const hours = all.flatMap((day) => hoursOf(day, step, zone)).filter((hour) => hour.end > from && hour.at < to);
    return {
      byHour: true,
      days: all,
      major: all.map((day) => ({ at: day.at, end: day.end, kind: "day" })),
      minor: hours,
      lines: hours.map((hour) => hour.at),
    };
  }
  const kind = perDay >= ROOM.dayName ? "dayName" : "number";
  const shown = perDay >= ROOM.day ? all : weeks(all);
  return {
    byHour: false,
    days: all,
    major: months(all),
    minor: shown.map((day) => ({ at: day.at, end: day.end, kind, day: day.day, weekday: day.weekday })),
    lines: perDay >= 10 ? all.map((day) => day.at) : shown.map((day) => day.at),
  };
}

function hoursOf(day, step, zone) {
  const { year, month, day: date } = day;
  const list = [];
  for (let hour = 0; hour < 24; hour += step) {
    const at = instant({ year, month, day: date, hour }, zone);
    list.push({ at, end: at + step * HOUR, kind: "hour", hour });
  }
  return list;
}

const weeks = (all) => all.filter((day) => day.weekday === 1);

function months(all) {
  const list = [];
  for (const day of all) {
    const last = list[list.length - 1];
    if (last && last.month === day.month) {
      last.end = day.end;
    } else {
      list.push({ at: day.at, end: day.end, kind: "month", month: day.month });
    }
  }
  return list;
}
