"use strict";
const $ = (id) => document.getElementById(id);
const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};
const hue = (number) => String((number * 137 + 60) % 360);
const tint = (node, number) => { node.style.setProperty("--hue", hue(number)); return node; };
const state = { pile: null, data: null, job: null, adding: false, files: [], limits: {}, drag: null };

// ---- asking the server -------------------------------------------------------------------
async function ask(path, method = "GET", body) {
  const options = { method, headers: { "X-Fabula": "1" } };
  if (method !== "GET") {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body ?? {});
  }
  let answer;
  try { answer = await fetch(path, options); }
  catch { throw new Error("The server does not answer. Is fabula serve still running?"); }
  const text = await answer.text();
  let data = null;
  try { data = JSON.parse(text); } catch { /* a plain line */ }
  if (!answer.ok) throw new Error(data?.error ?? (typeof data?.detail === "string" ? data.detail : text.slice(0, 300)));
  return data;
}
function warn(message) { $("alert").textContent = message ?? ""; $("alert").hidden = !message; }
const guarded = (work) => async (event) => {
  event?.preventDefault?.();
  try { warn(""); await work(event); } catch (error) { warn(error.message); }
};
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

// ---- tabs, theme, tooltip -----------------------------------------------------------------
const tabs = [...document.querySelectorAll('[role="tab"]')];
function choose(tab) {
  for (const other of tabs) {
    const on = other === tab;
    other.setAttribute("aria-selected", on);
    other.tabIndex = on ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = !on;
  }
  if (tab.id === "tab-runs") showRuns();
}
tabs.forEach((tab, place) => {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(place + step + tabs.length) % tabs.length];
    choose(next); next.focus();
  });
});
const stored = (key, value) => {
  try { if (value !== undefined) localStorage.setItem(key, value); return localStorage.getItem(key); }
  catch { return null; }
};
if (stored("theme")) document.documentElement.dataset.theme = stored("theme");
$("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  stored("theme", document.documentElement.dataset.theme);
});
function tip(node, lines) {
  const show = () => {
    $("tip").replaceChildren(...lines().map((line) => el("p", {}, line)));
    $("tip").hidden = false;
    const box = node.getBoundingClientRect(), own = $("tip").getBoundingClientRect();
    const below = box.bottom + own.height + 8 < innerHeight;
    $("tip").style.top = `${Math.max(4, below ? box.bottom + 6 : box.top - own.height - 6)}px`;
    $("tip").style.left = `${Math.max(4, Math.min(box.left, innerWidth - own.width - 8))}px`;
  };
  const hide = () => { $("tip").hidden = true; };
  node.addEventListener("mouseenter", show);
  node.addEventListener("focus", show);
  for (const name of ["mouseleave", "blur", "dragstart"]) node.addEventListener(name, hide);
}

// ---- a new pile ------------------------------------------------------------------------------
async function packed(files) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > state.limits.bytes) throw new Error(`The files are ${(size / 1048576).toFixed(1)} MB; the page takes ${state.limits.bytes / 1048576} MB.`);
  return Promise.all(files.map((file) => new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done({ name: file.name, data: reader.result.split(",")[1] ?? "" });
    reader.onerror = () => fail(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  })));
}
function chosen() {
  $("chosen").replaceChildren(...state.files.map((file, place) => el("li", {}, `${file.name} `,
    el("button", { type: "button", "aria-label": `Leave out ${file.name}`, onclick: () => { state.files.splice(place, 1); chosen(); } }, "×"))));
}
$("files").addEventListener("change", () => { state.files.push(...$("files").files); $("files").value = ""; chosen(); });
$("new").addEventListener("submit", guarded(async () => {
  const body = { text: $("text").value, files: await packed(state.files) };
  if (!state.adding && $("stories").value) body.stories = Number($("stories").value);
  const answer = await ask(state.adding ? `/api/piles/${state.pile}/text` : "/api/piles", "POST", body);
  $("text").value = ""; state.files = []; chosen();
  const pile = state.adding ? state.pile : answer.pile;
  adding(false);
  await list(pile);
  await open_(pile, answer.job);
}));
function adding(on) {
  state.adding = on;
  $("go").textContent = on ? "Add to the pile" : "Assemble";
  $("stories").disabled = on;
  if (on) $("text").focus();
}
let depth = 0;
addEventListener("dragenter", (event) => { if (event.dataTransfer?.types.includes("Files")) { depth += 1; $("veil").hidden = false; } });
addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); if (!depth) $("veil").hidden = true; });
addEventListener("dragover", (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
addEventListener("drop", (event) => {
  depth = 0; $("veil").hidden = true;
  if (!event.dataTransfer?.files.length) return;
  event.preventDefault();
  choose($("tab-assemble"));
  state.files.push(...event.dataTransfer.files);
  chosen(); $("go").focus();
});

// ---- piles and jobs ----------------------------------------------------------------------------
async function list(current = state.pile) {
  const all = await ask("/api/state");
  state.limits = all.limits; state.runs = all.runs;
  $("limits").textContent = `Up to ${all.limits.sentences.toLocaleString("en")} sentences; nothing leaves this machine.`;
  $("piles").replaceChildren(...all.piles.map((pile) => el("li", {}, el("button", {
    type: "button", "aria-current": String(pile.id === current), title: pile.title, onclick: guarded(() => open_(pile.id)),
  }, pile.title))));
  if (!all.piles.length) $("piles").append(el("li", { class: "hint" }, "None yet."));
}
async function open_(pile, job) {
  if (state.pile !== pile) adding(false);
  state.pile = pile;
  history.replaceState(null, "", `#${pile}`);
  for (const button of $("piles").querySelectorAll("button")) button.setAttribute("aria-current", false);
  const data = await ask(`/api/piles/${pile}`);
  if (state.pile !== pile) return;
  show(data);
  await list(pile);
  const running = job ?? (["queued", "running"].includes(data.job?.state) ? data.job.id : null);
  if (running) await follow(running, pile); else { $("job").hidden = true; if (data.job?.error) warn(data.job.error); }
}
async function follow(job, pile) {
  state.job = job;
  $("job").hidden = false;
  for (;;) {
    const now = await ask(`/api/jobs/${job}`);
    if (state.pile !== pile || state.job !== job) return;  // another pile is being looked at
    if (!["queued", "running"].includes(now.state)) {
      $("job").hidden = true;
      if (now.state === "failed") warn(now.error);
      show(await ask(`/api/piles/${pile}`));
      return;
    }
    progress($("job-text"), $("bar"), now);
    await wait(300);
  }
}
function progress(text, bar, job) {
  const counted = job.total ? ` (${job.done} of ${job.total})` : "";
  text.textContent = job.state === "queued" ? "Waiting for its turn" : (job.message || "working") + counted;
  if (job.total) { bar.max = job.total; bar.value = job.done; } else bar.removeAttribute("value");
}
$("cancel").addEventListener("click", guarded(() => ask(`/api/jobs/${state.job}/cancel`, "POST")));
async function correct(correction) {
  const pile = state.pile;
  const { job } = await ask(`/api/piles/${pile}/corrections`, "POST", { correction });
  await follow(job, pile);
}
$("undo").addEventListener("click", guarded(async () => { const { job } = await ask(`/api/piles/${state.pile}/undo`, "POST"); await follow(job, state.pile); }));
$("more").addEventListener("click", () => adding(!state.adding));
$("drop").addEventListener("click", guarded(async () => {
  if (!confirm("Delete this pile and its corrections?")) return;
  await ask(`/api/piles/${state.pile}`, "DELETE");
  state.pile = null; state.data = null; history.replaceState(null, "", "#");
  $("pile").hidden = true; $("job").hidden = true; $("empty").hidden = false; adding(false);
  await list();
}));
$("ask").addEventListener("submit", guarded(async () => {
  const { job } = await ask(`/api/piles/${state.pile}/query`, "POST", { text: $("query").value });
  let now;
  do { await wait(200); now = await ask(`/api/jobs/${job}`); } while (["queued", "running"].includes(now.state));
  if (now.state !== "done") throw new Error(now.error ?? "The search was cancelled.");
  for (const card of document.querySelectorAll(".story")) card.classList.toggle("found", Number(card.dataset.story) === now.result.story);
  for (const line of document.querySelectorAll(".sentence")) {
    line.classList.toggle("hit", Number(line.dataset.story) === now.result.story && now.result.positions.includes(Number(line.dataset.position)));
  }
  $("summary").textContent = `Story ${now.result.story} answers best${now.result.clear ? "" : ", though not by much"}.`;
  document.querySelector(".story.found")?.scrollIntoView({ block: "nearest", behavior: "smooth" });
}));

// ---- showing a pile ------------------------------------------------------------------------------
function show(data) {
  state.data = data;
  const result = data.result;
  $("empty").hidden = true;
  $("pile").hidden = !result;
  if (!result) return;
  $("pile-title").textContent = data.title;
  $("undo").disabled = !data.corrections.length;
  $("undo").textContent = data.corrections.length ? `Undo (${data.corrections.length})` : "Undo";
  const count = result.stories.reduce((sum, story) => sum + story.sentences.length, 0);
  $("summary").textContent = `${count} sentences in ${result.stories.length} ${result.stories.length === 1 ? "story" : "stories"}. The paler a sentence, the less sure it belongs; hover for why.`;
  $("notes").replaceChildren(...result.notes.map((note) => el("li", {}, note)));
  $("exports").replaceChildren(...[["html", "Page (.html)"], ["md", "Markdown"], ["json", "JSON"], ["corrections", "Corrections"]].map(
    ([kind, label]) => el("a", { href: `/api/piles/${data.id}/export/${kind}`, download: true }, label)));
  $("stories-out").replaceChildren(...result.stories.map(storyCard), newCard());
  clashes(result); times(result);
  fill("gaps", result.gaps, (gap) => `Story ${gap.story}, between ${gap.after} and ${gap.before}: ${gap.event} (${gap.actor})`);
  fill("changes", (result.changes ?? []).slice(0, 200), (change) => change.was === null ? `New, in story ${change.is}: ${change.text}`
    : change.is === null ? `Gone from story ${change.was}: ${change.text}` : `From story ${change.was} to ${change.is}: ${change.text}`);
}
function fill(id, rows, say) {
  $(id).hidden = !rows.length;
  $(id).querySelector("ul").replaceChildren(...rows.map((row) => el("li", {}, say(row))));
}
function storyCard(story) {
  const items = story.sentences.map((sentence) => sentenceItem(story, sentence));
  const graph = el("details", { class: "graph" }, el("summary", {}, "Event graph"));
  graph.addEventListener("toggle", () => {
    if (graph.open && !graph.querySelector("svg")) graph.append(eventGraph(story) ?? el("p", { class: "hint" }, "No named actor does anything here."));
  });
  const others = state.data.result.stories.filter((other) => other.id !== story.id);
  const join = el("select", { "aria-label": `Join story ${story.id} with`, onchange: guarded((event) => correct({ do: "join", stories: [Number(event.target.value), story.id] })) },
    el("option", { value: "" }, "Join ..."), ...others.map((other) => el("option", { value: other.id }, `with ${other.id}: ${other.title}`)));
  const card = el("section", { class: "card story", "data-story": story.id, "aria-labelledby": `story-${story.id}` },
    el("header", {}, el("h3", { id: `story-${story.id}` }, el("b", {}, `${story.id} `), story.title),
      story.locked ? el("span", { class: "hint" }, "locked") : el("button", { type: "button", title: "Keep this story as it is", onclick: guarded(() => correct({ do: "lock", story: story.id })) }, "Lock"),
      others.length ? join : null),
    el("p", { class: "who" }, `${story.sentences.length} sentences, order ${Math.round(100 * story.order_confidence)} % sure` + (story.actors.length ? `. With ${story.actors.slice(0, 5).map((actor) => actor.name).join(", ")}` : "")),
    el("ol", { class: "sentences" }, ...items), graph);
  dropTarget(card, story.id, () => story.sentences.at(-1).id);
  return tint(card, story.id);
}
function newCard() {
  const card = el("section", { class: "card story", "data-story": "new" }, el("p", { class: "hint" }, "Drop a sentence here to open a new story."));
  dropTarget(card, "new", () => undefined);
  return tint(card, 0);
}
function sentenceItem(story, sentence) {
  const place = `${sentence.source ?? "text"}:${sentence.line}`;
  const more = [place, `${Math.round(100 * sentence.probability)} %`, sentence.sender, sentence.time?.replace("T", " "),
    sentence.repeat_of ? `says ${sentence.repeat_of} again` : null, sentence.fixed ? "put here by you" : null].filter(Boolean).join(" · ");
  const item = el("li", { class: `sentence${sentence.repeat_of ? " again" : ""}`, draggable: "true", tabindex: "0", "data-id": sentence.id, "data-story": story.id, "data-position": sentence.position },
    el("b", {}, String(sentence.position)), el("span", {}, sentence.text, el("small", {}, more)));
  item.style.setProperty("--sure", Math.max(0, (sentence.probability - 0.3) / 0.7).toFixed(2));
  tip(item, () => [...(sentence.why.length ? sentence.why : ["Nothing in particular draws it here."]),
    sentence.runner_up ? `Else it would be of story ${sentence.runner_up}.` : ""].filter(Boolean));
  item.addEventListener("dragstart", (event) => {
    state.drag = sentence.id; item.classList.add("drag");
    event.dataTransfer.setData("text/plain", sentence.text); event.dataTransfer.effectAllowed = "move";
  });
  item.addEventListener("dragend", () => { state.drag = null; item.classList.remove("drag"); });
  item.addEventListener("dragover", (event) => { if (state.drag && state.drag !== sentence.id) { event.preventDefault(); item.classList.add("above"); } });
  item.addEventListener("dragleave", () => item.classList.remove("above"));
  item.addEventListener("drop", guarded(async (event) => {
    item.classList.remove("above");
    if (!state.drag || state.drag === sentence.id) return;
    event.stopPropagation();
    const before = story.sentences.filter((other) => other.id !== state.drag);
    const at = before.findIndex((other) => other.id === sentence.id);
    await correct({ do: "move", sentence: state.drag, to: story.id, after: at > 0 ? before[at - 1].id : null });
  }));
  item.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && event.altKey) {
      event.preventDefault();
      const rest = story.sentences.filter((other) => other.id !== sentence.id);
      const to = sentence.position - 1 + step;
      if (to >= 0 && to <= rest.length) guarded(() => correct({ do: "move", sentence: sentence.id, to: story.id, after: to ? rest[to - 1].id : null }))();
    } else if (step) {
      event.preventDefault();
      const all = [...document.querySelectorAll(".sentence")];
      all[all.indexOf(item) + step]?.focus();
    } else if (event.key.toLowerCase() === "m" || event.key === "Enter") { event.preventDefault(); mover(story, sentence); }
  });
  item.addEventListener("dblclick", () => mover(story, sentence));
  return item;
}
function dropTarget(card, number, last) {
  card.addEventListener("dragover", (event) => { if (state.drag) { event.preventDefault(); card.classList.add("over"); } });
  card.addEventListener("dragleave", () => card.classList.remove("over"));
  card.addEventListener("drop", guarded(async () => {
    card.classList.remove("over");
    if (!state.drag) return;
    const correction = { do: "move", sentence: state.drag, to: number };
    if (last() !== undefined && last() !== state.drag) correction.after = last();
    await correct(correction);
  }));
}
function mover(story, sentence) {
  const dialog = $("mover"), stories = state.data.result.stories;
  $("tip").hidden = true;
  $("mover-text").textContent = sentence.text;
  $("mover-story").replaceChildren(...stories.map((other) => el("option", { value: other.id, selected: other.id === story.id }, `Story ${other.id}: ${other.title}`)), el("option", { value: "new" }, "A new story"));
  const places = () => {
    const target = stories.find((other) => String(other.id) === $("mover-story").value);
    $("mover-after").replaceChildren(el("option", { value: "auto" }, "wherever it fits"), el("option", { value: "" }, "first of all"),
      ...(target ? target.sentences.filter((other) => other.id !== sentence.id).map((other) => el("option", { value: other.id }, `${other.position}. ${other.text.slice(0, 70)}`)) : []));
  };
  places();
  $("mover-story").onchange = places;
  dialog.returnValue = "";
  dialog.onclose = guarded(async () => {
    const to = $("mover-story").value, after = $("mover-after").value;
    if (dialog.returnValue === "move") {
      const correction = { do: "move", sentence: sentence.id, to: to === "new" ? "new" : Number(to) };
      if (to !== "new" && after !== "auto") correction.after = after || null;
      await correct(correction);
    } else if (dialog.returnValue === "lock") await correct({ do: "lock", sentence: sentence.id });
    else if (dialog.returnValue === "split") await correct({ do: "split", story: story.id, sentences: [sentence.id] });
  });
  dialog.showModal();
}
const flat = (text) => text.trim().replace(/\s+/g, " ");
function clashes(result) {
  $("clashes").hidden = !result.contradictions.length;
  $("clashes").querySelector(".pairs").replaceChildren(...result.contradictions.map((found) => el("div", { class: "pair" },
    el("h3", {}, `${found.kind}: ${found.about}`),
    ...found.sides.map((side) => tint(el("blockquote", {}, flat(side.value) === flat(side.text) ? null : el("strong", {}, side.value), side.text,
      el("small", {}, ` story ${side.story}, ${side.source ?? "text"}:${side.line}`)), side.story)))));
}
function times(result) {
  $("times").hidden = !result.timeline.length;
  const text = (entry) => result.stories.find((story) => story.id === entry.story).sentences[entry.position - 1].text;
  $("times").querySelector("ol").replaceChildren(...result.timeline.map((entry) => tint(el("li", {},
    el("time", {}, (entry.guessed ? "~" : "") + entry.when), el("b", {}, String(entry.story)), el("span", {}, text(entry))), entry.story)));
}

// ---- audit -----------------------------------------------------------------------------------------
$("audit").addEventListener("submit", guarded(async () => {
  const [file] = await packed([...$("audit-file").files]);
  const columns = { context: $("audit-context").value || null, options: $("audit-options").value || null, gold: $("audit-gold").value || null };
  const { job } = await ask("/api/audits", "POST", { ...file, columns });
  const box = $("audit-job"), [text, bar] = [box.querySelector("span"), box.querySelector("progress")];
  box.querySelector("button").onclick = guarded(() => ask(`/api/jobs/${job}/cancel`, "POST"));
  box.hidden = false; $("audit-out").hidden = true;
  let now;
  do { await wait(300); now = await ask(`/api/jobs/${job}`); progress(text, bar, now); } while (["queued", "running"].includes(now.state));
  box.hidden = true;
  if (now.state !== "done") throw new Error(now.error ?? "The audit was cancelled.");
  const found = now.result, number = (value) => value === null || value === undefined ? "" : typeof value === "number" ? String(Math.round(1000 * value) / 1000) : String(value);
  $("audit-out").replaceChildren(el("h2", {}, `${file.name}: ${found.verdict}`), el("p", { class: "hint" }, `${found.items} items`),
    el("p", {}, el("a", { href: `/api/audits/${job}/page`, target: "_blank", rel: "noopener" }, "Open the full report"), " ",
      el("button", { type: "button", onclick: guarded(async () => { await ask(`/api/audits/${job}`, "DELETE"); $("audit-out").hidden = true; }) }, "Delete this audit")),
    el("div", { class: "scroll" }, el("table", {}, el("tr", {}, ...["Probe", "Value", "95 %", "Finding"].map((head) => el("th", {}, head))),
      ...found.probes.map((probe) => el("tr", {}, el("td", {}, probe.name), el("td", {}, number(probe.value)),
        el("td", {}, probe.low === null || probe.low === undefined ? "" : `${number(probe.low)} to ${number(probe.high)}`), el("td", {}, number(probe.finding)))))));
  $("audit-out").hidden = false;
}));

// ---- runs -------------------------------------------------------------------------------------------
const showRuns = guarded(async () => {
  if (!state.runs?.length) { $("runs-text").textContent = "No run folder was named. Start the page with: fabula serve --runs FOLDER"; return; }
  $("runs-text").textContent = state.runs.join(", ");
  const { places } = await ask("/api/runs");
  $("runs-report").hidden = false;
  $("runs-out").replaceChildren(el("div", { class: "scroll" }, el("table", {},
    el("tr", {}, ...["Data", "Rank", "Model", "Metric", "Value", "95 % interval", "Items"].map((head) => el("th", {}, head))),
    ...places.map((place) => el("tr", {}, ...[`${place.task} ${place.fingerprint.slice(0, 8)}`, place.rank, place.model, place.metric,
      place.value?.toFixed(4), `${place.low?.toFixed(4)} to ${place.high?.toFixed(4)}`, place.items].map((cell) => el("td", {}, String(cell))))))));
});

guarded(async () => {
  await list(location.hash.slice(1));
  if (location.hash.length > 1) await open_(location.hash.slice(1));
})();
