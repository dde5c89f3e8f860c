// The timeline: a lane for each story, time to the right; what is uncertain is drawn as an interval
// with a broken edge, what is only bounded by its neighbours as a thin line.
import { $, debounced, el, emit, guarded, on, plural, shortened, svg, tint } from "./core.js";
import { askDate, edit } from "./corrections.js";
import { interval, spoken, ticks, written } from "./edtf.js";
import { filtered } from "./filters.js";
import { find, state } from "./model.js";
import { VirtualList } from "./virtual.js";

const ROW = 18, ROWS = 5, CLUSTER = 44, COUNT = 26, TOP = 30, LABEL = 150, LEAST = 7;
const MINUTE = 60000, YEAR = 365.25 * 86400000;
let view = null;  // {start, end} in view
let events = [];  // {id, story, start, end, sure, guessed, when, bounded}
let at = -1;  // the event under the keyboard
let fitted = null;  // the case that view was chosen for
let refit = false;  // with the next answer: its dates are others
const list = new VirtualList($("times-scroll"), $("times-list"), { render: rowNode, key: (row) => row.key, guess: () => 44 });

on("changed", ({ solved } = {}) => { if (solved && refit) { fitted = null; refit = false; } });
on("opened", () => { list.update([]); events = []; view = null; fitted = null; at = -1; });

export function showTimeline() {
  const model = state.model;
  if (!model) return;
  if (document.activeElement !== $("anchor")) $("anchor").value = state.meta.anchor ?? "";
  const passing = new Set(filtered(model.stories.flatMap((story) => story.sentences)).map((sentence) => sentence.id));
  events = model.timeline.filter((row) => passing.has(row.id)).map((row) => ({ ...row, ...interval(row.date) })).filter((row) => row.start !== undefined);
  for (const row of model.undated.events) {
    const low = interval(row.after), high = interval(row.before);
    if (low && high && passing.has(row.id) && high.end > low.start) events.push({ id: row.id, start: low.start, end: high.end, sure: false, bounded: true, when: `between ${written(row.after)} and ${written(row.before)}` });
  }
  events.sort((a, b) => a.start - b.start || a.end - b.end);
  gatherBounded();
  if (fitted !== state.pile && events.length) { fit(); fitted = state.pile; }
  if (!events.length) { view = null; fitted = null; }
  at = Math.min(at, events.length - 1);
  drawChart();
  showList(passing);
}

// Sentences of a story that lie between the same two others are one line with a count.
function gatherBounded() {
  const lines = new Map();
  events = events.filter((event) => {
    if (!event.bounded) return true;
    const key = `${find(event.id)?.story.id} ${event.start} ${event.end}`, first = lines.get(key);
    if (first) { first.count += 1; return false; }
    lines.set(key, Object.assign(event, { count: 1 }));
    return true;
  });
}

function fit(all = false) {
  const dated = events.filter((event) => !event.bounded || all);
  const starts = dated.map((event) => event.start).sort((a, b) => a - b);
  if (!starts.length) return;
  const cut = all ? 0 : Math.floor(starts.length * 0.06);  // a date long before would press the rest together
  const low = starts[cut], high = Math.max(...dated.filter((event) => event.start <= starts[starts.length - 1 - cut]).map((event) => Math.min(event.end, event.start + (all ? Infinity : 60 * 86400000))));
  const room = Math.max((high - low) * 0.04, 30 * MINUTE);
  view = { start: low - room, end: high + room };
}
function zoom(factor, around) {
  if (!view) return;
  if (around === undefined || around < view.start || around > view.end) around = nearest((view.start + view.end) / 2);
  const length = Math.min(Math.max((view.end - view.start) * factor, 20 * MINUTE), 3000 * YEAR);
  const share = (around - view.start) / (view.end - view.start);
  view = { start: around - share * length, end: around + (1 - share) * length };
  drawChart();
}
function nearest(time) {  // in view, so that zooming in keeps something in it
  const seen = events.filter((event) => !event.bounded && event.start >= view.start && event.start <= view.end).map((event) => event.start);
  return seen.reduce((best, start) => (Math.abs(start - time) < Math.abs(best - time) ? start : best), seen[0] ?? time);
}
function pan(share) {
  if (!view) return;
  const by = (view.end - view.start) * share;
  view = { start: view.start + by, end: view.end + by };
  drawChart();
}

function drawChart() {
  const host = $("chart");
  host.hidden = !events.length;
  $("chart-tools").hidden = !events.length;
  if (!events.length || !view) { host.replaceChildren(); return; }
  const width = Math.max(320, host.clientWidth || 800), left = width < 560 ? 34 : LABEL, scale = (width - left - 8) / (view.end - view.start);
  const x = (time) => left + (time - view.start) * scale;
  const stories = state.model.stories.filter((story) => events.some((event) => find(event.id)?.story.id === story.id));
  const drawing = svg("svg", { width, role: "group", "aria-label": "Timeline chart" });
  let top = TOP;
  const lanes = [];
  for (const story of stories) {
    const own = events.map((event, index) => ({ event, index })).filter(({ event }) => find(event.id)?.story.id === story.id);
    const rows = [];  // the right edge of each row, in pixels
    const marks = [];
    const crowded = [];
    let earlier = 0, later = 0;
    for (const { event, index } of own) {
      if (event.end < view.start) { earlier += 1; continue; }
      if (event.start > view.end) { later += 1; continue; }
      const from = Math.max(x(event.start), left), to = Math.max(Math.min(x(event.end), width - 4), from + LEAST);
      let row = rows.findIndex((edge) => edge + 3 <= from);
      if (row < 0) row = rows.length;
      if (row >= ROWS && index !== at) {  // no room: counted, and seen when zoomed in
        if (!crowded.length || from - crowded.at(-1).from >= CLUSTER) crowded.push({ from, count: 0, time: event.start });
        crowded.at(-1).count += 1;
        continue;
      }
      rows[row] = to + (event.count > 1 ? COUNT : 0);
      marks.push({ event, index, from, to, row });
    }
    const height = (Math.max(2, rows.length) + (crowded.length ? 1 : 0)) * ROW + 8;
    lanes.push({ story, marks, top, height, earlier, later, crowded, last: rows.length });
    top += height;
  }
  // The keyboard reaches one event, from which the arrows go on: the chosen one, or the first that is drawn.
  const drawn = lanes.flatMap((lane) => lane.marks.map((mark) => mark.index));
  const reachable = drawn.includes(at) ? at : Math.min(...drawn);
  drawing.setAttribute("height", String(top + 6));
  for (const tick of ticks(view.start, view.end, Math.max(2, (width - left) / 110))) {
    drawing.append(svg("line", { class: "grid", x1: x(tick.at), x2: x(tick.at), y1: TOP - 6, y2: top }));
    if (x(tick.at) + 7 * tick.label.length < width) drawing.append(svg("text", { class: "faint", x: x(tick.at) + 3, y: 14 }, tick.label));
  }
  for (const lane of lanes) {
    const group = tint(svg("g", { class: "lane" }), lane.story.id);
    group.append(svg("line", { class: "grid", x1: 0, x2: width, y1: lane.top + lane.height, y2: lane.top + lane.height }));
    const title = svg("text", { class: "title", x: 4, y: lane.top + 14 }, width < 560 ? String(lane.story.id) : shortened(`${lane.story.id} ${lane.story.title}`, 21));
    title.append(svg("title", {}, lane.story.title));
    group.append(title);
    if (lane.earlier) group.append(svg("text", { class: "faint", x: 4, y: lane.top + 30 }, left < LABEL ? `◂${lane.earlier}` : `◂ ${lane.earlier} earlier`));
    if (lane.later) group.append(svg("text", { class: "faint", x: width - 6, y: lane.top + lane.height - 4, "text-anchor": "end" }, `${lane.later} later ▸`));
    for (const mark of lane.marks) group.append(markNode(mark, lane.top, width, mark.index === reachable));
    for (const cluster of lane.crowded) group.append(clusterNode(cluster, lane.top + 4 + lane.last * ROW, width));
    drawing.append(group);
  }
  const held = host.contains(document.activeElement);
  host.tabIndex = drawn.length ? -1 : 0;
  host.replaceChildren(drawing);
  if (held) (host.querySelector(`[data-event="${at}"]`) ?? host.querySelector(".event") ?? host).focus({ preventScroll: true });
  $("chart-span").textContent = `${spoken(view.start, view.end)} – ${spoken(view.end, view.start)}`;
}
function clusterNode({ from, count, time }, y, width) {
  const node = svg("text", { class: "cluster", x: Math.min(from, width - COUNT), y: y + 11, role: "button", tabindex: "-1", "aria-label": `${count} more events; zoom in` }, `+${count}`);
  node.addEventListener("click", () => zoom(0.25, time));
  return node;
}
function markNode({ event, index, from, to, row }, top, width, reachable) {
  const { sentence, story } = find(event.id);
  const guessed = event.guessed || !event.sure;
  const y = top + 4 + row * ROW;
  const kind = event.bounded ? "bounded" : guessed ? "guessed" : "told";
  const group = svg("g", { class: `event ${kind}${index === at ? " at" : ""}`, role: "button", tabindex: reachable ? "0" : "-1", "data-event": index, "aria-label": `${event.when}${guessed ? ", uncertain" : ""}: story ${story.id}, ${shortened(sentence.text, 160)}` });
  if (event.bounded && event.count > 1) group.append(svg("text", { class: "faint", x: Math.min(to + 4, width - COUNT), y: y + 11 }, `×${event.count}`));
  group.append(svg("title", {}, `${event.when}${guessed ? " (uncertain)" : ""}\n${sentence.text}`));
  group.append(svg("rect", { class: "reach", x: from - 3, y: y - 2, width: to - from + 6, height: ROW }));
  if (event.bounded) group.append(svg("line", { class: "bar", x1: from, x2: to, y1: y + 7, y2: y + 7 }));
  else if (event.start === event.end) group.append(svg("circle", { class: "bar", cx: from + 4, cy: y + 7, r: 5.5 }));
  else group.append(svg("rect", { class: "bar", x: from, y: y + 1, width: to - from, height: 12, rx: 5 }));
  group.addEventListener("focus", () => { at = index; });
  group.addEventListener("click", () => { at = index; emit("read", { id: event.id, focus: false }); drawChart(); });
  return group;
}

$("chart").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const around = events[at]?.start;
  if (event.key === "+" || event.key === "=") zoom(0.6, around);
  else if (event.key === "-") zoom(1 / 0.6, around);
  else if (event.key === "0") { fit(true); drawChart(); }
  else if (step && event.shiftKey) pan(step * 0.25);
  else if (step || event.key === "Home" || event.key === "End") go(event.key === "Home" ? 0 : event.key === "End" ? events.length - 1 : Math.min(Math.max(at + step, 0), events.length - 1));
  else if (event.key === "Enter" || event.key === " ") { if (events[at]) emit("read", { id: events[at].id }); }
  else return;
  event.preventDefault();
});
function go(index) {
  at = index;
  const { start, end } = events[at];
  if (start < view.start || Math.min(end, start + 1) > view.end) {
    const half = (view.end - view.start) / 2;
    view = { start: start - half, end: start + half };
  }
  drawChart();
  $("chart").querySelector(`[data-event="${at}"]`)?.focus();
}
$("chart").addEventListener("wheel", (event) => {
  if (!view || !(event.ctrlKey || event.metaKey || event.shiftKey)) return;
  event.preventDefault();
  const box = $("chart").getBoundingClientRect(), left = box.width < 560 ? 34 : LABEL;
  if (event.shiftKey) pan(Math.sign(event.deltaY || event.deltaX) * 0.1);
  else zoom(event.deltaY > 0 ? 1.25 : 0.8, view.start + Math.max(0, (event.clientX - box.left - left) / (box.width - left)) * (view.end - view.start));
}, { passive: false });
let grabbed = null;
$("chart").addEventListener("pointerdown", (event) => { if (view && event.button === 0 && !event.target.closest(".event, .cluster")) { grabbed = { x: event.clientX, ...view }; $("chart").setPointerCapture(event.pointerId); } });
$("chart").addEventListener("pointermove", (event) => {
  if (!grabbed) return;
  const by = (grabbed.x - event.clientX) * (grabbed.end - grabbed.start) / ($("chart").clientWidth - LABEL);
  view = { start: grabbed.start + by, end: grabbed.end + by };
  drawChart();
});
for (const name of ["pointerup", "pointercancel"]) $("chart").addEventListener(name, () => { grabbed = null; });
$("zoom-in").addEventListener("click", () => zoom(0.6));
$("zoom-out").addEventListener("click", () => zoom(1 / 0.6));
$("zoom-fit").addEventListener("click", () => { fit(); drawChart(); });
$("zoom-all").addEventListener("click", () => { fit(true); drawChart(); });
addEventListener("resize", debounced(() => { if (!$("view-time").hidden) drawChart(); }, 120));

// ---- the list under the chart: dated, then undated ---------------------------------------------------
function showList(passing) {
  const dated = state.model.timeline.filter((row) => passing.has(row.id)).map((row) => ({ ...row, key: `t${row.id}`, kind: "dated" }));
  const undated = state.model.undated.events.filter((row) => passing.has(row.id)).map((row) => ({ ...row, key: `u${row.id}`, kind: "undated" }));
  const documents = state.model.undated.documents;
  list.update([
    ...(dated.length ? [] : [{ key: "none", kind: "head", text: "Nothing here says when. Set the day of writing above, or the date of a sentence." }]),
    ...dated,
    ...(undated.length ? [{ key: "undated", kind: "head", text: `Without a date: ${plural(undated.length, "sentence")}` }, ...undated] : []),
    ...(documents.length ? [{ key: "documents", kind: "head", text: `Documents without a date: ${documents.join(", ")}` }] : []),
  ]);
}
function rowNode(row) {
  if (row.kind === "head") return el("div", { role: "listitem", class: "row-head" }, row.text);
  const { sentence, story } = find(row.id);
  const when = row.kind === "dated" ? `${row.guessed ? "~" : ""}${row.when}` : row.after && row.before ? `${written(row.after)} … ${written(row.before)}` : row.after ? `after ${written(row.after)}` : row.before ? `before ${written(row.before)}` : "unknown";
  return tint(el("div", { role: "listitem", class: `time-row ${row.kind}` },
    el("time", {}, when), el("b", {}, String(story.id)),
    el("div", {}, el("button", { type: "button", class: "quote", onclick: () => emit("read", { id: row.id }) }, sentence.text), row.reason ? el("small", {}, row.reason) : null),
    el("button", { type: "button", class: "quiet", "aria-label": `Set the date of sentence ${sentence.position} of story ${story.id}`, onclick: () => askDate(row.id) }, "Date …")), story.id);
}

// A year that is typed is a date at every digit; those before 1000 are not valid here.
const setAnchor = guarded(async () => {
  const anchor = $("anchor").value || null;
  if (!state.meta || !$("anchor").checkValidity() || anchor === (state.meta.anchor ?? null)) return;
  refit = true;
  await edit({ anchor });
});
const setAnchorLater = debounced(() => setAnchor(), 300);
$("anchor").addEventListener("change", () => setAnchorLater());
$("anchor").addEventListener("blur", () => setAnchor());
$("anchor").addEventListener("keydown", (event) => { if (event.key === "Enter") setAnchor(); });
