// A review by keys: a key presses the button that names it. Without this file the buttons do the same.
const pressed = (key) => document.querySelector(`button[data-key="${CSS.escape(key)}"]`);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.target.closest("input:not([type=hidden]), select, textarea")) return;
  const button = pressed(event.key.toLowerCase());
  if (button) {
    event.preventDefault();
    button.click();
  }
});

// One decision per record: a second press while the page is on its way would decide about the next one unseen.
for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}

// The name that was typed goes with the undo button, too.
const name = document.querySelector(".decide input[name=by]");
if (name) {
  name.addEventListener("input", () => {
    for (const hidden of document.querySelectorAll("input[type=hidden][name=by]")) hidden.value = name.value;
  });
}
