// A case's answer as the page works on it: references between its parts go by sentence id, so that
// a correction can be applied here at once, before the server has solved the case again.
import { interval, written } from "./edtf.js";

export const state = { pile: null, meta: null, model: null, piles: [], limits: {}, revision: 0, job: null, past: [], future: [] };

export function modelOf(result) {
  const idAt = new Map();
  for (const story of result.stories) for (const sentence of story.sentences) idAt.set(`${story.id}/${sentence.position}`, sentence.id);
  const at = (story, position) => idAt.get(`${story}/${position}`);
  return {
    stories: result.stories.map((story) => ({
      ...story,
      sentences: story.sentences.map((sentence) => ({
        ...sentence,
        repeats: sentence.repeat_of ? at(story.id, sentence.repeat_of) : null,
        replies: sentence.answers ? at(story.id, sentence.answers) : null,
      })),
      actors: story.actors.map((actor) => ({ name: actor.name, ids: actor.positions.map((position) => at(story.id, position)) })),
      events: story.events.map((event) => ({ ...event, id: at(story.id, event.position) })),
    })),
    contradictions: result.contradictions.map((found) => ({ ...found, sides: found.sides.map((side) => ({ ...side, id: at(side.story, side.position) })) })),
    timeline: result.timeline.map((row) => ({ ...row, id: at(row.story, row.position) })),
    undated: { documents: result.undated.documents, events: result.undated.events.map((row) => ({ ...row, id: at(row.story, row.position) })) },
    notes: result.notes, numbers: result.numbers ?? [], aside: result.aside ?? [], changes: result.changes ?? [],
  };
}

// Where each sentence stands now; computed once for a model.
const indexes = new WeakMap();
export function places(model = state.model) {
  if (!model) return new Map();
  let index = indexes.get(model);
  if (!index) {
    index = new Map();
    for (const story of model.stories) story.sentences.forEach((sentence, place) => index.set(sentence.id, { story, sentence, place }));
    indexes.set(model, index);
  }
  return index;
}
export const find = (id) => places().get(id);
export const storyOf = (number) => state.model?.stories.find((story) => story.id === number);

// Judgements and notes are kept in the corrections; the last one of a pair or sentence holds.
const pairKey = (ids) => [...ids].sort().join(" ");
export function judgements(corrections = state.meta?.corrections ?? []) {
  const judged = new Map();
  for (const entry of corrections) {
    if (!["accept", "dismiss", "reopen"].includes(entry.do)) continue;
    if (entry.do === "reopen") judged.delete(pairKey(entry.sentences));
    else judged.set(pairKey(entry.sentences), entry);
  }
  return judged;
}
export const judgementOf = (found, judged = judgements()) => judged.get(pairKey(found.sides.map((side) => side.id)));
export function notesOf(ids, corrections = state.meta?.corrections ?? []) {
  const key = pairKey(ids);
  return corrections.filter((entry) => entry.note && entry.sentences && pairKey(entry.sentences) === key).map((entry) => entry.note);
}
export function disagreementsOf(id) {
  return (state.model?.contradictions ?? []).filter((found) => found.sides.some((side) => side.id === id));
}

// Who is spoken of and who writes, with all their sentences; by the names that the user gave them.
export function people(model = state.model, corrections = state.meta?.corrections ?? []) {
  const known = new Map();
  const add = (name, story, ids) => {
    const one = known.get(name) ?? { name, ids: new Set(), stories: new Set() };
    for (const id of ids) one.ids.add(id);
    one.stories.add(story.id);
    known.set(name, one);
  };
  const renamings = corrections.filter((entry) => entry.do === "rename-actor" || entry.do === "join-actors");
  const called = (name) => renamings.reduce((now, entry) => (entry.actor === now ? entry.name : entry.actors?.includes(now) ? entry.actors[0] : now), name);
  for (const story of model?.stories ?? []) {
    for (const actor of story.actors) add(actor.name, story, actor.ids);
    for (const sentence of story.sentences) if (sentence.sender) add(called(sentence.sender), story, [sentence.id]);
  }
  return [...known.values()].sort((a, b) => b.ids.size - a.ids.size || a.name.localeCompare(b.name));
}

// ---- a correction, applied here as the server will apply it, but for what else it moves ----------
const APPLY = {
  move(model, { sentence: id, to, after, ...rest }) {
    const from = places(model).get(id);
    if (!from) return model;
    const moved = { ...from.sentence, fixed: true, probability: 1, repeats: null };
    const number = to === "new" ? Math.max(0, ...model.stories.map((story) => story.id)) + 1 : to;
    let stories = model.stories.map((story) => (story.id === from.story.id ? { ...story, sentences: story.sentences.filter((s) => s.id !== id) } : story));
    if (!stories.some((story) => story.id === number)) stories.push(emptyStory(number));
    stories = stories.map((story) => {
      if (story.id !== number) return story;
      const list = story.sentences;
      const at = after === null ? 0 : after !== undefined ? list.findIndex((s) => s.id === after) + 1
        : rest.position ? rest.position - 1 : from.story.id === number ? from.place : list.length;
      return { ...story, sentences: [...list.slice(0, at), moved, ...list.slice(at)] };
    });
    return settled(model, stories);
  },
  join(model, { stories: [first, ...others] }) {
    const joined = model.stories.filter((story) => others.includes(story.id));
    const stories = model.stories.filter((story) => !others.includes(story.id)).map((story) => (story.id !== first ? story : {
      ...story,
      sentences: [...story.sentences, ...joined.flatMap((other) => other.sentences)],
      actors: [...story.actors, ...joined.flatMap((other) => other.actors)],
      events: [...story.events, ...joined.flatMap((other) => other.events)],
    }));
    return settled(model, stories);
  },
  split(model, { story: number, sentences: ids }) {
    const chosen = new Set(ids), next = Math.max(...model.stories.map((story) => story.id)) + 1;
    const taken = model.stories.find((story) => story.id === number)?.sentences.filter((s) => chosen.has(s.id)) ?? [];
    const stories = model.stories.map((story) => (story.id === number ? { ...story, sentences: story.sentences.filter((s) => !chosen.has(s.id)) } : story));
    return settled(model, [...stories, { ...emptyStory(next), sentences: taken.map((s) => ({ ...s, fixed: true })) }]);
  },
  lock(model, { story: number, sentence: id }) {
    if (number) return { ...model, stories: model.stories.map((story) => (story.id === number ? { ...story, locked: true } : story)) };
    return withSentence(model, id, (sentence) => ({ ...sentence, fixed: true, probability: 1 }));
  },
  title: (model, { story: number, title }) => ({ ...model, stories: model.stories.map((story) => (story.id === number ? { ...story, title } : story)) }),
  date(model, { sentence: id, date }) {
    const place = places(model).get(id);
    if (!place) return model;
    const changed = byDate(withSentence(model, id, (sentence) => ({ ...sentence, when: date })), id);
    const rest = model.timeline.filter((row) => row.id !== id);
    const row = { id, story: place.story.id, when: written(date), date, guessed: false, source: "told", reason: "set by you" };
    return {
      ...changed,
      timeline: date ? [...rest, row].sort((a, b) => ((a.date ?? "9") < (b.date ?? "9") ? -1 : 1)) : rest,
      undated: { ...model.undated, events: model.undated.events.filter((event) => event.id !== id) },
    };
  },
  "rename-actor": (model, { actor, name }) => renamed(model, [actor], name),
  "join-actors": (model, { actors }) => renamed(model, actors, actors[0]),
  "split-actor"(model, { actor: name, name: other, sentences: ids }) {
    const chosen = new Set(ids);
    const split = (actor) => [{ ...actor, ids: actor.ids.filter((id) => !chosen.has(id)) }, { name: other, ids: actor.ids.filter((id) => chosen.has(id)) }];
    return { ...model, stories: model.stories.map((story) => ({ ...story, actors: story.actors.flatMap((actor) => (actor.name === name ? split(actor) : actor)).filter((actor) => actor.ids.length) })) };
  },
};
// A sentence whose date was set goes where the fewest others speak against it, of equal places to
// the nearest; a message stays where it was sent. (As place_by_date of fabula.assembly.solve.)
function byDate(model, id) {
  const { story, sentence, place: stood } = places(model).get(id);
  const own = interval(sentence.when);
  if (!own || (sentence.message !== null && sentence.message !== undefined)) return model;
  const rest = story.sentences.filter((other) => other.id !== id), spans = rest.map((other) => interval(other.when));
  const ends = (span) => Math.max(span.end, span.start + 1), before = (a, b) => ends(a) <= b.start;
  let wrong = spans.filter((span) => span && before(span, own)).length, best = 0, fewest = [wrong, stood];
  spans.forEach((span, at) => {
    if (span) wrong += before(own, span) - before(span, own);
    const far = Math.abs(at + 1 - stood);
    if (wrong < fewest[0] || (wrong === fewest[0] && far < fewest[1])) { best = at + 1; fewest = [wrong, far]; }
  });
  return settled(model, model.stories.map((other) => (other === story ? { ...story, sentences: [...rest.slice(0, best), sentence, ...rest.slice(best)] } : other)));
}
const emptyStory = (number) => ({ id: number, title: "New story", order_confidence: 1, locked: false, sentences: [], actors: [], events: [] });
const withSentence = (model, id, change) => ({
  ...model,
  stories: model.stories.map((story) => (story.sentences.some((s) => s.id === id)
    ? { ...story, sentences: story.sentences.map((s) => (s.id === id ? change(s) : s)) } : story)),
});
function renamed(model, names, name) {
  const given = new Set(names.map((one) => one.toLowerCase()));
  return {
    ...model,
    stories: model.stories.map((story) => {
      const same = story.actors.filter((actor) => given.has(actor.name.toLowerCase()));
      if (!same.length) return story;
      const ids = [...new Set(same.flatMap((actor) => actor.ids))];
      return { ...story, actors: [{ name, ids }, ...story.actors.filter((actor) => !same.includes(actor))] };
    }),
  };
}
function settled(model, stories) {  // positions anew; nothing is in an empty story
  return {
    ...model,
    stories: stories.filter((story) => story.sentences.length).map((story) => (
      story.sentences.every((sentence, place) => sentence.position === place + 1) ? story
        : { ...story, sentences: story.sentences.map((sentence, place) => (sentence.position === place + 1 ? sentence : { ...sentence, position: place + 1 })) })),
  };
}
// The model without documents that are removed, until the server has solved the rest again.
export function withoutDocuments(model, documents) {
  const gone = new Set();
  const stories = model.stories.map((story) => ({ ...story, sentences: story.sentences.filter((sentence) => !documents.has(sentence.document) || !gone.add(sentence.id))
    .map((sentence) => ({ ...sentence, also_in: sentence.also_in.filter((copy) => !documents.has(copy.document)) })) }));
  const stays = (row) => !gone.has(row.id);
  return settled({
    ...model, contradictions: model.contradictions.filter((found) => found.sides.every(stays)), timeline: model.timeline.filter(stays),
    undated: { documents: model.undated.documents.filter((name) => !documents.has(name)), events: model.undated.events.filter(stays) }, aside: [], changes: [],
  }, stories.map((story) => ({
    ...story, events: story.events.filter(stays), sentences: story.sentences.map((sentence) => (gone.has(sentence.repeats) ? { ...sentence, repeats: null } : sentence)),
    actors: story.actors.map((actor) => ({ ...actor, ids: actor.ids.filter((id) => !gone.has(id)) })).filter((actor) => actor.ids.length),
  })));
}
export const applied = (model, correction) => (APPLY[correction.do] ? APPLY[correction.do](model, correction) : model);
