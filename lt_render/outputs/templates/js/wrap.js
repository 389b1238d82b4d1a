"use strict";
/* Works out on how many lines of the screen a wrapped line of text stands, without laying it out. */

const HANGING = 2; // columns by which a line that goes on stands further in than where it began
const FEWEST = 12; // columns that a wrapped text has, however narrow its pane

const measuredHeights = new Map(); // by columns, their width and line

/** Wrapping at exact columns: pass.css lets a line break after any character. `columns` are the
    elements that hold the rows; the narrowest of them counts for all. */
class Wrap {
  constructor(trace, columns, numbers) {
    Object.assign(this, { trace, columns, numbers, fit: 0, character: 0 });
  }

  /** Measures how many columns fit; true if they are others than before. */
  measure() {
    const [fit, character] = [this.fit, this.character];
    const probes = this.columns.map((column) => {
      const code = h("span", { class: "code" }, h("span", { class: "ruler" }, "0".repeat(200)));
      column.append(h("div", { class: "row probe" }, ...Array.from({ length: this.numbers }, () => h("span", { class: "num" })), code));
      return code;
    });
    this.character = probes[0].firstChild.getBoundingClientRect().width / 200;
    const room = probes.map((code) => {
      const { paddingLeft, paddingRight } = getComputedStyle(code);
      return code.parentElement.clientWidth - code.offsetLeft - parseFloat(paddingLeft) - parseFloat(paddingRight);
    });
    probes.forEach((code) => code.parentElement.remove());
    this.fit = Math.max(FEWEST, Math.floor((Math.min(...room) - 2) / this.character));
    return fit !== this.fit || character !== this.character;
  }

  /** The width of the text of a wrapped line: a little more than its columns, and less than one more. */
  get width() {
    return `${this.fit * this.character + 1}px`;
  }

  /** How far a line stands in where it goes on. */
  hanging(line) {
    const indent = line.length - line.trimStart().length;
    return Math.min(indent + HANGING, this.fit >> 1);
  }

  /** Measures those of some lines whose characters may be wider than one column, all at once. */
  prepare(ids) {
    const odd = new Set();
    for (const id of ids) {
      const line = this.trace.lines[id];
      if (!isPlain(line) && !measuredHeights.has(this.#key(line))) odd.add(line);
    }
    if (odd.size === 0) return;
    const codes = Array.from(odd, (line) => {
      const code = h("span", { class: "code" });
      appendCode(code, line);
      this.hang(code, line);
      return code;
    });
    const holder = h("div", { class: "row probe" }, ...codes);
    this.columns[0].append(holder);
    let at = 0;
    const heights = codes.map((code) => Math.max(1, Math.ceil((code.offsetHeight - 1) / ROW_HEIGHT)));
    holder.remove();
    if (measuredHeights.size > 50000) measuredHeights.clear();
    for (const line of odd) measuredHeights.set(this.#key(line), heights[at++]);
  }

  #key(line) {
    return `${this.fit} ${this.character} ${line}`;
  }

  /** On how many lines of the screen a line stands. Odd ones are to be prepared. */
  lines(id) {
    const line = this.trace.lines[id];
    if (!isPlain(line)) return measuredHeights.get(this.#key(line)) ?? 1;
    const over = line.length - this.fit;
    return over <= 0 ? 1 : 1 + Math.ceil(over / (this.fit - this.hanging(line)));
  }

  /** Lets the element of a line stand further in where the line goes on. */
  hang(code, line) {
    if (line.length > this.fit || !isPlain(line)) code.style.setProperty("--hang", `${this.hanging(line) * this.character}px`);
  }

  /** For each row of a layout, how many lines of the screen are above it; null if none is wrapped. */
  offsets(layout, idsOf) {
    const [a, b] = [idsOf("a"), idsOf("b")];
    for (const ids of [a, b]) if (ids) this.prepare(ids);
    const offsets = new Uint32Array(layout.rows + 1);
    const of = (ids, line) => (ids && line >= 0 ? this.lines(ids[line]) : 1);
    const anyWrapped = (ids, from, n) => ids && ids.subarray(from, from + n).some((id) => this.lines(id) > 1);
    let row = 0;
    for (const item of layout.items) {
      const { kind, block, rows } = item;
      // Which lines of a change stand beside each other takes time to tell, and seldom matters.
      const flat = kind === "gap" || (kind === "change" && !anyWrapped(a, block.a, block.an) && !anyWrapped(b, block.b, block.bn));
      for (let i = 0; i < rows; i++, row++) {
        let lines = 1;
        if (!flat) {
          const cells = kind === "equal" ? { a: item.a + i, b: item.b + i } : layout.cells(row);
          lines = Math.max(of(a, cells.a), of(b, cells.b));
        }
        offsets[row + 1] = offsets[row] + lines;
      }
    }
    return offsets[row] === row ? null : offsets;
  }
}

/** Whether each character of a line takes one column. */
function isPlain(line) {
  return line.length <= MAX_SHOWN && /^[ -~]*$/.test(line);
}
