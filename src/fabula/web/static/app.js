// The page: tabs, views of a case, theme, keys, dropped files; each view is a module of its own.
import { $, el, emit, guarded, on, plural, stored, warn } from "./core.js";
import { state } from "./model.js";
import { listCases, openCase, showForm, takeFiles } from "./cases.js";
import { redo, undo } from "./corrections.js";
import { countDisagreements, showDisagreements } from "./disagreements.js";
import { showDocuments } from "./documents.js";
import { showFilters } from "./filters.js";
import { showNotes } from "./notes.js";
import { showPeople } from "./people.js";
import { closeReader } from "./reader.js";
import { showRuns } from "./runs.js";
import { showFound } from "./search.js";
import { clearRead, focusSentence, revealSentences, showStories } from "./stories.js";
import { showTimeline } from "./timeline.js";
import "./audit.js";

// ---- tabs: the page's, and the views of a case -------------------------------------------------------
function tabList(list, onchoose) {
  const tabs = [...list.querySelectorAll('[role="tab"]')];
  const choose = (tab, focus) => {
    for (const other of tabs) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      $(other.getAttribute("aria-controls")).hidden = !chosen;
    }
    if (focus) tab.focus();
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    onchoose(tab);
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const open = tabs.filter((other) => !other.hidden), place = open.indexOf(tab);
      const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: open.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      choose(open[(next + open.length) % open.length], true);
    });
  }
  return choose;
}
const choosePage = tabList($("pages"), (tab) => { if (tab.id === "tab-runs") showRuns(); });
const VIEWS = { stories: showStories, time: showTimeline, clashes: showDisagreements, people: showPeople, documents: showDocuments, notes: showNotes, found: showFound };
let view = "stories";
const chooseView = tabList($("views"), (tab) => {
  view = tab.id.slice(4);
  $("views-out").classList.toggle("unfiltered", ["people", "documents", "notes"].includes(view));
  if (state.model) VIEWS[view]();
});
on("view", (name) => { if (view !== name) chooseView($(`tab-${name}`)); else VIEWS[name](); });

// ---- showing the case ------------------------------------------------------------------------------------
on("changed", () => {
  const { meta, model } = state;
  $("empty").hidden = Boolean(meta);
  $("case").hidden = !meta;
  if (!meta) { showForm(true); return; }
  document.title = `${meta.title} · fabula`;
  $("pile-title").textContent = meta.title;
  for (const [id, entries, word] of [["undo", meta.corrections, "Undo"], ["redo", meta.undone, "Redo"]]) {
    $(id).disabled = !entries.length;
    $(id).dataset.count = String(entries.length);
    $(id).setAttribute("aria-label", entries.length ? `${word} (${entries.length})` : word);
  }
  $("views").hidden = !model;
  $("views-out").hidden = !model;
  if (!model) return;
  const count = model.stories.reduce((sum, story) => sum + story.sentences.length, 0);
  const likely = model.numbers[0];
  $("summary").replaceChildren(`${plural(count, "sentence")} in ${plural(model.stories.length, "story", "stories")}${likely ? ` (${Math.round(100 * likely.probability)} % sure)` : ""}. `,
    el("span", { class: "wide-only" }, "The paler a sentence, the less sure it belongs."));
  showFilters();
  countDisagreements();
  VIEWS[view]();
});
on("opened", () => { chooseView($("tab-stories")); document.title = "fabula"; });
on("filtered", () => { if (state.model) VIEWS[view](); });
on("show-sentence", (id) => {
  if (matchMedia("(max-width: 60rem)").matches) closeReader(false);  // it lies over the stories there
  emit("view", "stories");
  revealSentences([id], { focus: true });
});
on("show-sentences", (ids) => { emit("view", "stories"); revealSentences(ids); });
on("read", ({ id }) => { if (id && view === "stories") revealSentences([id]); });
on("unread", (id) => { clearRead(); if (id && view === "stories") focusSentence(id); });

// ---- theme, keys, dropped files --------------------------------------------------------------------------
if (stored("theme")) document.documentElement.dataset.theme = stored("theme");
$("theme").addEventListener("click", () => {
  const theme = document.documentElement.dataset.theme;
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  stored("theme", document.documentElement.dataset.theme);
});
$("alert-close").addEventListener("click", () => warn(""));
addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, dialog");
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === "z" && !typing && state.meta) { event.preventDefault(); if (event.shiftKey) redo(); else undo(); }
  else if ((event.ctrlKey || event.metaKey) && key === "y" && !typing && state.meta) { event.preventDefault(); redo(); }
  else if (key === "/" && !typing && state.model) { event.preventDefault(); $("query").focus(); }
  else if (key === "escape" && !typing) closeReader();
});
let depth = 0;
const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
addEventListener("dragenter", (event) => { if (hasFiles(event)) { depth += 1; $("veil").hidden = false; } });
addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); if (!depth) $("veil").hidden = true; });
addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
addEventListener("drop", (event) => {
  depth = 0;
  $("veil").hidden = true;
  if (!event.dataTransfer?.files.length) return;
  event.preventDefault();
  choosePage($("tab-assemble"));
  takeFiles([...event.dataTransfer.files]);
});

const asked = () => { const name = location.hash.slice(1); return /^[0-9a-f]{16}$/.test(name) ? name : null; };
addEventListener("hashchange", () => { if (asked() && asked() !== state.pile) guarded(() => openCase(asked()))(); });
guarded(async () => {
  if (asked()) await openCase(asked());
  else { showForm(true); await listCases(); }
})();
