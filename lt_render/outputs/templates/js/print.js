"use strict";
/* Puts the rows of the texts shown on the page as it is printed: all of them, not only those in sight. */

const MOST_PRINTED = 5000; // rows of a text; a hundred pages

class Printing {
  #added = [];

  /** `panes()` are those shown in `main`. */
  constructor(main, panes) {
    Object.assign(this, { main, panes });
    window.addEventListener("beforeprint", () => this.begin());
    window.addEventListener("afterprint", () => this.end());
  }

  begin() {
    this.end(); // some browsers announce a print twice
    const top = h("div", { class: "printed-top" }, h("p", { class: "printed-title" }, document.title), h("p", {}, location.href));
    this.main.prepend(top);
    this.#added = [top];
    for (const pane of this.panes()) {
      const rows = printedRows(pane);
      pane.element.append(rows);
      this.#added.push(rows);
    }
  }

  end() {
    this.#added.forEach((element) => element.remove());
    this.#added = [];
  }
}

function printedRows(pane) {
  const { rows } = pane.layout;
  const last = Math.min(rows, MOST_PRINTED);
  const printed = h("div", { class: "printed" });
  for (let row = 0; row < last; row++) {
    const { kind, item } = pane.cells(row);
    if (kind === "gap") printed.append(h("p", { class: "printed-gap" }, [`${count(item.hidden, "unchanged line")} not shown`, enclosing(pane, item)].filter(Boolean).join(" · ")));
    else printed.append(h("div", { class: "printed-row" }, ...drawRow(pane, row).map(([, element]) => element)));
  }
  if (last < rows) printed.append(h("p", { class: "printed-rest" }, `${count(rows - last, "more row")} of this text, the last ones, are left out of the print.`));
  return printed;
}
