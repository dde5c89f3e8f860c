// The third tab: the leaderboards of run folders.
import { $, ask, el, guarded } from "./core.js";

const HEADS = ["Data", "Rank", "Model", "Metric", "Value", "95 % interval", "Items"];
export const showRuns = guarded(async () => {
  const { runs } = await ask("/api/state");  // the tab may be chosen before the page knows it
  if (!runs.length) { $("runs-text").textContent = "No run folder was named. Start the page with: fabula serve --runs FOLDER"; return; }
  $("runs-text").textContent = runs.join(", ");
  const { places } = await ask("/api/runs");
  $("runs-report").hidden = false;
  $("runs-out").replaceChildren(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Leaderboards" }, el("table", {},
    el("thead", {}, el("tr", {}, ...HEADS.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...places.map((place) => el("tr", {}, ...[`${place.task} ${place.fingerprint.slice(0, 8)}`, place.rank, place.model, place.metric,
      place.value?.toFixed(4), `${place.low?.toFixed(4)} to ${place.high?.toFixed(4)}`, place.items].map((cell) => el("td", {}, String(cell)))))))));
});
