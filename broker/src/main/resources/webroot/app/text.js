// Titles come from people: any length, any script, any direction, any sign.
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const ELLIPSIS = "…";

/** Without line breaks, control signs and the signs that turn the direction of what follows. */
export function oneLine(text) {
  return text
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

/** So that a title in another direction does not turn what stands beside it. */
export const isolate = (text) => `\u2068${text}\u2069`;

/** As much as fits, with an ellipsis where something is missing; empty if not even that fits. */
export function cut(text, room, widthOf) {
  if (widthOf(text) <= room) {
    return text;
  }
  // Longer texts are never shown whole, and splitting them would take long.
  const signs = Array.from(graphemes.segment(text.slice(0, 400)), (part) => part.segment);
  let [fits, tooMany] = [0, signs.length + 1];
  while (tooMany - fits > 1) {
    const half = (fits + tooMany) >> 1;
    if (widthOf(signs.slice(0, half).join("").trimEnd() + ELLIPSIS) <= room) {
      fits = half;
    } else {
      tooMany = half;
    }
  }
  if (fits === 0) {
    return widthOf(ELLIPSIS) <= room ? ELLIPSIS : "";
  }
  return signs.slice(0, fits).join("").trimEnd() + ELLIPSIS;
}

/** [0,1,2,5] as "0–2, 5". */
export function ranges(indexes) {
  const runs = [];
  for (const index of indexes) {
    const run = runs[runs.length - 1];
    if (run && run[1] === index - 1) {
      run[1] = index;
    } else {
      runs.push([index, index]);
    }
  }
  return runs.map(([first, last]) => (first === last ? first : `${first}–${last}`)).join(", ");
}
