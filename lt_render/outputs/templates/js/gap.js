"use strict";
/* The row that stands for lines folded away. */

const STEP = 20; // lines that one click on ↑ or ↓ reveals

/** The row that stands for hidden lines: ↓ shows more below the change above it, ↑ more above
    the change under it. */
function gapRow(pane, item) {
  const { block, from, to, hidden, first, last } = item;
  const step = Math.min(STEP, hidden);
  const reveal = (start, end, action) => () => {
    pane.reveal(block, start, end);
    pane.redrawAround(item, action);
  };
  const button = (action, label, title, start, end) => h("button", {
    type: "button", class: action, "data-gap": String(block.a), "data-from": String(from), "data-to": String(to),
    title, "aria-label": title, onclick: reveal(start, end, action),
  }, label);
  return h("div", { class: "gap", role: "group", "aria-label": `${hidden} unchanged lines hidden` },
    h("span", { class: "steps" },
      first ? null : button("down", "↓", `Expand ${step} lines down`, from, from + step),
      last ? null : button("up", "↑", `Expand ${step} lines up`, to - step, to)),
    button("all", `↑↓ Expand ${count(hidden, "line")}`, `Expand all ${hidden} hidden lines`, from, to),
    h("span", { class: "where" }, enclosing(pane, item)));
}

/** The function that the first line after a gap is in, as git shows it behind "@@". */
function enclosing(pane, item) {
  if (item.last) return "";
  const ids = pane.ids("a");
  const line = Functions.of(pane.trace).around(ids, item.a + item.hidden);
  return line < 0 ? "" : pane.trace.lines[ids[line]].trim().slice(0, 200);
}
