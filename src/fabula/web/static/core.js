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
export const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
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
  return parsed(await (await answered(path, options)).text());
}
async function answered(path, options) {
  let answer;
  try { answer = await fetch(path, options); }
  catch { throw new Error("The server does not answer. Is fabula serve still running?"); }
  if (answer.ok) return answer;
  const text = await answer.text(), data = parsed(text);
  throw Object.assign(new Error(data?.error ?? (typeof data?.detail === "string" ? data.detail : text.slice(0, 300))), { status: answer.status });
}
function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }  // a plain line
}
// A file from the server, saved under the name that the server gives it.
export async function save(path) {
  const answer = await answered(path, { headers: { "X-Fabula": "1" } });
  const [, name] = answer.headers.get("Content-Disposition").match(/filename\*=UTF-8''([^;]+)/);
  const link = el("a", { href: URL.createObjectURL(await answer.blob()), download: decodeURIComponent(name) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export function warn(message) {
  $("alert-text").textContent = message ?? "";
  $("alert").hidden = !message;
}
export function announce(message) { $("announce").textContent = message; }

// Handlers whose failures are shown to the user. What the user does takes the last message away;
// what the page does by itself (quiet) leaves it to be read.
export const guarded = (work) => async (event) => {
  event?.preventDefault?.();
  warn("");
  return quiet(work)(event);
};
export const quiet = (work) => async (...given) => {
  try { return await work(...given); } catch (error) { warn(error.message); return undefined; }
};
// A handler that takes nothing new while it works: a second click makes no second case.
export const once = (button, work) => async (event) => {
  event?.preventDefault?.();
  if (button.disabled) return;
  button.disabled = true;
  try { await guarded(work)(event); } finally { button.disabled = false; }
};

// Replaces nodes of a host; what had the focus has it again: by the key of its row and its place there.
const CONTROLS = "button, a, input, select, textarea, summary";
const controls = (row) => [...row.querySelectorAll(CONTROLS)];
export function keepingFocus(host, work) {
  const held = document.activeElement, inside = held !== host && host.contains(held);
  const row = inside ? held.closest("[data-key]") : null, at = row ? controls(row).indexOf(held) : -1;
  work();
  if (!inside || held.isConnected) return;
  const again = row && [host, ...host.querySelectorAll("[data-key]")].find((other) => other.dataset.key === row.dataset.key);
  ((again && controls(again)[at]) ?? host.closest("[tabindex]"))?.focus({ preventScroll: true });
}

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
