// Cases: made, opened, renamed, copied, joined, taken out and read in as one file, deleted.
import { $, ask, el, emit, guarded, on, once, plural, quiet, save, shortened, warn } from "./core.js";
import { edit, inTurn, redo, reload, removed, undo } from "./corrections.js";
import { resetFilters } from "./filters.js";
import { follow } from "./jobs.js";
import { modelOf, state } from "./model.js";
import { popup, question } from "./popup.js";

state.pending = 0;
const chosen = [];
let adding = false;

export async function packed(files) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > state.limits.bytes) throw new Error(`The files are ${(size / 1048576).toFixed(1)} MB; the page takes ${state.limits.bytes / 1048576} MB at once.`);
  return Promise.all(files.map((file) => new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done({ name: file.name, data: reader.result.split(",")[1] ?? "" });
    reader.onerror = () => fail(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  })));
}
function showChosen() {
  $("chosen").replaceChildren(...chosen.map((file, place) => el("li", {}, `${file.name} `,
    el("button", { type: "button", class: "quiet", "aria-label": `Leave out ${file.name}`, onclick: () => { chosen.splice(place, 1); showChosen(); } }, "×"))));
}
const isCase = (file) => file.name.endsWith(".fabula.zip");
export const takeFiles = guarded(async (files) => {
  const cases = files.filter(isCase);
  for (const file of cases) await readIn(file);
  chosen.push(...files.filter((file) => !isCase(file)));
  showChosen();
  if (chosen.length) { showForm(true); $("go").focus(); }
});
export function showForm(open) {
  $("panel-assemble").classList.toggle("making", open);
  $("new").hidden = !open;
  $("new-open").setAttribute("aria-expanded", String(open));
  $("go-add").hidden = adding || !state.meta;
  if (state.meta) $("go-add").textContent = `Add to “${shortened(state.meta.title, 40)}”`;
}

let listed = 0;
export async function listCases() {
  const place = (listed += 1), all = await ask("/api/state");
  if (place !== listed) return;  // a later list is on its way
  Object.assign(state, { limits: all.limits, piles: all.piles });
  $("limits").textContent = `Up to ${all.limits.sentences.toLocaleString("en")} sentences a case; nothing leaves this machine.`;
  $("piles").replaceChildren(...all.piles.map((pile) => el("li", {}, el("button", { type: "button", "aria-current": pile.id === state.pile ? "true" : null, title: pile.title, onclick: guarded(() => openCase(pile.id)) },
    el("span", { class: "title" }, pile.title), el("small", {}, pile.summary ? `${plural(pile.summary.documents, "document")}, ${plural(pile.summary.stories, "story", "stories")}` : "not solved yet", ...pile.tags.map((tag) => ` #${tag}`))))));
  if (!all.piles.length) $("piles").append(el("li", { class: "hint" }, "None yet."));
}

export async function openCase(pile, job) {
  if (state.pile !== pile) {
    Object.assign(state, { pile, meta: null, model: null, revision: 0, past: [], future: [], job: null });
    resetFilters();
    setAdding(false);
    $("job").hidden = true;
    emit("opened");
  }
  showForm(false);
  $("panel-assemble").classList.remove("listing");
  history.replaceState(null, "", `#${pile}`);
  let meta, result;
  try {
    [meta, result] = await Promise.all([ask(`/api/piles/${pile}`), ask(`/api/piles/${pile}/result`)]);
  } catch (error) {
    if (state.pile === pile && error.status === 404) closeCase();  // it was deleted elsewhere
    quiet(listCases)();
    throw error;
  }
  if (state.pile !== pile) return;
  const running = job ?? (["queued", "running"].includes(meta.job?.state) ? meta.job.id : null);
  Object.assign(state, { meta, revision: meta.revision, model: result && modelOf(result), job: running });
  emit("changed", { solved: true });
  quiet(listCases)();
  if (running) follow(running, pile); else if (meta.job?.error) warn(meta.job.error);
}
function closeCase() {
  Object.assign(state, { pile: null, meta: null, model: null, job: null });
  history.replaceState(null, "", "#");
  emit("opened");
  emit("changed");
}
on("solved", quiet(async ({ pile, job }) => {
  const looked = () => state.pile === pile && state.job === job;
  try {
    if (await reload(pile)) { quiet(listCases)(); return; }
    if (!looked() || state.pending) return;
    const meta = await ask(`/api/piles/${pile}`);  // a job that did not know the last change, was cancelled, or failed
    if (!looked()) return;
    if (["queued", "running"].includes(meta.job?.state)) follow(meta.job.id, pile);
    else state.meta = { ...state.meta, solved: meta.solved, refused: meta.refused };
  } finally { if (looked()) { state.job = null; emit("job"); } }
}));
// A case that waits for nothing and is not solved says so: its job was cancelled, or failed.
function showSolving() {
  const { meta, model, job, pending } = state;
  const waits = Boolean(job || pending), solved = Boolean(meta && model) && meta.solved >= state.revision;
  $("case").dataset.solved = String(solved && !waits);
  $("unsolved").hidden = !meta || solved || waits;
  $("working").hidden = !meta || Boolean(model) || !waits;
  $("give-up").hidden = Boolean(model);
  $("refused").replaceChildren(...(meta?.refused ?? []).flatMap((upload) => [el("button", { type: "button", onclick: () => leaveOut(upload) }, `Remove ${upload.slice(upload.indexOf("-") + 1)} …`), " "]));
}
const leaveOut = (upload) => guarded(async () => {  // a file that cannot be read, so that the others can
  const given = await question({ title: `Remove ${upload.slice(upload.indexOf("-") + 1)} from the case?`, text: "The file is removed and overwritten. This cannot be undone.", actions: [["remove", "Remove"]], danger: true });
  if (given) await removed(upload, new Set());
})();
on("changed", showSolving);
on("job", showSolving);
$("solve").addEventListener("click", guarded(async () => {
  const pile = state.pile, { job } = await ask(`/api/piles/${pile}/solve`, "POST");
  if (state.pile === pile) follow(job, pile);
}));

function setAdding(on_) {
  adding = on_;
  $("go").textContent = on_ ? "Add to the case" : "Make a case";
  $("new-title").textContent = on_ ? "More documents" : "A new case";
  for (const id of ["name-row", "stories-row"]) $(id).hidden = on_;
}
$("new").addEventListener("submit", once($("go"), async (event) => {
  const to = adding || event.submitter === $("go-add") ? state.pile : null;
  const body = { text: $("text").value, files: await packed(chosen) };
  if (!to) {
    if ($("stories").value) body.stories = Number($("stories").value);
    if ($("name").value.trim()) body.title = $("name").value.trim();
  }
  const answer = await ask(to ? `/api/piles/${to}/text` : "/api/piles", "POST", body);
  for (const id of ["text", "name", "stories"]) $(id).value = "";
  chosen.length = 0;
  showChosen();
  setAdding(false);
  await openCase(to ?? answer.pile, answer.job);
}));
$("new-open").addEventListener("click", () => { setAdding(false); showForm(true); $("panel-assemble").classList.remove("listing"); $("text").focus(); });
$("new-close").addEventListener("click", () => showForm(false));
$("files").addEventListener("change", () => { takeFiles([...$("files").files]); $("files").value = ""; });
$("side-open").addEventListener("click", () => $("panel-assemble").classList.toggle("listing"));

// ---- the case's menu ----------------------------------------------------------------------------------
const EXPORTS = [["docx", "Word (.docx)"], ["html", "Page (.html)"], ["md", "Markdown"], ["json", "JSON"], ["csv", "Timeline (.csv)"], ["ics", "Calendar (.ics)"], ["graphml", "Graph (.graphml)"], ["corrections", "Corrections"]];
$("export").addEventListener("click", (event) => popup(event.currentTarget, [...EXPORTS.map(exported), null, exported(["case", "The whole case (.fabula.zip)"])], "Export"));
function exported([kind, label]) {
  const href = `/api/piles/${state.pile}/export/${kind}`;
  return { label, href, run: () => saving(href) };
}
let saved = 0;  // files under way; some are made of the case anew, which takes as long as solving it
const saving = guarded(async (href) => {
  const showSaving = () => { $("export").textContent = saved ? "Exporting …" : "Export"; };
  saved += 1;
  showSaving();
  try { await save(href); } finally { saved -= 1; showSaving(); }
});
$("case-menu").addEventListener("click", (event) => popup(event.currentTarget, [
  { label: "Rename …", run: rename },
  { label: "Add documents …", run: addDocuments },
  { label: "Join another case …", run: joinCase, disabled: state.piles.length < 2 },
  { label: "Number of stories …", run: setNumber },
  { label: "Duplicate", run: duplicate },
  null,
  { label: "Delete …", run: remove },
], "This case"));
$("more").addEventListener("click", () => addDocuments());
$("undo").addEventListener("click", undo);
$("redo").addEventListener("click", redo);

function addDocuments() { setAdding(true); showForm(true); $("text").focus(); }
const rename = guarded(async () => {
  const given = await question({ title: "Name of the case", fields: [{ name: "title", label: "Name", value: state.meta.title, required: true, maxlength: 80 }] });
  if (!given?.title.trim()) return;
  const pile = state.pile;
  await inTurn(() => ask(`/api/piles/${pile}`, "PATCH", { title: given.title }));
  if (state.pile === pile) { state.meta = { ...state.meta, title: given.title.trim() }; emit("changed"); }
  await listCases();
});
const setNumber = guarded(async () => {
  const given = await question({ title: "Number of stories", fields: [{ name: "stories", label: "Stories (empty: found)", type: "number", min: 1, max: 50, value: state.meta.stories ?? "" }] });
  if (!given) return;
  await edit({ stories: given.stories ? Number(given.stories) : null });
});
const joinCase = guarded(async () => {
  const given = await question({ title: "Add the documents of another case", text: "The other case stays as it is.", actions: [["join", "Join"]],
    fields: [{ name: "pile", label: "Case", options: state.piles.filter((pile) => pile.id !== state.pile).map((pile) => [pile.id, pile.title]) }] });
  if (!given) return;
  const pile = state.pile, { job, revision } = await ask(`/api/piles/${pile}/join`, "POST", { pile: given.pile });
  if (state.pile !== pile) return;
  state.revision = Math.max(state.revision, revision);
  follow(job, pile);
});
const duplicate = guarded(async () => { const { pile } = await ask(`/api/piles/${state.pile}/duplicate`, "POST"); await openCase(pile); });
const remove = guarded(async () => {
  const given = await question({ title: "Delete this case?", text: "Its documents, corrections and notes are removed and overwritten.", actions: [["delete", "Delete"]], danger: true });
  if (!given) return;
  const pile = state.pile;
  await ask(`/api/piles/${pile}`, "DELETE");
  if (state.pile === pile) closeCase();
  await listCases();
});
async function readIn(file) {
  const { pile, job } = await ask("/api/import", "POST", file);
  await openCase(pile, job);
}
$("give-up").addEventListener("click", () => remove());
$("import").addEventListener("change", guarded(async () => { const [file] = $("import").files; $("import").value = ""; if (file) await readIn(file); }));
