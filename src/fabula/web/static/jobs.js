// Following a job: its progress in the corner, its end on the page.
import { $, ask, emit, quiet, wait, warn } from "./core.js";
import { state } from "./model.js";

const AGAIN = 2000;  // ms between questions to a server that does not answer

export function showProgress(text, bar, job) {
  const counted = job.total ? ` (${job.done} of ${job.total})` : "";
  text.textContent = job.state === "queued" ? "Waiting for its turn" : (job.message || "working") + counted;
  if (job.total) { bar.max = job.total; bar.value = job.done; } else bar.removeAttribute("value");
}

export async function follow(job, pile) {
  state.job = job;
  $("job").hidden = false;
  emit("job");
  const looked = () => state.pile === pile && state.job === job;  // not at another job or case
  const ended = (error) => {
    $("job").hidden = true;
    if (error) warn(error);
    emit("solved", { pile, job });
  };
  for (let silent = false; ;) {
    try {
      const now = await ask(`/api/jobs/${job}`);
      if (!looked()) return;
      if (silent) { warn(""); silent = false; }
      if (!["queued", "running"].includes(now.state)) { ended(now.state === "failed" ? now.error : ""); return; }
      showProgress($("job-text"), $("bar"), now);
      await wait(250);
    } catch (error) {
      if (!looked()) return;
      if (error.status) { ended(error.status === 404 ? "" : error.message); return; }  // 404: the job went with a document
      silent = true;  // the server is gone, or starts again: it takes the job up
      warn(error.message);
      await wait(AGAIN);
    }
    if (!looked()) return;
  }
}
$("cancel").addEventListener("click", quiet(async () => { if (state.job) await ask(`/api/jobs/${state.job}/cancel`, "POST"); }));
