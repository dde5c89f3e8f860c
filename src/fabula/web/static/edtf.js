// Dates in EDTF as intervals of milliseconds: 2024, 2024-03?, 2024-03-05T21:00, 199X, a/b.
const DAY = 86400000;

function span(text) {
  const sure = !/[?~%]/.test(text);
  const clean = text.replace(/[?~%]/g, "");
  const match = clean.match(/^(-?\d{1,4})([Xx]*)(?:-(\d\d|XX)(?:-(\d\d|XX)(?:T(\d\d):(\d\d)(?::\d\d)?)?)?)?/);
  if (!match) return null;
  const [, digits, open, month, day, hour, minute] = match;
  const at = (year, m = 0, d = 1) => { const date = new Date(0); date.setUTCFullYear(year, m, d); return date.getTime(); };
  if (open) {
    const scale = 10 ** open.length, year = Number(digits) * scale;
    return { start: at(year), end: at(year + scale), sure: false, level: "year" };
  }
  const year = Number(digits), m = month && month !== "XX" ? Number(month) - 1 : null, d = day && day !== "XX" ? Number(day) : null;
  if (m === null) return { start: at(year), end: at(year + 1), sure, level: "year" };
  if (m > 11) return seasons(at, year, m + 1, sure);
  if (d === null) return { start: at(year, m), end: at(year, m + 1), sure, level: "month" };
  const start = at(year, m, d);
  if (hour === undefined) return { start, end: start + DAY, sure, level: "day" };
  const time = start + (Number(hour) * 60 + Number(minute)) * 60000;
  return { start: time, end: time, sure, level: "minute" };
}
function seasons(at, year, code, sure) {  // 21 spring, 22 summer, 23 autumn, 24 winter
  const first = { 21: 2, 22: 5, 23: 8, 24: 11 }[code];
  return first === undefined ? null : { start: at(year, first), end: at(year, first + 3), sure, level: "season" };
}
export function interval(edtf) {
  if (!edtf) return null;
  if (!edtf.includes("/")) return span(edtf);
  const [from, to] = edtf.split("/").map((part) => (part && part !== ".." ? span(part) : null));
  if (!from && !to) return null;
  return { start: (from ?? to).start, end: (to ?? from).end, sure: Boolean(from?.sure && to?.sure), level: "interval" };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (number) => String(number).padStart(2, "0");
const STEPS = [
  [5 * 60000, "hm"], [15 * 60000, "hm"], [3600000, "hm"], [3 * 3600000, "hm"], [6 * 3600000, "hm"], [DAY, "d"], [2 * DAY, "d"], [7 * DAY, "d"], [14 * DAY, "d"],
  ["month", 1], ["month", 3], ["year", 1], ["year", 2], ["year", 5], ["year", 10], ["year", 20], ["year", 50], ["year", 100], ["year", 500],
];
const LENGTH = { month: 30.4 * DAY, year: 365.25 * DAY };

// Round times between two moments, at most so many, with a label for each.
export function ticks(start, end, most) {
  const step = STEPS.find(([size, count]) => (end - start) / (LENGTH[size] ? LENGTH[size] * count : size) <= most) ?? STEPS.at(-1);
  const found = [], first = new Date(start);
  if (typeof step[0] === "number") {
    const zero = step[0] >= DAY ? Math.ceil(start / step[0]) * step[0] : Math.ceil(start / step[0]) * step[0];
    for (let at = zero; at <= end; at += step[0]) found.push({ at, label: label(at, step[1]) });
  } else {
    const months = step[0] === "month" ? step[1] : 12 * step[1];
    let index = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months) * months;
    for (;; index += months) {
      const date = new Date(0);
      date.setUTCFullYear(Math.floor(index / 12), index % 12, 1);
      if (date.getTime() > end || found.length > 200) break;
      if (date.getTime() >= start) found.push({ at: date.getTime(), label: step[0] === "year" ? String(date.getUTCFullYear()) : `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}` });
    }
  }
  return found;
}
function label(at, kind) {
  const date = new Date(at), day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  if (kind === "d") return `${day} ${date.getUTCFullYear()}`;
  return date.getUTCHours() || date.getUTCMinutes() ? `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}` : day;
}
// A date as people write it: "19 Dec 2008 08:11", "~Jan 2008", "1990s"; of an interval both ends.
export function written(edtf) {
  if (!edtf) return "";
  if (edtf.includes("/")) {
    const [from, to] = edtf.split("/").map((part) => (part && part !== ".." ? written(part) : null));
    return from && to ? `${from} – ${to}` : from ? `from ${from}` : to ? `until ${to}` : "";
  }
  const match = edtf.replace(/[?~%]/g, "").match(/^(-?\d{0,4}X*)(?:-(\d\d|XX)(?:-(\d\d|XX)(?:T(\d\d:\d\d)(?::\d\d)?)?)?)?$/);
  if (!match) return edtf.replace("T", " ");
  const [, digits, month, day, time] = match, number = Number(month);
  const year = /^X+$/.test(digits) ? null : digits.includes("X") ? `${digits.replaceAll("X", "0")}s` : digits.replace(/^0+(?=\d)/, "");
  const name = MONTHS[number - 1] ?? { 21: "spring", 22: "summer", 23: "autumn", 24: "winter" }[number];
  const parts = [name && day && day !== "XX" ? String(Number(day)) : null, name, year, time].filter(Boolean).join(" ");
  return `${/[?~%]/.test(edtf) ? "~" : ""}${year ? parts : parts ? `${parts}, year unknown` : "unknown"}`;
}
export function spoken(at, other = at) {  // an end of a time that is long without the hour
  const date = new Date(at), exact = Math.abs(other - at) < 7 * DAY && (date.getUTCHours() || date.getUTCMinutes());
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}${exact ? ` ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}` : ""}`;
}
