// Elements of the page.

export const get = (id) => document.getElementById(id);

export function options(select, values, chosen) {
  select.replaceChildren(...values.map(([value, text]) => new Option(text, value, false, String(value) === String(chosen))));
}

export function element(name, text = "", properties = {}) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(text);
  return made;
}

export function rows(table, pairs) {
  table.replaceChildren(...pairs.map((pair) => {
    const row = document.createElement("tr");
    row.append(...pair.map((each) => element("td", each)));
    return row;
  }));
}
