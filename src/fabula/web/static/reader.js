// The reader: a sentence in its document, why it is where it is, and what can be done with it.
import { $, ask, el, emit, guarded, keepingFocus, on, percent, plural, quiet, tint } from "./core.js";
import { askDate, askMove, askNote, lockSentence, moveTo } from "./corrections.js";
import { written } from "./edtf.js";
import { disagreementsOf, find, notesOf, places, state } from "./model.js";

const cache = new Map();  // documents of the case that is open
let shown = null;  // {id} of a sentence, or {document}
let opener = null;
let before = null;  // what was rendered last

on("opened", () => { cache.clear(); closeReader(false); });
on("changed", ({ solved } = {}) => { if (solved) cache.clear(); if (shown && !$("reader").hidden) quiet(() => render(shown))(); });
on("removed", (gone) => { cache.clear(); if (shown && gone.has(shown.document ?? find(shown.id)?.sentence.document)) closeReader(); });
on("read", (what) => guarded(() => read(what))());

export async function read(what) {
  if ($("reader").hidden) opener = document.activeElement;
  shown = what;
  $("reader").hidden = false;
  $("panel-assemble").classList.add("reading");
  await render(what);
  if (what.focus !== false) $("reader-title").focus({ preventScroll: true });
}
export function closeReader(refocus = true) {
  if ($("reader").hidden) return;
  $("reader").hidden = true;
  $("panel-assemble").classList.remove("reading");
  emit("unread", refocus ? shown?.id : null);
  if (refocus && opener?.isConnected && opener !== document.body) opener.focus();
  shown = null;
}
$("reader-close").addEventListener("click", () => closeReader());
$("reader").addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); closeReader(); } });

async function documentOf(query) {
  const key = `${state.pile} ${state.meta.solved} ${query}`;  // an answer may come after another case was opened
  if (!cache.has(key)) cache.set(key, await ask(`/api/piles/${state.pile}/document?${query}`));
  return cache.get(key);
}

async function render(what) {
  const found = what.id ? find(what.id) : null;
  if (what.id && !found) { closeReader(); return; }
  const name = what.document ?? found.sentence.document;
  $("reader-title").textContent = found ? `Story ${found.story.id}, sentence ${found.sentence.position}` : "Document";
  const again = what === before, about = $("reader-about");
  const open = again ? [...about.querySelectorAll("details[open] > summary")].map((node) => node.textContent) : [];
  keepingFocus(about, () => about.replaceChildren(...(found ? aboutOf(found) : [])));
  for (const node of about.querySelectorAll("summary")) node.parentElement.open = open.includes(node.textContent);
  if (!again) $("reader-text").replaceChildren();  // never one document under the name of another
  before = what;
  const { documents, number } = await documentOf(what.number !== undefined ? `number=${what.number}` : `id=${encodeURIComponent(name)}`);
  if (shown !== what) return;  // another one is read by now
  const top = $("reader-scroll").scrollTop;
  const text = what.text ?? found?.sentence.text;
  const body = documents.length > 1 || documents[0].text.time ? chatBody(documents, number, text) : documentBody(documents[0], text, found?.sentence.paragraph);
  $("reader-text").replaceChildren(...body);
  const target = $("reader-text").querySelector("mark.here") ?? $("reader-text").querySelector(".message.here");
  if (again) $("reader-scroll").scrollTop = top;  // solved again: the reader stays where it was
  else if (target) target.scrollIntoView({ block: "center" });
  else $("reader-scroll").scrollTop = 0;
}

function aboutOf({ story, sentence }) {
  const notes = notesOf([sentence.id]);
  const clashes = disagreementsOf(sentence.id);
  const act = (label, run) => el("button", { type: "button", onclick: run }, label);
  return [
    tint(el("p", { class: "chip-line" }, el("button", { type: "button", class: "chip", onclick: () => emit("show-sentence", sentence.id) }, `${story.id} ${story.title}`), ` ${percent(sentence.probability)} sure`), story.id),
    el("div", { class: "row" }, act("Move …", () => askMove(sentence.id)), act("Date …", () => askDate(sentence.id)), act("Note …", () => askNote([sentence.id], sentence.text)),
      sentence.fixed ? null : act("Lock here", () => lockSentence(sentence.id))),
    el("details", {}, el("summary", {}, "Why it is here"), el("ul", { class: "why" },
      ...(sentence.fixed ? [el("li", {}, "You put it here.")] : []),
      ...(sentence.why.length ? sentence.why : ["Nothing in particular draws it here."]).map((line) => el("li", {}, line)),
      sentence.runner_up && !sentence.fixed ? el("li", {}, `Else it would be of story ${sentence.runner_up}. `, el("button", { type: "button", class: "link", onclick: () => moveTo(sentence.id, sentence.runner_up) }, "Move it there")) : null)),
    ...notes.map((note) => el("p", { class: "own-note" }, note)),
    clashes.length ? el("p", {}, el("button", { type: "button", class: "badge clash", onclick: () => emit("disagreement", sentence.id) }, plural(clashes.length, "disagreement"))) : null,
    sentence.also_in.length ? el("details", {}, el("summary", {}, `${plural(sentence.also_in.length, "near copy", "near copies")} in other documents`), el("ul", { class: "why" },
      ...sentence.also_in.map((copy) => el("li", {}, `${copy.source ?? copy.document}:${copy.line}: `, el("button", { type: "button", class: "link", onclick: () => emit("read", { id: sentence.id, document: copy.document, text: copy.text }) }, copy.text))))) : null,
  ].filter(Boolean);
}

// Every sentence of a document in the colour of its story; a click goes to it.
function documentBody(doc, text, paragraph) {
  const own = new Map();
  for (const { story, sentence } of places().values()) {
    if (sentence.document !== doc.id) continue;
    if (!own.has(sentence.paragraph)) own.set(sentence.paragraph, []);
    own.get(sentence.paragraph).push({ story, sentence });
  }
  const head = el("header", {}, doc.title ? el("h3", {}, doc.title) : null, el("p", { class: "hint" }, [doc.source, written(doc.date), doc.text.sender].filter(Boolean).join(" · ")));
  const body = doc.text.paragraphs.map((whole, number) => el("p", { class: "paragraph" }, doc.text.lines.length ? el("small", { class: "line" }, String(doc.text.lines[number] ?? "")) : null,
    ...sentencesIn(whole, own.get(number) ?? [], paragraph === undefined || paragraph === number ? text : undefined)));
  return [head, ...body, ...asides(doc.text.aside)];
}
function sentencesIn(whole, entries, text) {
  const spots = entries.map((entry) => ({ ...entry, at: whole.indexOf(entry.sentence.text), text: entry.sentence.text })).filter(({ at }) => at >= 0);
  if (text !== undefined && !spots.some((spot) => spot.text === text) && whole.includes(text)) spots.push({ at: whole.indexOf(text), text });
  spots.sort((a, b) => a.at - b.at);
  const parts = [];
  let end = 0;
  for (const { at, text: own, story, sentence } of spots) {
    if (at < end) continue;
    if (at > end) parts.push(whole.slice(end, at));
    const here = own === text;
    const node = el(here ? "mark" : "span", { class: here ? "here" : "there", title: story ? `Story ${story.id}, sentence ${sentence.position}` : null }, own);
    if (story) {
      tint(node, story.id);
      if (!here) node.addEventListener("click", () => { emit("read", { id: sentence.id, focus: false }); emit("show-sentence", sentence.id); });
    }
    parts.push(node);
    end = at + own.length;
  }
  if (end < whole.length) parts.push(whole.slice(end));
  return parts;
}
function asides(list) {
  const kinds = new Map();
  for (const part of list) kinds.set(part.kind, [...(kinds.get(part.kind) ?? []), part]);
  return [...kinds].map(([kind, parts]) => el("details", { class: "aside" }, el("summary", {}, `${kind}: ${plural(parts.length, "part")} left out of the stories`), ...parts.map((part) => el("p", {}, part.text))));
}
function chatBody(documents, number, text) {
  const byId = new Map();
  for (const { story, sentence } of places().values()) if (!byId.has(sentence.document)) byId.set(sentence.document, { story, sentence });
  const head = el("header", {}, el("p", { class: "hint" }, documents[0].source));
  return [head, ...documents.map((doc) => {
    const entry = byId.get(doc.id), here = doc.number === number;
    const node = el("div", { class: `message${here ? " here" : ""}` }, el("p", { class: "speaker" }, el("strong", {}, doc.text.sender ?? "?"), el("time", {}, ` ${written(doc.text.time)}`)),
      ...doc.text.paragraphs.map((whole) => el("p", {}, ...(here && text && whole.includes(text) ? [whole.slice(0, whole.indexOf(text)), el("mark", { class: "here" }, text), whole.slice(whole.indexOf(text) + text.length)] : [whole]))));
    if (entry) { tint(node, entry.story.id); if (!here) node.addEventListener("click", () => { emit("read", { id: entry.sentence.id, focus: false }); emit("show-sentence", entry.sentence.id); }); }
    return node;
  })];
}
