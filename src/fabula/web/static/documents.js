// The documents of a case, and what was left out of the stories.
import { $, ask, el, emit, guarded, on, plural, tint } from "./core.js";
import { places, state } from "./model.js";
import { VirtualList } from "./virtual.js";

const list = new VirtualList($("documents-scroll"), $("documents-list"), { render: rowNode, key: (doc) => doc.key, guess: () => 64 });
let counts = new Map();

on("opened", () => list.update([]));

export const showDocuments = guarded(async () => {
  const pile = state.pile;
  if (!state.model) return;
  counts = new Map();
  for (const { story, sentence } of places().values()) {
    const own = counts.get(sentence.document) ?? new Map();
    own.set(story.id, (own.get(story.id) ?? 0) + 1);
    counts.set(sentence.document, own);
  }
  const { documents } = await ask(`/api/piles/${pile}/documents`);
  if (state.pile !== pile) return;
  // The messages of a chat are one entry.
  const bySource = new Map();
  for (const doc of documents) bySource.set(doc.source, [...(bySource.get(doc.source) ?? []), doc]);
  const rows = [...bySource.values()].flatMap((group) => (group.length > 3 && group[0].id.includes(":") ? [{ ...group[0], key: `d${group[0].number}`, messages: group }] : group.map((doc) => ({ ...doc, key: `d${doc.number}` }))));
  const kinds = new Map();
  for (const part of state.model.aside) kinds.set(part.kind, (kinds.get(part.kind) ?? 0) + 1);
  $("documents-hint").textContent = `${plural(rows.length, "document")}. ${[...kinds].map(([kind, count]) => `${count} × ${kind}`).join(", ")}${kinds.size ? " left out of the stories (folded at the end of each document)." : ""}`;
  list.update(rows);
});
function rowNode(doc) {
  const own = new Map();
  for (const one of doc.messages ?? [doc]) for (const [story, count] of counts.get(one.id) ?? []) own.set(story, (own.get(story) ?? 0) + count);
  return el("div", { role: "listitem", class: "document" },
    el("button", { type: "button", class: "quote", onclick: () => emit("read", { document: doc.id, number: doc.number }) }, doc.title ?? doc.source),
    el("small", {}, [doc.title ? doc.source : null, doc.date ?? (doc.messages ? null : "no date"), doc.messages ? plural(doc.messages.length, "message") : null].filter(Boolean).join(" · "), " ",
      ...[...own].map(([story, count]) => tint(el("span", { class: "dot-label" }, `${plural(count, "sentence")} in story ${story} `), story))));
}
