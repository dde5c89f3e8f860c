// The documents of a case, how their dates are read, and what was left out of the stories.
import { $, ask, el, emit, guarded, on, plural, quiet, tint } from "./core.js";
import { removed } from "./corrections.js";
import { orderLine } from "./date-orders.js";
import { written } from "./edtf.js";
import { places, state } from "./model.js";
import { question } from "./popup.js";
import { VirtualList } from "./virtual.js";

const list = new VirtualList($("documents-scroll"), $("documents-list"), { render: rowNode, key: (doc) => doc.key, guess: () => 64 });
let counts = new Map();
let inFile = new Map();  // the documents of each file
let asked = 0;

on("opened", () => list.update([]));

export const showDocuments = quiet(async () => {
  const pile = state.pile, turn = (asked += 1);
  if (!state.model) return;
  const { documents } = await ask(`/api/piles/${pile}/documents`);
  if (state.pile !== pile || turn !== asked || !state.model) return;  // a later list is on its way
  counts = new Map();
  for (const { story, sentence } of places().values()) {
    const own = counts.get(sentence.document) ?? new Map();
    own.set(story.id, (own.get(story.id) ?? 0) + 1);
    counts.set(sentence.document, own);
  }
  inFile = new Map();
  for (const doc of documents) {
    const file = doc.upload ?? doc.source;
    if (!inFile.has(file)) inFile.set(file, []);
    inFile.get(file).push(doc);
  }
  // The messages of a chat are one entry.
  const rows = [...inFile.values()].flatMap((group) => {
    const messages = group.filter((doc) => doc.kind === "message");
    const others = group.filter((doc) => doc.kind !== "message").map((doc) => ({ ...doc, key: `d${doc.number}` }));
    return messages.length ? [{ ...messages[0], key: `d${messages[0].number}`, messages }, ...others] : others;
  });
  const kinds = new Map();
  for (const part of state.model.aside) kinds.set(part.kind, (kinds.get(part.kind) ?? 0) + 1);
  $("documents-hint").textContent = `${plural(rows.length, "document")}. ${[...kinds].map(([kind, count]) => `${count} × ${kind}`).join(", ")}${kinds.size ? " left out of the stories (folded at the end of each document)." : ""}`;
  list.update(rows);
});
function rowNode(doc) {
  const own = new Map();
  for (const one of doc.messages ?? [doc]) for (const [story, count] of counts.get(one.id) ?? []) own.set(story, (own.get(story) ?? 0) + count);
  const name = doc.title ?? doc.source;
  return el("div", { role: "listitem", class: "document" },
    el("div", {}, el("button", { type: "button", class: "quote", onclick: () => emit("read", { document: doc.id, number: doc.number }) }, name),
      el("small", {}, [doc.title ? doc.source : null, doc.date ? written(doc.date) : doc.messages ? null : "no date", doc.messages ? null : doc.sender, doc.messages ? plural(doc.messages.length, "message") : null].filter(Boolean).join(" · "), " ",
        ...[...own].map(([story, count]) => tint(el("span", { class: "dot-label" }, `${plural(count, "sentence")} in story ${story} `), story))),
      doc.messages && doc.upload ? orderLine(doc.upload) : null),
    doc.upload && inFile.size > 1 ? el("button", { type: "button", "aria-label": `Remove ${name}`, onclick: () => remove(doc) }, "Remove …") : null);
}
const remove = (doc) => guarded(async () => {
  const group = inFile.get(doc.upload) ?? [doc], others = doc.messages ? 0 : group.length - 1;
  const given = await question({
    title: `Remove ${doc.title ?? doc.source} from the case?`, actions: [["remove", "Remove"]], danger: true,
    text: `${others ? `${doc.source} holds ${plural(group.length, "document")}; all of them are removed. ` : ""}The file, its text in the answer, and your corrections of its sentences are removed and overwritten. This cannot be undone.`,
  });
  if (given) await removed(doc.upload, new Set(group.map((one) => one.id)));
})();
