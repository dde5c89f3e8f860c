// Menus that close themselves, and one dialog for all questions.
import { $, el } from "./core.js";

let open = null;
export function closePopup(refocus = false) {
  if (!open) return;
  open.box.remove();
  open.anchor.setAttribute("aria-expanded", "false");
  if (refocus) open.anchor.focus();
  open = null;
}

// items: {label, run}, with the address of what it saves as href; null is a line between groups.
export function popup(anchor, items, label) {
  const again = open?.anchor === anchor;
  closePopup();
  if (again) return;
  const box = el("div", { class: "popup", role: "menu", "aria-label": label });
  for (const item of items.filter((one) => one !== undefined && one !== false)) {
    if (item === null) { box.append(el("hr", { role: "separator" })); continue; }
    const node = item.href
      ? el("a", { role: "menuitem", tabindex: "-1", href: item.href, onclick: (event) => { event.preventDefault(); closePopup(true); item.run(); } }, item.label)
      : el("button", { role: "menuitem", tabindex: "-1", type: "button", disabled: item.disabled, onclick: () => { closePopup(true); item.run(); } }, item.label, item.keys ? el("kbd", { "aria-hidden": "true" }, item.keys) : null);
    box.append(node);
  }
  document.body.append(box);
  const at = anchor.getBoundingClientRect(), own = box.getBoundingClientRect();
  const below = at.bottom + own.height + 4 < innerHeight || at.top < innerHeight / 2;
  box.style.top = `${Math.max(4, below ? Math.min(at.bottom + 4, innerHeight - own.height - 4) : at.top - own.height - 4)}px`;
  box.style.left = `${Math.max(4, Math.min(at.right - own.width, innerWidth - own.width - 4))}px`;
  anchor.setAttribute("aria-haspopup", "menu");
  anchor.setAttribute("aria-expanded", "true");
  open = { box, anchor };
  const entries = [...box.querySelectorAll("[role=menuitem]:not(:disabled)")];
  entries[0]?.focus();
  box.addEventListener("keydown", (event) => {
    const now = entries.indexOf(document.activeElement);
    const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (next !== undefined) { event.preventDefault(); entries[(next + entries.length) % entries.length]?.focus(); }
    if (event.key === "Escape" || event.key === "Tab") { event.preventDefault(); event.stopPropagation(); closePopup(true); }
  });
}
addEventListener("pointerdown", (event) => { if (open && !open.box.contains(event.target) && !open.anchor.contains(event.target)) closePopup(); }, true);
addEventListener("resize", () => closePopup());

// A question: the values of its fields and the action chosen, or null if it was closed.
export function question({ title, text, fields = [], actions = [["ok", "Save"]], danger = false }) {
  closePopup();
  const dialog = $("dialog");
  const inputs = fields.map(({ name, label, type = "text", value = "", options, onchange, ...rest }) => {
    const input = options ? el("select", { name, id: `field-${name}`, ...rest }) : type === "long" ? el("textarea", { name, id: `field-${name}`, rows: 4, ...rest })
      : el("input", { name, id: `field-${name}`, type, ...rest });
    if (options) fillSelect(input, options, value);  // with "multiple", the answer is a list
    else input.value = value;
    return { name, input, onchange, node: el("label", { for: `field-${name}` }, label, input) };
  });
  const byName = Object.fromEntries(inputs.map(({ name, input }) => [name, input]));
  for (const { input, onchange } of inputs) if (onchange) input.addEventListener("change", () => onchange(byName));
  const form = el("form", { method: "dialog" }, el("h2", { id: "dialog-title" }, title), text ? el("p", { class: "quoted" }, text) : null,
    ...inputs.map(({ node }) => node),
    el("div", { class: "row" }, ...actions.map(([value, label], place) => el("button", { value, class: place === 0 ? (danger ? "main danger" : "main") : null }, label)), el("button", { value: "", formnovalidate: true }, "Cancel")));
  dialog.replaceChildren(form);
  dialog.returnValue = "";
  dialog.showModal();
  (inputs[0]?.input ?? form.querySelector("button")).focus();
  return new Promise((done) => {
    dialog.onclose = () => done(dialog.returnValue ? { action: dialog.returnValue, ...Object.fromEntries(Object.entries(byName).map(([name, input]) => [name, input.multiple ? [...input.selectedOptions].map((option) => option.value) : input.value])) } : null);
  });
}
export function fillSelect(select, options, value) {
  select.replaceChildren(...options.map(([key, label]) => el("option", { value: key, selected: String(key) === String(value) }, label)));
}
