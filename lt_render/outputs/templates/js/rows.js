"use strict";
/* Draws a row of a pane: a line with its number, of each side; of both in the unified view. */

/** The elements of a row, each with the one it belongs in: [[parent, element], …]. */
function drawRow(pane, row) {
  const cells = pane.cells(row);
  if (cells.kind === "gap") return [[pane.gaps, gapRow(pane, cells.item)]];
  if (pane.unified) return [[pane.columns.get("u"), unifiedRow(pane, row, cells)]];
  const both = cells.kind === "change" && cells.a >= 0 && cells.b >= 0;
  const ranges = both ? wordRanges(pane.text("a", cells.a), pane.text("b", cells.b)) : null;
  return [...pane.columns].map(([key, column], i) => [column, sideRow(pane, key, row, cells, ranges?.[i])]);
}

function sideRow(pane, key, row, cells, words) {
  const line = cells[key];
  if (line < 0) return h("div", { class: "row void", "data-row": String(row), "aria-hidden": "true" }, h("span", { class: "num" }));
  const classes = ["row"];
  if (cells.kind === "change") classes.push(key === "a" ? "del" : "add");
  else if (differs(pane, cells)) classes.push("alike");
  if (pane.state.anchors.some((anchor) => anchor[key === "a" ? 0 : 1] === line)) classes.push("pinned");
  addMarks(classes, pane, key, line);
  if (pane.cursor && pane.cursor.side === key && pane.cursor.row === row) classes.push("cursor");
  return h("div", {
    class: classes.join(" "), role: "row", "data-row": String(row), "data-line": String(line + 1), "aria-rowindex": String(line + 1),
  }, h("span", { class: "num", role: "rowheader" }, String(line + 1)), codeOf(pane, key, line, words));
}

function unifiedRow(pane, row, cells) {
  const { kind, a, b } = cells;
  const [key, line] = b < 0 ? ["a", a] : ["b", b];
  const classes = ["row"];
  if (kind === "change") classes.push(b < 0 ? "del" : "add");
  else if (differs(pane, cells)) classes.push("alike");
  for (const [side, at] of [["a", a], ["b", b]]) if (at >= 0) addMarks(classes, pane, side, at);
  const number = (side, at) => h("span", { class: "num", role: "rowheader", "data-side": side, "data-line": at < 0 ? null : String(at + 1) }, at < 0 ? null : String(at + 1));
  return h("div", {
    class: classes.join(" "), role: "row", "data-row": String(row), "data-side": key, "data-line": String(line + 1), "aria-rowindex": String(row + 1),
  }, number("a", a), number("b", b), codeOf(pane, key, line, unifiedWords(pane, cells)));
}

function codeOf(pane, key, line, words) {
  const text = pane.text(key, line);
  const code = h("span", { class: "code", role: "cell" });
  appendCode(code, text, { words, hits: pane.search.ranges(text), of: pane.language, within: pane.language === "c" && startsInComment(pane.trace, pane.ids(key), line) });
  pane.wrap?.hang(code, text);
  return code;
}

/** The changed words of a line, against the one it would stand beside in the split view. */
function unifiedWords(pane, { kind, a, b, item }) {
  if (kind !== "change" || item.block.an === 0 || item.block.bn === 0) return null;
  const { block } = item;
  const places = pane.layout.placesOf(item);
  const at = b < 0 ? places.a.indexOf(a - block.a) : places.b.indexOf(b - block.b);
  const [left, right] = [places.a[at], places.b[at]];
  if (left < 0 || right < 0) return null;
  return wordRanges(pane.text("a", block.a + left), pane.text("b", block.b + right))?.[b < 0 ? 0 : 1];
}

/** Lines that stand as equal only because the reader had whitespace or renumbering ignored. */
function differs(pane, { kind, a, b }) {
  return kind === "equal" && pane.sides.length === 2 && pane.ids("a")[a] !== pane.ids("b")[b];
}

function addMarks(classes, pane, side, line) {
  const { chosen, match } = pane.state;
  const is = (at) => at && at.side === side && at.line === line;
  if (is(chosen)) classes.push("chosen");
  if (is(match) && match.pane === pane) classes.push("here");
}
