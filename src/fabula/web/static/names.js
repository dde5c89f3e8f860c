// The names in a sentence, marked; the ones looked for more so.
import { el, fold } from "./core.js";
import { filters } from "./filters.js";

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const patterns = new WeakMap();

// The actors of a story as one pattern: whole names, and last names where they are capitalised.
function patternOf(story) {
  let known = patterns.get(story.actors);
  if (known === undefined) {
    const forms = new Map();
    for (const actor of story.actors) {
      const last = actor.name.split(" ").at(-1);
      for (const form of [actor.name, /^\p{Lu}/u.test(last) && last.length > 2 ? last : null]) if (form && !forms.has(form)) forms.set(form, actor.name);
    }
    const sorted = [...forms.keys()].sort((a, b) => b.length - a.length);
    known = sorted.length ? { forms, regex: new RegExp(`(?<![\\p{L}\\p{N}])(?:${sorted.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, "gu") } : null;
    patterns.set(story.actors, known);
  }
  return known;
}

export function marked(sentence, story) {
  const long = filters.words.filter((word) => word.length > 3);  // "the" would be marked everywhere
  const words = long.length ? long : filters.words;
  const found = [];  // [start, end, class, title], not overlapping, the words looked for first
  const free = (start, end) => found.every(([a, b]) => end <= a || start >= b);
  if (words.length) {
    const text = fold(sentence.text);
    if (text.length === sentence.text.length) for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) if (!/[\p{L}\p{N}]/u.test(text[at - 1] ?? "") && free(at, at + word.length)) found.push([at, at + word.length, "hit"]);
    }
  }
  const pattern = patternOf(story);
  if (pattern) for (const match of sentence.text.matchAll(pattern.regex)) {
    const end = match.index + match[0].length, name = pattern.forms.get(match[0]);
    if (free(match.index, end)) found.push([match.index, end, name === filters.person ? "name chosen" : "name", name]);
  }
  if (!found.length) return [sentence.text];
  found.sort((a, b) => a[0] - b[0]);
  const parts = [];
  let at = 0;
  for (const [start, end, kind, title] of found) {
    if (start > at) parts.push(sentence.text.slice(at, start));
    parts.push(el(kind === "hit" ? "mark" : "span", { class: kind, title: title && title !== sentence.text.slice(start, end) ? title : null }, sentence.text.slice(start, end)));
    at = end;
  }
  if (at < sentence.text.length) parts.push(sentence.text.slice(at));
  return parts;
}
