// What every module needs: elements, requests, events, storage. Text goes in as text, never as markup.
export const $ = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";
export function svg(tag, attributes = {}, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

// Colours of stories: hues as far apart as their number allows, in an order that never changes.
export const tint = (node, number) => {
  node.style.setProperty("--hue", String((number * 137 + 60) % 360));
  return node;
};

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
export const percent = (share) => `${Math.round(100 * share)} %`;
export const wait = (ms) => new Promise((done) => setTimeout(done, ms));
export const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text);

export async function ask(path, method = "GET", body) {
  const options = { method, headers: { "X-Fabula": "1" } };
  if (body instanceof Blob) {
    options.headers["Content-Type"] = "application/zip";
    options.body = body;
  } else if (method !== "GET") {
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

export function warn(message) {
  $("alert-text").textContent = message ?? "";
  $("alert").hidden = !message;
}
export function announce(message) { $("announce").textContent = message; }

// Handlers whose failures are shown to the user.
export const guarded = (work) => async (event) => {
  event?.preventDefault?.();
  try { warn(""); await work(event); } catch (error) { warn(error.message); }
};

export const stored = (key, value) => {
  try { if (value !== undefined) localStorage.setItem(key, value); return localStorage.getItem(key); }
  catch { return null; }
};

// Modules tell each other what happened by name, so that none has to import those above it.
const listeners = new Map();
export const on = (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]);
export const emit = (name, detail) => { for (const listener of listeners.get(name) ?? []) listener(detail); };

export const debounced = (work, ms) => {
  let timer;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => work(...given), ms); };
};

const folded = new Map();
export function fold(text) {  // lower case, without accents: for finding words
  let known = folded.get(text);
  if (known === undefined) {
    known = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    if (folded.size > 20000) folded.clear();
    folded.set(text, known);
  }
  return known;
}
