// The second tab: does a multiple-choice data set give its answers away?
import { $, ask, el, guarded, once, wait } from "./core.js";
import { packed } from "./cases.js";
import { showProgress } from "./jobs.js";

const number = (value) => (value === null || value === undefined ? "" : typeof value === "number" ? String(Math.round(1000 * value) / 1000) : String(value));

$("audit").addEventListener("submit", once($("audit").querySelector("button[type=submit]"), async () => {
  const [file] = await packed([...$("audit-file").files]);
  const columns = { context: $("audit-context").value || null, options: $("audit-options").value || null, gold: $("audit-gold").value || null };
  const { job } = await ask("/api/audits", "POST", { ...file, columns });
  const box = $("audit-job"), [text, bar] = [box.querySelector("span"), box.querySelector("progress")];
  box.querySelector("button").onclick = guarded(() => ask(`/api/jobs/${job}/cancel`, "POST"));
  box.hidden = false;
  $("audit-out").hidden = true;
  let now;
  do { await wait(300); now = await ask(`/api/jobs/${job}`); showProgress(text, bar, now); } while (["queued", "running"].includes(now.state));
  box.hidden = true;
  if (now.state !== "done") throw new Error(now.error ?? "The audit was cancelled.");
  const found = now.result;
  $("audit-out").replaceChildren(el("h2", {}, `${file.name}: ${found.verdict}`), el("p", { class: "hint" }, `${found.items} items`),
    el("p", {}, el("a", { href: `/api/audits/${job}/page`, target: "_blank", rel: "noopener" }, "Open the full report"), " ",
      el("button", { type: "button", onclick: guarded(async () => { await ask(`/api/audits/${job}`, "DELETE"); $("audit-out").hidden = true; }) }, "Delete this audit")),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Probes" }, el("table", {}, el("thead", {}, el("tr", {}, ...["Probe", "Value", "95 %", "Finding"].map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...found.probes.map((probe) => el("tr", {}, el("td", {}, probe.name), el("td", {}, number(probe.value)),
        el("td", {}, probe.low === null || probe.low === undefined ? "" : `${number(probe.low)} to ${number(probe.high)}`), el("td", {}, number(probe.finding))))))));
  $("audit-out").hidden = false;
}));
