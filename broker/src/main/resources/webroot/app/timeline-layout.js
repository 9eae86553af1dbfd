// Where everything stands on the calendar, as plain data; draws nothing.
import { ENDED } from "./state.js";

export const BAR = 24;
export const LANE = BAR + 4;
const PAD = 7;
const SMALLEST_ROW = 44;
/** What a row may grow by where there is room for all. */
const MOST_AIR = 26;
const WAITING = "waiting";

/** Whether the filters leave a bar of the calendar. */
export function passes(bar, { hidden, model, ended }) {
  return !hidden.has(bar.state) && (ended || !ENDED.has(bar.state)) && (!model || bar.gpus.model === model);
}

/**
 * What the filters leave of the rows, to be placed by `place` for whatever part of time is seen.
 *
 * @param rows of /v1/calendar
 * @returns {rows, hidden}: rows {id, label, kind, items, active} from the top, items {bar, start, end, lane, y} by start;
 *     hidden counts what the filters left out
 */
export function prepare(rows, filters) {
  const prepared = [];
  let hidden = 0;
  for (const row of waitingFirst(rows)) {
    const items = [];
    for (const bar of row.bars) {
      if (passes(bar, filters)) {
        items.push({ bar, start: Date.parse(bar.start), end: Date.parse(bar.end), lane: 0, y: 0 });
      } else {
        hidden++;
      }
    }
    items.sort((a, b) => a.start - b.start || b.end - a.end || (a.bar.reservation < b.bar.reservation ? -1 : 1));
    prepared.push({ id: row.id, label: row.label, kind: row.kind, items, active: inUse(items) });
  }
  return { rows: prepared, hidden };
}

/**
 * Rows one below the other, bars that overlap in time in lanes one below the other. A row has as many lanes as bars
 * overlap at its busiest instant that is seen: what lies outside the view takes no room in it.
 *
 * @param room pixels; where the rows need less they stand farther apart
 * @param view {from, to}; null for all of time
 * @returns {rows, height, hidden}: rows {id, label, kind, top, height, lanes, items, active} from the top, y of the items from
 *     the top of everything
 */
export function place(prepared, room = 0, view = null) {
  const placed = prepared.rows.map((row) => ({ ...row, lanes: lanesOf(row.items, view), top: 0, height: 0 }));
  return { rows: placed, height: stack(placed, room), hidden: prepared.hidden };
}

/** Both at once. */
export const layout = (rows, filters, room, view) => place(prepare(rows, filters), room, view);

/** Puts the rows below each other; answers how high they are together. */
function stack(rows, room) {
  const least = rows.map((row) => Math.max(SMALLEST_ROW, heightOf(row.lanes) + 2 * PAD));
  const spare = room - least.reduce((sum, height) => sum + height, 0);
  const air = Math.max(0, Math.min(MOST_AIR, Math.floor(spare / rows.length)));
  let top = 0;
  rows.forEach((row, i) => {
    row.top = top;
    row.height = least[i] + air;
    const first = top + Math.floor((row.height - heightOf(row.lanes)) / 2);
    row.items.forEach((item) => (item.y = first + item.lane * LANE));
    top += row.height;
  });
  return top;
}

const heightOf = (lanes) => Math.max(lanes, 1) * LANE - (LANE - BAR);

const waitingFirst = (rows) => [...rows].sort((a, b) => (b.id === WAITING) - (a.id === WAITING));

/** Lanes of what is seen. What is dragged into the picture lies in one of them until everything is placed anew. */
function lanesOf(items, view) {
  if (!view) {
    return intoLanes(items);
  }
  const isSeen = (item) => item.start < view.to && item.end > view.from;
  const lanes = intoLanes(items.filter(isSeen));
  const others = items.filter((item) => !isSeen(item));
  intoLanes(others);
  others.forEach((item) => (item.lane = Math.min(item.lane, Math.max(lanes, 1) - 1)));
  return lanes;
}

/** Gives each item the topmost lane that is free at its start; items come by start. Answers how many lanes there are. */
function intoLanes(items) {
  const freeFrom = [];
  for (const item of items) {
    let lane = freeFrom.findIndex((end) => end <= item.start);
    if (lane < 0) {
      lane = freeFrom.length;
    }
    freeFrom[lane] = item.end;
    item.lane = lane;
  }
  return freeFrom.length;
}

function inUse(items) {
  return items.reduce((sum, { bar }) => sum + (bar.state === "active" ? bar.gpus.count : 0), 0);
}

/** Items that overlap [from, to), row by row; each with its row. */
export function within(laidOut, from, to) {
  const found = [];
  for (const row of laidOut.rows) {
    for (const item of row.items) {
      if (item.start < to && item.end > from) {
        found.push({ row, item });
      }
    }
  }
  return found;
}

/** The row at a height, or undefined. */
export function rowAt(laidOut, y) {
  return laidOut.rows.find((row) => y >= row.top && y < row.top + row.height);
}

/**
 * The item under a point, or null.
 *
 * @param x from instants to pixels
 * @param slack pixels around narrow bars
 */
export function itemAt(laidOut, x, px, y, slack = 3) {
  const row = rowAt(laidOut, y);
  const items = row?.items.filter(
    (item) => y >= item.y && y < item.y + BAR && px >= x(item.start) - slack && px <= x(item.end) + slack,
  );
  return items?.length ? { row, item: items[items.length - 1] } : null;
}
