// Filters: who, where from, how sure, when; they hold wherever sentences are listed.
import { $, emit, fold, on } from "./core.js";
import { interval } from "./edtf.js";
import { people, state } from "./model.js";
import { fillSelect } from "./popup.js";

const NONE = { person: "", source: "", sure: "", from: "", to: "", copies: false };
export const filters = { ...NONE, words: [] };
const SURE = { 90: (p) => p >= 0.9, 70: (p) => p >= 0.7, low: (p) => p < 0.6 };

export const isFiltering = () => Boolean(filters.person || filters.source || filters.sure || filters.from || filters.to);
export function filtered(sentences) {
  if (!isFiltering()) return sentences;
  const who = filters.person ? people().find((one) => one.name === filters.person)?.ids ?? new Set() : null;
  const from = filters.from ? interval(filters.from)?.start : null, to = filters.to ? interval(filters.to)?.end : null;
  return sentences.filter((sentence) => {
    if (who && !who.has(sentence.id)) return false;
    if (filters.source && sentence.source !== filters.source && !sentence.also_in.some((copy) => copy.source === filters.source)) return false;
    if (filters.sure && !SURE[filters.sure](sentence.probability)) return false;
    if (from === null && to === null) return true;
    const when = sentence.when ? interval(sentence.when) : null;
    return Boolean(when) && (from === null || when.end > from) && (to === null || when.start < to);
  });
}
export function setWords(text) { filters.words = wordsOf(text); }
export function wordsOf(text) {  // "exact words" in quotes stay together
  return [...fold(text).matchAll(/"([^"]+)"|([\p{L}\p{N}'’-]+)/gu)].map((match) => (match[1] ?? match[2]).trim()).filter((word) => word.length > 1);
}

export function showFilters() {
  const active = ["person", "source", "sure", "from", "to"].filter((key) => filters[key]).length;
  $("filter-open").textContent = active ? `Filter (${active})` : "Filter";
  $("filter-clear").hidden = !active;
  if ($("filters").hidden) return;
  const sources = [...new Set((state.model?.stories ?? []).flatMap((story) => story.sentences.map((sentence) => sentence.source)))].filter(Boolean).sort();
  fillSelect($("filter-person"), [["", "anybody"], ...people().map((one) => [one.name, `${one.name} (${one.ids.size})`])], filters.person);
  fillSelect($("filter-source"), [["", "any source"], ...sources.map((source) => [source, source])], filters.source);
  for (const key of ["sure", "from", "to"]) $(`filter-${key}`).value = filters[key];
  $("filter-copies").checked = filters.copies;
}
export function resetFilters() { Object.assign(filters, NONE, { words: [] }); }

for (const key of Object.keys(NONE)) {
  $(`filter-${key}`).addEventListener("change", (event) => emit("filter", { [key]: key === "copies" ? event.target.checked : event.target.value }));
}
$("filter-clear").addEventListener("click", () => emit("filter", { ...NONE }));
$("filter-open").addEventListener("click", () => {
  const shown = $("filters").hidden;
  $("filters").hidden = !shown;
  $("filter-open").setAttribute("aria-expanded", String(shown));
  showFilters();
});
on("filter", (change) => { Object.assign(filters, change); if (change.person && $("filters").hidden) $("filter-open").click(); showFilters(); emit("filtered"); });
