import { nameIn, t } from "./i18n.js";

/** The name of a row and what stands below it. */
export function labelOf(row) {
  const use = row.active > 0 ? t("row.active", { count: row.active }) : "";
  if (row.id === "waiting") {
    return { name: t("row.waiting"), sub: t("row.waiting.sub") };
  }
  if (row.id === "nothing_had") {
    return { name: t("row.nothingHad"), sub: t("row.nothingHad.sub") };
  }
  if (row.kind !== "platform") {
    return { name: row.label, sub: [t(`row.${row.kind}.sub`), use].filter(Boolean).join(" · ") };
  }
  const name = nameIn(row.label);
  return { name, sub: [name === row.id ? "" : row.id, use].filter(Boolean).join(" · ") };
}
