// Stories side by side: a column each, of which only the sentences in view are in the document.
import { $, el, emit, guarded, on, percent, plural, tint } from "./core.js";
import { askDate, askJoin, askMove, askNote, askTitle, correct, lockSentence, lockStory, moveBy, moveTo } from "./corrections.js";
import { marked } from "./names.js";
import { filtered, filters, isFiltering } from "./filters.js";
import { written } from "./edtf.js";
import { disagreementsOf, find, notesOf, state } from "./model.js";
import { popup } from "./popup.js";
import { VirtualList } from "./virtual.js";

const columns = new Map();
const unfolded = new Set();  // ids whose near copies are shown
let drag = null;
let current = new Set();  // the sentences that are read

// What a column's look depends on besides its story.
const lookOf = () => JSON.stringify([filters, [...unfolded], (state.meta?.corrections ?? []).filter((entry) => entry.sentences || entry.note).length, state.model?.contradictions.length]);

export function showStories() {
  const host = $("stories-out"), look = lookOf();
  const wanted = state.model?.stories ?? [];
  const ids = new Set(wanted.map((story) => story.id));
  for (const id of columns.keys()) if (!ids.has(id)) dropColumn(id);
  wanted.forEach((story, place) => {
    const column = columns.get(story.id) ?? newColumn(story.id);
    columns.set(story.id, column);
    if (host.children[place] !== column.root) host.insertBefore(column.root, host.children[place] ?? null);
    if (column.story !== story || column.look !== look) column.show(story);
    column.look = look;
  });
  if (host.lastElementChild?.dataset.story !== "new") host.append(newStoryTarget());
}

function dropColumn(id) {
  columns.get(id).rows.end();
  columns.get(id).root.remove();
  columns.delete(id);
}
on("opened", () => { for (const id of [...columns.keys()]) dropColumn(id); unfolded.clear(); current.clear(); });

function newColumn(number) {
  const head = el("header", {});
  const list = el("div", { class: "sentences", role: "list", "aria-label": `Sentences of story ${number}` });
  const scroller = el("div", { class: "column" }, list);
  const root = tint(el("section", { class: "card story", "data-story": number, "aria-labelledby": `story-${number}` }, head, scroller), number);
  const rows = new VirtualList(scroller, list, { render: (row) => sentenceNode(column.story, row), guess: (row) => 52 + 22 * Math.ceil(row.text.length / 42) });
  const column = { root, rows, story: null, at: null, show(story) { column.story = story; showHead(head, story); rows.update(visible(story)); if (!rows.items.some((row) => row.id === column.at)) setStop(column, rows.items[0]?.id); } };
  root.addEventListener("dragover", (event) => { if (drag) { event.preventDefault(); root.classList.add("over"); } });
  root.addEventListener("dragleave", () => root.classList.remove("over"));
  root.addEventListener("drop", guarded(async () => {
    const last = column.story.sentences.at(-1).id, moved = taken();
    if (moved) await correct({ do: "move", sentence: moved, to: number, ...(last !== moved ? { after: last } : {}) });
  }));
  return column;
}
function setStop(column, id) {  // one sentence a column is on the way of the Tab key
  const before = column.rows.shown.get(column.at);
  if (before) before.tabIndex = -1;
  column.at = id;
  const now = column.rows.shown.get(id);
  if (now) now.tabIndex = 0;
}

function showHead(head, story) {
  const shown = filtered(story.sentences).length;
  head.replaceChildren(
    el("h3", { id: `story-${story.id}` }, el("b", {}, `${story.id} `), story.title),
    el("button", { type: "button", class: "quiet", "aria-label": `What to do with story ${story.id}`, "aria-haspopup": "menu", onclick: (event) => storyMenu(event.currentTarget, story) }, "⋯"),
    el("p", { class: "who" }, isFiltering() ? `${shown} of ${plural(story.sentences.length, "sentence")}` : plural(story.sentences.length, "sentence"),
      `, order ${percent(story.order_confidence)} sure`, story.locked ? ", locked" : "", ...story.actors.slice(0, 3).flatMap((actor, place) => [place ? ", " : " · ", nameButton(actor.name)])));
}
const nameButton = (name) => el("button", { type: "button", class: "link", "aria-pressed": String(filters.person === name), title: `Show only sentences with ${name}`, onclick: () => emit("filter", { person: filters.person === name ? "" : name }) }, name);

function storyMenu(anchor, story) {
  const others = state.model.stories.length > 1;
  popup(anchor, [
    { label: "Edit the title …", run: () => askTitle(story.id) },
    { label: "Join another story …", run: () => askJoin(story.id), disabled: !others },
    { label: story.locked ? "Locked" : "Lock: keep it as it is", run: () => lockStory(story.id), disabled: story.locked },
  ], `Story ${story.id}`);
}

// Repeats of a sentence are folded under it unless they are asked for, or something is looked for.
function visible(story) {
  const passing = filtered(story.sentences);
  if (filters.copies) return passing;
  return passing.filter((sentence) => !sentence.repeats || unfolded.has(sentence.repeats) || !find(sentence.repeats));
}

function sentenceNode(story, sentence) {
  const chat = sentence.message !== null && sentence.message !== undefined;
  const before = story.sentences[sentence.position - 2];
  const opens = chat && before?.message !== sentence.message;
  const answered = sentence.replies ? find(sentence.replies)?.sentence : null;
  const node = el("div", {
    class: ["sentence", chat && "chat", chat && answered && "reply", sentence.repeats && "again", current.has(sentence.id) && "read"].filter(Boolean).join(" "),
    role: "listitem", draggable: "true", tabindex: columns.get(story.id)?.at === sentence.id ? "0" : "-1",
    "data-id": sentence.id, "data-story": story.id, "data-position": sentence.position, "aria-setsize": story.sentences.length, "aria-posinset": sentence.position,
  },
  el("b", {}, String(sentence.position)),
  el("div", { class: "said" }, opens ? speakerLine(sentence, answered) : null,
    el("p", { class: "text" }, ...marked(sentence, story)), el("p", { class: "meta" }, ...metaOf(story, sentence, chat))),
  el("button", { type: "button", class: "quiet more", tabindex: "-1", "aria-label": `What to do with sentence ${sentence.position} of story ${story.id}`, "aria-haspopup": "menu", onclick: (event) => { event.stopPropagation(); sentenceMenu(event.currentTarget, story, sentence); } }, "⋯"));
  node.style.setProperty("--sure", Math.max(0, (sentence.probability - 0.3) / 0.7).toFixed(2));
  node.addEventListener("click", (event) => { if (!event.target.closest("button") && !getSelection().toString()) open(sentence.id); });
  node.addEventListener("focus", () => { const column = columns.get(story.id); if (column) setStop(column, sentence.id); });
  node.addEventListener("keydown", (event) => keys(event, story, sentence, node));
  node.addEventListener("contextmenu", (event) => { event.preventDefault(); sentenceMenu(node.querySelector(".more"), story, sentence); });
  dragging(node, story, sentence);
  return node;
}
const speakerLine = (sentence, answered) => el("p", { class: "speaker" }, el("strong", {}, sentence.sender ?? "?"), sentence.time ? el("time", {}, ` ${written(sentence.time)}`) : null,
  answered ? el("span", { class: "answers" }, `↳ ${answered.position} ${answered.sender ?? ""}: ${answered.text.slice(0, 60)}`) : null);

function metaOf(story, sentence, chat) {
  const repeats = story.sentences.filter((other) => other.repeats === sentence.id);
  const copies = Math.max(sentence.also_in.length, repeats.length);
  const clashes = disagreementsOf(sentence.id).length;
  const notes = notesOf([sentence.id]).length;
  const when = written(sentence.when), sent = written(sentence.time);  // a message says above when it was sent
  const badge = (kind, label, run, title) => el("button", { type: "button", class: `badge ${kind}`, tabindex: "-1", title, onclick: (event) => { event.stopPropagation(); run(); } }, label);
  return [
    ...sourceOf(sentence), ` · ${percent(sentence.probability)}`,
    when && when !== sent ? ` · ${when}` : null, !chat && sentence.sender ? ` · ${sentence.sender}` : null,
    sentence.fixed ? " · put here by you" : null, sentence.repeats ? ` · says ${find(sentence.repeats)?.sentence.position ?? "another"} again` : null, " ",
    copies ? badge("copies", plural(copies, "near copy", "near copies"), () => {
      if (repeats.length) { if (unfolded.has(sentence.id)) unfolded.delete(sentence.id); else unfolded.add(sentence.id); columns.get(story.id).show(story); } else open(sentence.id);
    }, "Show or hide what says the same again") : null,
    clashes ? badge("clash", plural(clashes, "disagreement"), () => emit("disagreement", sentence.id), "Somebody says otherwise") : null,
    notes ? badge("note", "note", () => open(sentence.id), notesOf([sentence.id]).at(-1)) : null,
  ].filter((part) => part !== null);
}

// File and line; of a long name the end is left out (the reader has it in full).
const sourceOf = ({ source, line }) => [el("span", { class: "source", title: source }, source ?? "text"), `:${line}`];

function sentenceMenu(anchor, story, sentence) {
  popup(anchor, [
    { label: "Read it in its document", keys: "Enter", run: () => open(sentence.id) },
    null,
    { label: "Move …", keys: "M", run: () => askMove(sentence.id) },
    { label: "Move up", keys: "Alt ↑", run: () => moveBy(sentence.id, -1), disabled: sentence.position === 1 },
    { label: "Move down", keys: "Alt ↓", run: () => moveBy(sentence.id, 1), disabled: sentence.position === story.sentences.length },
    { label: "Into a new story", run: () => moveTo(sentence.id, "new") },
    sentence.runner_up && find(sentence.id)?.story.id !== sentence.runner_up ? { label: `To story ${sentence.runner_up}, the next likely`, run: () => moveTo(sentence.id, sentence.runner_up) } : undefined,
    { label: sentence.fixed ? "Locked here" : "Lock here", run: () => lockSentence(sentence.id), disabled: sentence.fixed },
    null,
    { label: "Set its date …", keys: "D", run: () => askDate(sentence.id) },
    { label: "Write a note …", keys: "N", run: () => askNote([sentence.id], sentence.text) },
  ], `Sentence ${sentence.position} of story ${story.id}`);
}
export function open(id) { emit("read", { id }); }

function keys(event, story, sentence, node) {
  if (event.target !== node) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const across = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const key = event.key.toLowerCase();
  if (step && event.altKey) moveBy(sentence.id, step);
  else if (step && plain) focusNext(story, sentence, step);
  else if (across && plain) focusColumn(story, across);
  else if (event.key === "Enter") open(sentence.id);
  else if (key === "m" && plain) askMove(sentence.id);
  else if (key === "d" && plain) askDate(sentence.id);
  else if (key === "n" && plain) askNote([sentence.id], sentence.text);
  else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) sentenceMenu(node.querySelector(".more"), story, sentence);
  else return;
  event.preventDefault();
}
function focusNext(story, sentence, step) {
  const { rows } = columns.get(story.id);
  const next = rows.items[rows.items.findIndex((row) => row.id === sentence.id) + step];
  if (next) rows.reveal(next.id, { focus: true, block: "nearest" });
}
function focusColumn(story, step) {
  const stories = state.model.stories, next = stories[stories.findIndex((one) => one.id === story.id) + step];
  const column = next && columns.get(next.id);
  if (column) column.rows.reveal(column.at, { focus: true, block: "nearest" });
}

// The sentence that is dropped. What was drawn anew meanwhile gets no end of its dragging.
function taken() { const id = drag; drag = null; return id; }
addEventListener("drop", () => { for (const node of document.querySelectorAll(".story.over")) node.classList.remove("over"); }, true);
function dragging(node, story, sentence) {
  node.addEventListener("dragstart", (event) => {
    drag = sentence.id; node.classList.add("drag");
    event.dataTransfer.setData("text/plain", sentence.text); event.dataTransfer.effectAllowed = "move";
  });
  node.addEventListener("dragend", () => { drag = null; node.classList.remove("drag"); });
  node.addEventListener("dragover", (event) => { if (drag && drag !== sentence.id) { event.preventDefault(); node.classList.add("above"); } });
  node.addEventListener("dragleave", () => node.classList.remove("above"));
  node.addEventListener("drop", guarded(async (event) => {
    node.classList.remove("above");
    if (!drag || drag === sentence.id) return;
    event.stopPropagation();
    const moved = taken(), before = story.sentences.filter((other) => other.id !== moved);
    const at = before.findIndex((other) => other.id === sentence.id);
    await correct({ do: "move", sentence: moved, to: story.id, after: at > 0 ? before[at - 1].id : null });
  }));
}
function newStoryTarget() {
  const card = tint(el("section", { class: "card story new", "data-story": "new", "aria-label": "A new story" }, el("p", { class: "hint" }, "Drop a sentence here to open a new story.")), 0);
  card.addEventListener("dragover", (event) => { if (drag) { event.preventDefault(); card.classList.add("over"); } });
  card.addEventListener("dragleave", () => card.classList.remove("over"));
  card.addEventListener("drop", guarded(async () => { const moved = taken(); if (moved) await correct({ do: "move", sentence: moved, to: "new" }); }));
  return card;
}

// Marks the sentences that are spoken of; in each of their stories brings the first into view.
export function revealSentences(ids, { focus = false } = {}) {
  for (const { sentence, story } of ids.map(find).filter(Boolean)) {
    if (!sentence.repeats || filters.copies || unfolded.has(sentence.repeats)) continue;
    unfolded.add(sentence.repeats);
    columns.get(story.id)?.show(story);
  }
  markRead(ids);
  const seen = new Set();
  ids.forEach((id, place) => {
    const column = columns.get(find(id)?.story.id);
    if (!column || seen.has(column)) return;
    seen.add(column);
    if (place === 0) column.root.scrollIntoView({ inline: "nearest", block: "nearest" });
    column.rows.reveal(id, { focus: focus && place === 0 });
  });
}
function markRead(ids) {
  current = new Set(ids);
  for (const { rows } of columns.values()) for (const [id, node] of rows.shown) node.classList.toggle("read", current.has(id));
}
export const clearRead = () => markRead([]);
export const focusSentence = (id) => { const found = find(id); if (found) columns.get(found.story.id)?.rows.reveal(id, { focus: true, block: "nearest" }); };
