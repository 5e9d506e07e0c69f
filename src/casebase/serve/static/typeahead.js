// Suggestions while a value is typed: <input data-values="/m/NAME/values.json?feature=COLUMN">.
// With data-column="FIELD" the column is the one chosen in that field of the same form. Without this file it is a plain input.

const WAIT = 120; // milliseconds after the last key
let n_lists = 0;

for (const input of document.querySelectorAll("input[data-values]")) {
  const list = document.createElement("datalist");
  list.id = `values-${++n_lists}`;
  input.after(list);
  input.setAttribute("list", list.id);
  input.autocomplete = "off";
  let timer = 0, asked = null;

  const address = () => {
    const url = new URL(input.dataset.values, location.href);
    const field = input.dataset.column && input.form.elements[input.dataset.column];
    if (field) url.searchParams.set("feature", field.value);
    url.searchParams.set("q", input.value);
    return url.searchParams.get("feature") ? url : null;
  };

  const suggest = async () => {
    const url = address();
    if (!url || asked === url.href) return;
    asked = url.href;
    const answer = await fetch(url, { headers: { accept: "application/json" } });
    if (!answer.ok || asked !== url.href) return; // somebody has typed on
    const { values } = await answer.json();
    list.replaceChildren(...values.filter((one) => one.value !== null).map((one) => {
      const option = document.createElement("option");
      option.value = one.value;
      if (one.n !== null) option.label = `${one.value} (${one.n})`;
      return option;
    }));
  };

  const soon = () => { clearTimeout(timer); timer = setTimeout(suggest, WAIT); };
  input.addEventListener("input", soon);
  input.addEventListener("focus", soon);
}
