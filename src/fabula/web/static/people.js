// Actors: who is in the case, in which stories, and who does what.
import { $, el, emit, keepingFocus, plural, svg, tint } from "./core.js";
import { askMerge, askRename, askSplit } from "./corrections.js";
import { filters } from "./filters.js";
import { find, people, state } from "./model.js";

const STEP = 96, LANE = 46, TOP = 30, LEFT = 150;

export function showPeople() {
  const all = people(), names = all.map((one) => one.name);
  keepingFocus($("people-list"), () => $("people-list").replaceChildren(...all.map((one) => el("li", { "data-key": one.name },
    el("button", { type: "button", class: "link name", "aria-pressed": String(filters.person === one.name), onclick: () => { emit("filter", { person: filters.person === one.name ? "" : one.name }); emit("view", "stories"); } }, one.name),
    el("span", { class: "hint" }, ` ${plural(one.ids.size, "sentence")}, `, ...[...one.stories].map((number) => tint(el("span", { class: "dot-label" }, `story ${number} `), number))),
    el("span", { class: "row" }, el("button", { type: "button", "aria-label": `Rename ${one.name}`, onclick: () => askRename(one.name) }, "Rename …"),
      all.length > 1 ? el("button", { type: "button", "aria-label": `Merge ${one.name} with another`, onclick: () => askMerge(one.name, names) }, "Merge …") : null,
      one.ids.size > 1 ? el("button", { type: "button", "aria-label": `Split ${one.name} in two`, onclick: () => askSplit(one.name, [...one.ids]) }, "Split …") : null)))));
  if (!all.length) $("people-list").append(el("li", { class: "hint" }, "Nobody is named."));
  const open = new Set([...$("graphs").querySelectorAll("details[open]")].map((box) => box.dataset.key));
  keepingFocus($("graphs"), () => $("graphs").replaceChildren(...(state.model?.stories ?? []).map((story) => {
    const box = el("details", { class: "graph", "data-key": story.id }, el("summary", {}, `Who does what in story ${story.id}: ${story.title}`));
    box.addEventListener("toggle", () => {
      if (box.open && box.children.length === 1) {
        const drawing = eventGraph(story);
        box.append(drawing ? el("div", { class: "graph-scroll", tabindex: "0", role: "region", "aria-label": `Event graph of story ${story.id}` }, drawing) : el("p", { class: "hint" }, "No named actor does anything here."));
      }
    });
    box.open = open.has(String(story.id));
    return tint(box, story.id);
  })));
}

// A lane for each actor who does something, a dot for each deed, a tie where a deed joins two actors.
function eventGraph(story) {
  const last = (name) => name.split(" ").pop().toLowerCase();
  const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}'-]+/u);
  const doing = (name) => story.events.some((deed) => wordsOf(`${deed.subject} ${deed.object}`).includes(last(name)));
  const actors = story.actors.map((actor) => actor.name).filter(doing);
  const lanes = actors.map(last);
  const laneOf = (said) => { const words = wordsOf(said); return lanes.findIndex((lane) => words.includes(lane)); };
  const deeds = story.events.map((deed) => ({ deed, who: laneOf(deed.subject), whom: laneOf(deed.object) })).filter(({ who, whom }) => who >= 0 || whom >= 0);
  if (!deeds.length) return null;
  const width = LEFT + deeds.length * STEP + 40, height = TOP + actors.length * LANE + 10;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": `Who does what in story ${story.id}` });
  const y = (row) => TOP + row * LANE + 18;
  actors.forEach((name, row) => {
    drawing.append(svg("line", { class: "lane", x1: LEFT - 10, x2: width, y1: y(row), y2: y(row) }), svg("text", { x: 4, y: y(row) + 4 }, name.length > 20 ? `${name.slice(0, 19)}…` : name));
  });
  deeds.forEach(({ deed, who, whom }, place) => {
    const x = LEFT + place * STEP + 30, main = who >= 0 ? who : whom;
    if (who >= 0 && whom >= 0 && who !== whom) drawing.append(svg("line", { class: "tie", x1: x, x2: x, y1: y(who), y2: y(whom), "stroke-width": 3 }), svg("circle", { class: "dot", cx: x, cy: y(whom), r: 4 }));
    const node = svg("g", { class: "deed", role: "button", tabindex: "0", "aria-label": `Sentence ${find(deed.id)?.sentence.position ?? deed.position}: ${deed.subject} ${deed.negated ? "not " : ""}${deed.verb.replaceAll("_", " ")} ${deed.object}` });
    const read = () => emit("read", { id: deed.id });
    node.addEventListener("click", read);
    node.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); read(); } });
    node.append(svg("circle", { class: "dot", cx: x, cy: y(main), r: 6 }));
    const verb = (deed.negated ? "not " : "") + deed.verb.replaceAll("_", " ");
    const text = svg("text", { x, y: y(main) - 11, "text-anchor": "middle" }, verb.length > 14 ? `${verb.slice(0, 13)}…` : verb);
    text.append(svg("title", {}, `${deed.subject} ${verb} ${deed.object}`));
    node.append(text);
    drawing.append(node, svg("text", { class: "faint", x, y: 12, "text-anchor": "middle" }, String(find(deed.id)?.sentence.position ?? deed.position)));
  });
  return drawing;
}
