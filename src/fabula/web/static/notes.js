// The case itself: notes, tags, what the solver says, and every correction made.
import { $, ask, debounced, el, emit, guarded, shortened } from "./core.js";
import { find, state } from "./model.js";
import { listCases } from "./cases.js";

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
  "join-actors": (c) => `One person: ${c.actors.join(", ")}`,
  "rename-actor": (c) => `${c.actor} is ${c.name}`,
  "split-actor": (c) => `${c.name} is not ${c.actor}`,
};
let shown = null;

export function showNotes() {
  const { meta, model } = state;
  if (!meta) return;
  if (shown !== state.pile || document.activeElement !== $("case-notes")) $("case-notes").value = meta.notes ?? "";
  shown = state.pile;
  $("tags").replaceChildren(...meta.tags.map((tag) => el("li", { class: "tag" }, tag, " ", el("button", { type: "button", class: "quiet", "aria-label": `Remove the tag ${tag}`, onclick: () => setTags(meta.tags.filter((other) => other !== tag)) }, "×"))));
  $("solver-notes").replaceChildren(...(model?.notes ?? []).map((note) => el("li", {}, note)), ...(model?.notes.length ? [] : [el("li", { class: "hint" }, "Nothing to remark.")]));
  $("gaps").replaceChildren(...(model?.gaps ?? []).map((gap) => el("li", {}, `Story ${gap.story}, between ${gap.after} and ${gap.before}: ${gap.event} (${gap.actor})`)));
  $("gaps-box").hidden = !model?.gaps.length;
  $("history").replaceChildren(...meta.corrections.map((entry) => el("li", {}, SAID[entry.do]?.(entry) ?? entry.do, entry.note ? el("p", { class: "own-note" }, entry.note) : null)).reverse());
  if (!meta.corrections.length) $("history").append(el("li", { class: "hint" }, "Nothing corrected yet."));
  const changes = (model?.changes ?? []).slice(0, 200);
  $("changes-box").hidden = !changes.length;
  $("changes").replaceChildren(...changes.map((change) => el("li", {}, change.was === null ? `New, in story ${change.is}: ${change.text}`
    : change.is === null ? `Gone from story ${change.was}: ${change.text}` : `From story ${change.was} to ${change.is}: ${change.text}`)));
}
const setTags = (tags) => guarded(async () => {
  await ask(`/api/piles/${state.pile}`, "PATCH", { tags });
  state.meta = { ...state.meta, tags };
  emit("changed");
  await listCases();
})();
$("tag-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const tag = $("tag-new").value.trim();
  $("tag-new").value = "";
  if (tag && !state.meta.tags.includes(tag)) setTags([...state.meta.tags, tag]);
});
const save = guarded(async () => {
  const pile = state.pile, notes = $("case-notes").value;
  if (!state.meta || notes === (state.meta.notes ?? "")) return;
  await ask(`/api/piles/${pile}`, "PATCH", { notes });
  if (state.pile === pile) state.meta = { ...state.meta, notes };
  $("notes-saved").textContent = "saved";
});
const later = debounced(save, 700);
$("case-notes").addEventListener("input", () => { $("notes-saved").textContent = "…"; later(); });
$("case-notes").addEventListener("blur", save);
