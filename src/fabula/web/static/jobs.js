// Following a job: its progress in the corner, its end on the page.
import { $, ask, emit, guarded, wait, warn } from "./core.js";
import { state } from "./model.js";

export function showProgress(text, bar, job) {
  const counted = job.total ? ` (${job.done} of ${job.total})` : "";
  text.textContent = job.state === "queued" ? "Waiting for its turn" : (job.message || "working") + counted;
  if (job.total) { bar.max = job.total; bar.value = job.done; } else bar.removeAttribute("value");
}

export async function follow(job, pile) {
  state.job = job;
  $("job").hidden = false;
  try {
    for (;;) {
      const now = await ask(`/api/jobs/${job}`);
      if (state.pile !== pile || state.job !== job) return;  // another job or case is looked at
      if (!["queued", "running"].includes(now.state)) {
        $("job").hidden = true;
        state.job = null;
        if (now.state === "failed") warn(now.error);
        emit("solved", pile);
        return;
      }
      showProgress($("job-text"), $("bar"), now);
      await wait(250);
    }
  } catch (error) { $("job").hidden = true; warn(error.message); }
}
$("cancel").addEventListener("click", guarded(() => ask(`/api/jobs/${state.job}/cancel`, "POST")));
