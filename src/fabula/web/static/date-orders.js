// In which order chats write their dates (3/4/21): stated, and switched file by file.
import { $, el, guarded, keepingFocus, on } from "./core.js";
import { edit } from "./corrections.js";
import { spoken } from "./edtf.js";
import { state } from "./model.js";

const NAMES = { dmy: "day first", mdy: "month first", ymd: "year first", ydm: "year, day, month" };
const fileOf = (upload) => upload.slice(upload.indexOf("-") + 1);
const day = (iso) => spoken(Date.parse(`${iso}T00:00Z`));
const readAs = ({ written, days }, order) => (days[order] ? `${written} is ${day(days[order])}` : `${written} is no date`);

// How the dates of a file are read now: {order, given, written, days, doubt}, or nothing where they have one reading.
export function orderOf(upload) {
  const known = state.meta?.chats?.[upload];
  if (!known) return null;
  const given = state.meta.date_orders?.[upload];
  return given ? { ...known, order: given, given: true, doubt: "" } : known.given ? { ...known, given: false, waiting: true, doubt: "" } : known;
}
const setOrder = (upload, order) => guarded(async () => {
  const orders = { ...state.meta.date_orders };
  if (order) orders[upload] = order; else delete orders[upload];
  await edit({ date_orders: orders });
})();

// The line of a chat in the list of documents: what is assumed, and a choice.
export function orderLine(upload) {
  const known = orderOf(upload);
  if (!known) return null;
  const options = Object.keys(NAMES).filter((order) => known.days[order] || order === known.order);
  const select = el("select", { "aria-label": `Order of the dates in ${fileOf(upload)}`, onchange: (event) => setOrder(upload, event.target.value) },
    el("option", { value: "", selected: !known.given }, known.given || known.waiting ? "as the file says" : `as the file says: ${NAMES[known.order]}`),
    ...options.map((order) => el("option", { value: order, selected: known.given && order === known.order }, `${NAMES[order]}: ${readAs(known, order)}`)));
  return el("small", { class: "order-line" }, known.waiting ? "Dates are read as the file says. " : `Dates are read ${NAMES[known.order]}${known.given ? ", as you say" : ""}: ${readAs(known, known.order)}. ${known.doubt ? `${known.doubt}. ` : ""}`, select);
}

// Above every view: what was guessed, until the user has said yes or no.
export function showOrders() {
  const guesses = Object.keys(state.meta?.chats ?? {}).filter((upload) => orderOf(upload)?.doubt);
  keepingFocus($("orders"), () => $("orders").replaceChildren(...guesses.map((upload) => {
    const known = orderOf(upload);
    const others = Object.keys(known.days).filter((order) => order !== known.order && known.days[order] !== known.days[known.order]);
    return el("li", { "data-key": upload }, el("span", {}, el("strong", {}, fileOf(upload)), `: dates are read ${NAMES[known.order]}, ${readAs(known, known.order)}. ${known.doubt}.`),
      el("span", { class: "row" }, el("button", { type: "button", onclick: () => setOrder(upload, known.order) }, "That is right"),
        ...others.map((order) => el("button", { type: "button", onclick: () => setOrder(upload, order) }, `No, ${NAMES[order]}: ${day(known.days[order])}`))));
  })));
  $("orders").hidden = !guesses.length;
}
on("changed", showOrders);
