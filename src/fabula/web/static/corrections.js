// Corrections: shown at once, sent to the server, and replaced by its answer when it has solved the
// case again. Undo and redo work the same way.
import { announce, ask, emit, guarded, shortened, wait } from "./core.js";
import { applied, find, modelOf, notesOf, state, storyOf, withoutDocuments } from "./model.js";
import { fillSelect, question } from "./popup.js";
import { follow } from "./jobs.js";

// Requests go out one after another: a redo that came in after the next correction would be refused.
// The server works on several at once: of two lists of tags the earlier could be stored last.
let last = Promise.resolve();
export function inTurn(work) {
  const sent = last.then(work);
  last = sent.catch(() => {});
  return sent;
}

async function change(method, path, body, fields, model = state.model) {
  const pile = state.pile;
  state.model = model;
  state.meta = { ...state.meta, ...fields };
  state.pending += 1;
  emit("changed");
  const sent = inTurn(() => ask(`/api/piles/${pile}${path}`, method, body));
  try {
    const answer = await sent;
    if (state.pile !== pile) return;
    state.revision = Math.max(state.revision, answer.revision);
    follow(answer.job, pile);
  } catch (error) {
    if (state.pile === pile) { state.revision = 0; last.then(() => reload(pile)).catch(() => {}); }  // what the server has
    throw error;
  } finally { state.pending -= 1; emit("job"); }
}

export async function correct(correction) {
  const next = applied(state.model, correction);
  state.past.push(state.model);
  state.future = [];
  await change("POST", "/corrections", { correction }, { corrections: [...state.meta.corrections, correction], undone: [] }, next);
}
// A file goes with its documents; the rest is solved again.
export async function removed(upload, documents) {
  const pile = state.pile;
  const { job, revision } = await inTurn(() => ask(`/api/piles/${pile}/uploads/${encodeURIComponent(upload)}`, "DELETE"));
  const meta = await ask(`/api/piles/${pile}`);
  if (state.pile !== pile) return;
  Object.assign(state, { revision: Math.max(state.revision, revision), meta, past: [], future: [] });  // earlier models have its text
  emit("removed", documents);
  if (state.model) state.model = withoutDocuments(state.model, documents);
  follow(job, pile);
  emit("changed");
}
// What the answer depends on besides: the day of writing, the number of stories, orders of dates.
export const edit = (fields) => change("PATCH", "", fields, fields);
export const undo = guarded(async () => {
  const entries = state.meta?.corrections ?? [];
  if (!entries.length) return;
  const model = state.past.pop() ?? state.model;
  state.future.push(state.model);
  await change("POST", "/undo", {}, { corrections: entries.slice(0, -1), undone: [...state.meta.undone, entries.at(-1)] }, model);
  announce("Taken back");
});
export const redo = guarded(async () => {
  const undone = state.meta?.undone ?? [];
  if (!undone.length) return;
  const again = undone.at(-1);
  const model = state.future.pop() ?? applied(state.model, again);
  state.past.push(state.model);
  await change("POST", "/redo", {}, { corrections: [...state.meta.corrections, again], undone: undone.slice(0, -1) }, model);
  announce("Done again");
});

// ---- what a user is asked ------------------------------------------------------------------------
export const moveBy = (id, step) => guarded(async () => {
  const { story, place } = find(id);
  const rest = story.sentences.filter((other) => other.id !== id), to = place + step;
  if (to >= 0 && to <= rest.length) await correct({ do: "move", sentence: id, to: story.id, after: to ? rest[to - 1].id : null });
})();
export const moveTo = (id, to) => guarded(() => correct({ do: "move", sentence: id, to }))();
export const lockSentence = (id) => guarded(() => correct({ do: "lock", sentence: id }))();
export const lockStory = (number) => guarded(() => correct({ do: "lock", story: number }))();

export const askMove = (id) => guarded(async () => {
  const { story, sentence } = find(id);
  const placesIn = (number) => [["auto", "wherever it fits"], ["", "first of all"],
    ...(storyOf(Number(number))?.sentences ?? []).filter((other) => other.id !== id).map((other) => [other.id, `${other.position}. ${shortened(other.text, 70)}`])];
  const given = await question({
    title: "Move the sentence", text: sentence.text, actions: [["move", "Move"]],
    fields: [
      { name: "to", label: "To", value: story.id, options: [...state.model.stories.map((other) => [other.id, `Story ${other.id}: ${other.title}`]), ["new", "A new story"]], onchange: ({ to, after }) => fillSelect(after, placesIn(to.value), "auto") },
      { name: "after", label: "After", value: "auto", options: placesIn(story.id) },
    ],
  });
  if (!given) return;
  const correction = { do: "move", sentence: id, to: given.to === "new" ? "new" : Number(given.to) };
  if (given.to !== "new" && given.after !== "auto") correction.after = given.after || null;
  await correct(correction);
})();
export const askJoin = (number) => guarded(async () => {
  const others = state.model.stories.filter((story) => story.id !== number);
  const given = await question({ title: `Join another story to story ${number}`, actions: [["join", "Join"]],
    fields: [{ name: "other", label: "Story", options: others.map((story) => [story.id, `${story.id}: ${story.title}`]) }] });
  if (given) await correct({ do: "join", stories: [number, Number(given.other)] });
})();
export const askTitle = (number) => guarded(async () => {
  const given = await question({ title: `Title of story ${number}`, fields: [{ name: "title", label: "Title", value: storyOf(number).title, required: true, maxlength: 200 }] });
  if (given?.title.trim()) await correct({ do: "title", story: number, title: given.title.trim() });
})();
export const askDate = (id) => guarded(async () => {
  const { sentence } = find(id);
  const known = (sentence.when ?? "").match(/^\d{4}(-\d\d(-\d\d(T\d\d:\d\d)?)?)?/)?.[0] ?? "";
  const given = await question({
    title: "When did it happen?", text: sentence.text, actions: [["ok", "Set"], ["none", "Not known"]],
    fields: [{ name: "date", label: "Date: 2024, 2024-03, 2024-03-05 or 2024-03-05T21:00", value: known, pattern: "\\d{4}(-\\d\\d(-\\d\\d(T\\d\\d:\\d\\d)?)?)?", placeholder: "YYYY-MM-DD" }],
  });
  if (given?.action === "none") await correct({ do: "date", sentence: id, date: null });
  else if (given?.date) await correct({ do: "date", sentence: id, date: given.date });
})();
export const askNote = (ids, text) => guarded(async () => {
  const given = await question({ title: "A note", text, fields: [{ name: "note", label: "Note", type: "long", value: notesOf(ids).at(-1) ?? "", maxlength: 5000 }] });
  if (given?.note.trim()) await correct({ do: "note", sentences: ids, note: given.note.trim() });
})();
export const judge = (found, verdict) => guarded(() => correct({ do: verdict, sentences: found.sides.map((side) => side.id) }))();
export const askRename = (name) => guarded(async () => {
  const given = await question({ title: "Rename an actor", fields: [{ name: "name", label: "Name", value: name, required: true, maxlength: 200 }] });
  if (given?.name.trim() && given.name.trim() !== name) await correct({ do: "rename-actor", actor: name, name: given.name.trim() });
})();
export const askMerge = (name, names) => guarded(async () => {
  const given = await question({ title: `Who or what is the same as ${name}?`, actions: [["ok", "Merge"]], fields: [{ name: "other", label: "Actor", options: names.filter((other) => other !== name).map((other) => [other, other]) }] });
  if (given) await correct({ do: "join-actors", actors: [name, given.other] });
})();
export const askSplit = (name, ids) => guarded(async () => {
  const given = await question({
    title: `Who is ${name} not?`, text: "Somebody else of the same name: choose the sentences that speak of them.", actions: [["ok", "Split off"]],
    fields: [{ name: "name", label: "Name of the other", required: true, maxlength: 200 },
      { name: "sentences", label: "Sentences", multiple: true, required: true, size: Math.min(8, ids.length), options: ids.map((id) => [id, shortened(find(id)?.sentence.text ?? id, 90)]) }],
  });
  if (given?.name.trim() && given.name.trim() !== name) await correct({ do: "split-actor", actor: name, name: given.name.trim(), sentences: given.sentences });
})();

export async function reload(pile) {  // the server's answer, unless more was corrected meanwhile
  while (state.pile === pile && document.querySelector(".sentence.drag")) await wait(200);  // not under the hand
  const meta = await ask(`/api/piles/${pile}`);
  if (state.pile !== pile || state.pending || meta.solved < state.revision) return false;
  const result = await ask(`/api/piles/${pile}/result`);
  if (state.pile !== pile || state.pending || meta.solved < state.revision) return false;
  state.meta = meta;
  state.model = result ? modelOf(result) : null;
  emit("changed", { solved: true });
  return true;
}
