// Where accounts disagree: both sides, how they relate, how sure that is, and the user's verdict.
import { $, el, emit, guarded, keepingFocus, on, percent, plural, tint } from "./core.js";
import { askNote, correct, judge } from "./corrections.js";
import { written } from "./edtf.js";
import { filtered, isFiltering } from "./filters.js";
import { find, judgementOf, judgements, notesOf, state } from "./model.js";

const RELATIONS = {
  conflict: "Both cannot be true", update: "A later report may correct the earlier one", scope: "They may speak of different things",
  attributed: "Different people say so",
};
let only = null;  // a sentence whose disagreements are looked at

function openDisagreements() {
  const judged = judgements();
  return (state.model?.contradictions ?? []).filter((found) => judgementOf(found, judged)?.do !== "dismiss");
}

export function countDisagreements() {
  const live = openDisagreements();
  $("clash-count").textContent = live.length ? String(live.length) : "";
  return live;
}
export function showDisagreements() {
  const live = countDisagreements();
  if (only && !find(only)) only = null;
  const passing = isFiltering() ? new Set(filtered(state.model.stories.flatMap((story) => story.sentences)).map((sentence) => sentence.id)) : null;
  const chosen = live.filter((found) => found.sides.some((side) => (!only || side.id === only) && (!passing || passing.has(side.id))));
  const dismissed = [...judgements().values()].filter((entry) => entry.do === "dismiss");
  const open = Boolean($("clashes").querySelector(".dismissed[open]"));
  keepingFocus($("clashes"), () => $("clashes").replaceChildren(
    el("p", { class: "hint" }, live.length ? `${chosen.length < live.length ? `${chosen.length} of ` : ""}${plural(live.length, "disagreement")}. ` : "No two accounts disagree, as far as the page can tell. ",
      only ? el("button", { type: "button", class: "link", onclick: () => { only = null; showDisagreements(); } }, `Show all, not only those of the sentence`) : null),
    ...chosen.map((found) => pair(found)),
    dismissed.length ? el("details", { class: "dismissed", open }, el("summary", {}, `${dismissed.length} dismissed`), ...dismissed.map((entry) => dismissedPair(entry))) : ""));
}

function pair(found) {
  const verdict = judgementOf(found), ids = found.sides.map((side) => side.id);
  const sure = found.probability === null || found.probability === undefined ? "found by comparing the words" : `${percent(found.probability)} probable`;
  return el("article", { class: "pair", "data-key": ids.join(" ") },
    el("h3", {}, `${found.kind[0].toUpperCase()}${found.kind.slice(1)}: ${found.about}`),
    el("p", { class: "hint wide" }, el("span", { class: `relation ${found.relation}` }, found.relation), ` ${RELATIONS[found.relation] ?? ""} · ${sure}${found.accepted || verdict?.do === "accept" ? " · accepted by you" : ""}`),
    ...found.sides.map(sideOf),
    ...notesOf(ids).map((note) => el("p", { class: "own-note wide" }, note)),
    el("div", { class: "row wide" },
      el("button", { type: "button", "aria-pressed": String(verdict?.do === "accept"), onclick: () => (verdict?.do === "accept" ? judge(found, "reopen") : judge(found, "accept")) }, verdict?.do === "accept" ? "Accepted" : "Accept"),
      el("button", { type: "button", onclick: () => judge(found, "dismiss") }, "Dismiss"),
      el("button", { type: "button", onclick: () => askNote(ids, `${found.sides[0].value} / ${found.sides[1].value}`) }, "Note …"),
      el("button", { type: "button", onclick: () => emit("show-sentences", ids) }, "Show both in the stories")));
}
const flat = (text) => text.trim().replace(/\s+/g, " ");
function sideOf(side) {
  const place = find(side.id);
  const story = place?.story.id ?? side.story;
  return tint(el("blockquote", {}, flat(side.value) === flat(side.text) ? null : el("strong", {}, side.value),
    el("button", { type: "button", class: "quote", title: "Read it in its document", onclick: () => { emit("read", { id: side.id }); } }, side.text),
    el("small", {}, `story ${story}, sentence ${place?.sentence.position ?? side.position} · ${side.source ?? "text"}:${side.line}${side.date ? ` · ${written(side.date)}` : ""}${side.speaker ? ` · ${side.speaker}` : ""}`)), story);
}
function dismissedPair(entry) {
  const texts = entry.sentences.map((id) => find(id)?.sentence.text ?? String(id));
  return el("div", { class: "gone" }, ...texts.map((text) => el("p", {}, text)), el("button", { type: "button", onclick: guarded(() => correct({ do: "reopen", sentences: entry.sentences })) }, "Take it up again"));
}
on("disagreement", (id) => { only = id; emit("view", "clashes"); });
on("opened", () => { only = null; });
