"use strict";
// The event graph of a story: a lane for each main actor, a dot for each deed, a tie where a deed
// joins two actors. Text goes in as text, never as markup.
function eventGraph(story) {
  const NS = "http://www.w3.org/2000/svg";
  const make = (name, attributes, text) => {
    const node = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const last = (name) => name.split(" ").pop().toLowerCase();
  const doing = (name) => story.events.some((deed) => `${deed.subject} ${deed.object}`.toLowerCase().split(/[^\p{L}\p{N}'-]+/u).includes(last(name)));
  const actors = story.actors.map((actor) => actor.name).filter(doing).slice(0, 6);
  const lanes = actors.map(last);
  const laneOf = (said) => {
    const words = said.toLowerCase().split(/[^\p{L}\p{N}'-]+/u);
    return lanes.findIndex((lane) => words.includes(lane));
  };
  const deeds = story.events
    .map((deed) => ({ deed, who: laneOf(deed.subject), whom: laneOf(deed.object) }))
    .filter(({ who, whom }) => who >= 0 || whom >= 0);
  if (!deeds.length) return null;
  const left = 130, step = 86, lane = 44, top = 26;
  const width = left + deeds.length * step + 20, height = top + actors.length * lane + 8;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  svg.append(make("title", {}, `Who does what in story ${story.id}`));
  actors.forEach((name, row) => {
    const y = top + row * lane + 14;
    svg.append(make("line", { class: "lane", x1: left - 10, x2: width, y1: y, y2: y }));
    svg.append(make("text", { x: 4, y: y + 4 }, name.length > 17 ? `${name.slice(0, 16)}…` : name));
  });
  deeds.forEach(({ deed, who, whom }, place) => {
    const x = left + place * step + 20, y = (row) => top + row * lane + 14;
    const main = who >= 0 ? who : whom;
    if (who >= 0 && whom >= 0 && who !== whom) {
      svg.append(make("line", { class: "tie", x1: x, x2: x, y1: y(who), y2: y(whom), "stroke-width": 3 }));
      svg.append(make("circle", { class: "dot", cx: x, cy: y(whom), r: 4 }));
    }
    svg.append(make("circle", { class: "dot", cx: x, cy: y(main), r: 6 }));
    const verb = (deed.negated ? "not " : "") + deed.verb.replaceAll("_", " ");
    svg.append(make("text", { x: x - 12, y: y(main) - 10 }, verb.length > 12 ? `${verb.slice(0, 11)}…` : verb));
    const whole = make("title", {}, `${deed.subject} ${verb} ${deed.object} (sentence ${deed.position})`);
    svg.lastChild.append(whole);
    svg.append(make("text", { class: "faint", x: x - 3, y: 12 }, String(deed.position)));
  });
  return svg;
}
