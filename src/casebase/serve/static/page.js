// What all pages share. Every page works without this file; it saves reloads and keystrokes.

// A file that is dropped on the form of the home page is sent at once.
for (const form of document.querySelectorAll("form[data-drop]")) {
  const input = form.querySelector("input[type=file]");
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => { event.preventDefault(); form.classList.add("over"); });
  }
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    input.files = event.dataTransfer.files;
    form.requestSubmit();
  });
  input.addEventListener("change", () => form.requestSubmit());
}

// A form that asks before it does what cannot be undone.
for (const form of document.querySelectorAll("form[data-sure]")) {
  form.addEventListener("submit", (event) => { if (!confirm(form.dataset.sure)) event.preventDefault(); });
}

// A page that shows a job follows its progress, and goes where its result is.
const job = document.querySelector("[data-job]");
if (job) {
  const events = new EventSource(job.dataset.job);
  events.addEventListener("message", (event) => {
    const state = JSON.parse(event.data);
    const bar = job.querySelector("progress"), text = job.querySelector("output");
    if (state.total) { bar.max = state.total; bar.value = state.done; }
    text.textContent = state.note || (state.total ? `${state.done} of ${state.total}` : state.state);
    if (["done", "failed", "cancelled"].includes(state.state)) {
      events.close();
      if (state.place && state.state === "done") location.replace(state.place); else location.reload();
    }
  });
  // The browser connects again by itself; a server that was started anew does not know the job any more.
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) { location.reload(); return; }
    fetch("/healthz", { cache: "no-store" }).catch(() => {
      job.querySelector("output").textContent = "The server does not answer.";
    });
  });
}
