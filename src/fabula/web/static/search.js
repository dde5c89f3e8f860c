// Search: words here, where the text is; meaning by the server's vectors; both at once.
import { $, ask, debounced, el, emit, fold, on, plural, tint, warn } from "./core.js";
import { written } from "./edtf.js";
import { filtered, setWords, wordsOf } from "./filters.js";
import { find, state } from "./model.js";
import { marked } from "./names.js";
import { VirtualList } from "./virtual.js";

const list = new VirtualList($("found-scroll"), $("found-list"), { render: rowNode, key: (hit) => hit.id, guess: (hit) => 46 + 20 * Math.ceil(hit.text.length / 90) });
let asked = "";
let near = { text: "", pile: null, hits: [] };

export function byWords(text) {
  const words = wordsOf(text);
  if (!words.length || !state.model) return [];
  const found = [];
  for (const story of state.model.stories) for (const sentence of filtered(story.sentences)) {
    const hay = fold(sentence.text);
    const count = words.filter((word) => hay.includes(word)).length;
    if (count === words.length) found.push({ id: sentence.id, text: sentence.text, exact: true });
  }
  return found;
}
export function showFound() {
  $("tab-found").hidden = !asked;
  if (!asked || !state.model) return;
  const words = byWords(asked), known = new Set(words.map((hit) => hit.id));
  const allowed = new Set(filtered(state.model.stories.flatMap((story) => story.sentences)).map((sentence) => sentence.id));
  const meaning = near.text === asked && near.pile === state.pile ? near.hits.filter((hit) => !known.has(hit.id) && allowed.has(hit.id) && find(hit.id)).map((hit) => ({ ...hit, text: find(hit.id).sentence.text })) : [];
  $("found-count").textContent = String(words.length + meaning.length);
  $("found-hint").textContent = `${plural(words.length, "sentence")} with these words, ${meaning.length} more near in meaning.`;
  $("tab-found").scrollIntoView({ block: "nearest", inline: "nearest" });  // it is wider with its count
  list.update([...words, ...meaning]);
  $("found-list").dataset.meaning = near.text === asked ? asked : "";
}
function rowNode(hit) {
  const { story, sentence } = find(hit.id) ?? {};
  if (!sentence) return el("div", { role: "listitem" });
  return tint(el("div", { role: "listitem", class: "found" }, el("b", {}, `${story.id}.${sentence.position}`),
    el("div", {}, el("button", { type: "button", class: "quote", onclick: () => emit("read", { id: hit.id }) }, ...marked(sentence, story)),
      el("small", {}, `${sentence.source ?? "text"}:${sentence.line}${sentence.sender ? ` · ${sentence.sender}` : ""}${sentence.when ? ` · ${written(sentence.when)}` : ""} · ${hit.exact ? "by its words" : `by its meaning, ${hit.cosine.toFixed(2)}`}`, " ",
        el("button", { type: "button", class: "link", onclick: () => emit("show-sentence", hit.id) }, "in its story")))), story.id);
}
const byMeaning = debounced(async (text, pile) => {
  try {
    const { hits } = await ask(`/api/piles/${pile}/search`, "POST", { text });
    if (asked !== text || state.pile !== pile) return;
    near = { text, pile, hits };
    showFound();
  } catch (error) { warn(error.message); }
}, 80);

function look() {
  const before = asked;
  asked = $("query").value.trim();
  setWords(asked);
  $("tab-found").hidden = !asked;
  if (asked && state.pile) byMeaning(asked, state.pile);
  if (asked) emit("view", "found");
  else if (before && $("tab-found").getAttribute("aria-selected") === "true") emit("view", "stories");
}
$("query").addEventListener("input", debounced(look, 30));
$("ask").addEventListener("submit", (event) => { event.preventDefault(); look(); });
on("opened", () => { list.update([]); asked = ""; near = { text: "", pile: null, hits: [] }; $("query").value = ""; setWords(""); $("tab-found").hidden = true; });
