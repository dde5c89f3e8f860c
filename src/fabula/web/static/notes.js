// The case itself: notes, tags, what the solver says, and every correction made.
import { $, ask, debounced, el, emit, guarded, on, quiet, shortened } from "./core.js";
import { find, state } from "./model.js";
import { listCases } from "./cases.js";
import { inTurn } from "./corrections.js";

const textOf = (id) => shortened(find(id)?.sentence.text ?? String(id), 90);
const SAID = {
  move: (c) => `Moved to ${c.to === "new" ? "a new story" : `story ${c.to}`}: ${textOf(c.sentence)}`,
  join: (c) => `Joined stories ${c.stories.join(" and ")}`,
  split: (c) => `Split off story ${c.story}: ${c.sentences.map(textOf).join(" / ")}`,
  lock: (c) => (c.story ? `Locked story ${c.story}` : `Locked: ${textOf(c.sentence)}`),
  accept: (c) => `Accepted a disagreement: ${c.sentences.map(textOf).join(" / ")}`,
  dismiss: (c) => `Dismissed a disagreement: ${c.sentences.map(textOf).join(" / ")}`,
  reopen: (c) => `Took up again: ${c.sentences.map(textOf).join(" / ")}`,
  title: (c) => `Story ${c.story} is called “${c.title}”`,
  date: (c) => (c.date ? `Dated ${c.date}: ${textOf(c.sentence)}` : `No date: ${textOf(c.sentence)}`),
  note: (c) => `Note on: ${c.sentences.map(textOf).join(" / ")}`,
  "join-actors": (c) => `One actor: ${c.actors.join(", ")}`,
  "rename-actor": (c) => `${c.actor} is ${c.name}`,
  "split-actor": (c) => `${c.name} is not ${c.actor}`,
};
let typed = null;  // {pile, notes} that the server does not have yet

export function showNotes() {
  const { meta, model } = state;
  if (!meta) return;
  const notes = typed?.pile === state.pile ? typed.notes : meta.notes ?? "";
  if ($("case-notes").value !== notes) $("case-notes").value = notes;
  $("tags").replaceChildren(...meta.tags.map((tag) => el("li", { class: "tag" }, tag, " ", el("button", { type: "button", class: "quiet", "aria-label": `Remove the tag ${tag}`, onclick: () => setTags(meta.tags.filter((other) => other !== tag)) }, "×"))));
  $("solver-notes").replaceChildren(...(model?.notes ?? []).map((note) => el("li", {}, note)), ...(model?.notes.length ? [] : [el("li", { class: "hint" }, "Nothing to remark.")]));
  $("history").replaceChildren(...meta.corrections.map((entry) => el("li", {}, SAID[entry.do]?.(entry) ?? entry.do, entry.note ? el("p", { class: "own-note" }, entry.note) : null)).reverse());
  if (!meta.corrections.length) $("history").append(el("li", { class: "hint" }, "Nothing corrected yet."));
  const changes = (model?.changes ?? []).slice(0, 200);
  $("changes-box").hidden = !changes.length;
  $("changes").replaceChildren(...changes.map((change) => el("li", {}, change.was === null ? `New, in story ${change.is}: ${change.text}`
    : change.is === null ? `Gone from story ${change.was}: ${change.text}` : `From story ${change.was} to ${change.is}: ${change.text}`)));
}
const setTags = (tags) => guarded(async () => {
  state.meta = { ...state.meta, tags };  // before the answer: the next tag is added to these
  emit("changed");
  const pile = state.pile;
  await inTurn(() => ask(`/api/piles/${pile}`, "PATCH", { tags }));
  await listCases();
})();
$("tag-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const tag = $("tag-new").value.trim();
  $("tag-new").value = "";
  if (tag && !state.meta.tags.includes(tag)) setTags([...state.meta.tags, tag]);
});
// Notes belong to the case in which they were typed, whatever case is open when they are sent.
const save = quiet(async () => {
  if (!typed) return;
  const sent = typed;
  await inTurn(() => ask(`/api/piles/${sent.pile}`, "PATCH", { notes: sent.notes }));
  if (state.pile === sent.pile && state.meta) state.meta = { ...state.meta, notes: sent.notes };
  if (typed === sent) { typed = null; $("notes-saved").textContent = "saved"; }
});
const later = debounced(save, 700);
$("case-notes").addEventListener("input", () => { typed = { pile: state.pile, notes: $("case-notes").value }; $("notes-saved").textContent = "…"; later(); });
$("case-notes").addEventListener("blur", save);
on("opened", () => { save(); $("notes-saved").textContent = ""; });
addEventListener("pagehide", () => {  // the page goes before the answer comes
  if (typed) fetch(`/api/piles/${typed.pile}`, { method: "PATCH", keepalive: true, headers: { "X-Fabula": "1", "Content-Type": "application/json" }, body: JSON.stringify({ notes: typed.notes }) });
});
