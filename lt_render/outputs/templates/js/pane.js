"use strict";
/* Shows one text, or two side by side, row by row. */

const ROW_HEIGHT = 20; // px; theme.css says the same in --row

/** One text, or two side by side, in windowed rows. `sides` is one or two of
    {key: "a" | "b", label, ids, heading}; `state` keeps what the reader has done to this pass. */
class Pane {
  #echoes = new Map(); // where this pane itself has scrolled each of its scrollers to

  constructor(trace, search, unified, sides, blocks, fold, state) {
    Object.assign(this, { trace, search, unified: unified && sides.length === 2, sides, blocks, fold, state });
    this.cursor = null; // the line the keyboard is at while aligning: {side, row}
    this.#build();
  }

  #build() {
    const longest = Math.max(...this.sides.map((side) => side.ids.length));
    const width = Math.max(...this.sides.map((side) => this.trace.width(side.ids)));
    const digits = Math.max(3, String(longest).length);
    this.gaps = h("div");
    // In the unified view both texts share one column.
    const columns = this.unified ? [{ key: "u", label: "Before and after, unified", ids: this.sides[1].ids }] : this.sides;
    this.columns = new Map(columns.map((side) => [side.key, h("div", {
      class: "side", role: "table", tabindex: "0", "data-side": side.key, "aria-label": side.label,
      "aria-rowcount": String(side.ids.length),
      onscroll: (event) => this.#scrolled(event.target),
      onclick: (event) => this.#clicked(event),
    })]));
    this.canvas = h("div", { class: "canvas" }, ...this.columns.values(), this.gaps);
    // The sides take the focus: from them the arrow keys scroll sideways, and down in here.
    this.scroller = h("div", { class: "scroll", tabindex: "-1" }, this.canvas);
    this.barWidth = h("div");
    this.bar = h("div", { class: "hbar", tabindex: "-1", onscroll: (event) => this.#scrolled(event.target) }, this.barWidth);
    this.element = h("div", { class: this.unified ? "pane unified" : "pane" }, h("div", { class: "cols" }, ...this.sides.map((side) => side.heading)), this.scroller, this.bar);
    this.element.style.setProperty("--gutter", `calc(${digits}ch + 20px)`);
    this.element.style.setProperty("--width", `calc(${digits * (this.unified ? 2 : 1) + width + 4}ch + ${this.unified ? 56 : 36}px)`);
    this.window = new Windowed(this.scroller, this.canvas, ROW_HEIGHT, (row) => this.#draw(row));
    this.resizing = new ResizeObserver(() => this.#fitBar());
    this.resizing.observe(this.scroller);
  }

  /** Lays the rows out anew. Needs the pane in the document: only there has it a height. */
  layOut(top) {
    const { reveal, all } = this.state;
    this.layout = new Layout(this.blocks, this.fold, reveal, all(), this.unified);
    this.window.reset(this.layout.rows, top);
  }

  close() {
    this.state.top = this.scroller.scrollTop;
    this.window.close();
    this.resizing.disconnect();
  }

  // One bar for both sides: as far to go as the sides have.
  #fitBar() {
    const side = this.columns.values().next().value;
    const rest = side.scrollWidth - side.clientWidth;
    this.bar.hidden = rest <= 0;
    this.barWidth.style.width = `${this.bar.clientWidth + rest}px`;
  }

  // Setting scrollLeft has its event a frame later, when the reader may have scrolled on: such an
  // echo must not pull the side that the reader moves back.
  #scrolled(source) {
    if (this.#echoes.get(source) === source.scrollLeft) return;
    this.#echoes.set(source, source.scrollLeft);
    for (const element of [...this.columns.values(), this.bar]) {
      if (element === source || Math.abs(element.scrollLeft - source.scrollLeft) < 1) continue;
      element.scrollLeft = source.scrollLeft;
      this.#echoes.set(element, element.scrollLeft);
    }
  }

  focus(side) {
    (this.columns.get(side) ?? this.columns.values().next().value).focus({ preventScroll: true });
  }

  has(side) {
    return this.sides.some((one) => one.key === side);
  }

  length(side) {
    return this.ids(side).length;
  }

  text(side, line) {
    return this.trace.lines[this.ids(side)[line]];
  }

  /** The line numbers on a row: -1 where a side has none. */
  cells(row) {
    const item = this.layout.at(row);
    const offset = row - item.top;
    if (item.kind === "equal") return { kind: "equal", a: item.a + offset, b: item.b + offset };
    if (item.kind === "gap") return { kind: "gap", a: -1, b: -1, item };
    if (this.unified) {
      const { a, an, b } = item.block;
      return offset < an ? { kind: "change", a: a + offset, b: -1, item } : { kind: "change", a: -1, b: b + offset - an, item };
    }
    item.places ??= this.#places(item.block);
    const place = (side) => (item.places[side][offset] < 0 ? -1 : item[side] + item.places[side][offset]);
    return { kind: "change", a: place("a"), b: place("b") };
  }

  /** For a changed block, the line (counted in the block) of each side on each row. The shorter
      side's lines go beside those they resemble; that is worked out when the block is seen. */
  #places({ a, an, b, bn }) {
    const rows = Math.max(an, bn);
    const straight = Array.from({ length: rows }, (_, i) => i);
    const spread = new Array(rows).fill(-1);
    if (an > 0 && bn > 0) {
      const texts = (side, from, n) => Array.from(this.ids(side).subarray(from, from + n), (id) => this.trace.lines[id]);
      const [left, right] = [texts("a", a, an), texts("b", b, bn)];
      const places = an < bn ? pairUp(left, right) : pairUp(right, left);
      places.forEach((row, i) => { spread[row] = i; });
    }
    return an < bn ? { a: spread, b: straight } : { a: straight, b: spread };
  }

  ids(key) {
    return this.sides.find((side) => side.key === key)?.ids;
  }

  #draw(row) {
    const cells = this.cells(row);
    if (cells.kind === "gap") return [[this.gaps, gapRow(this, cells.item)]];
    if (this.unified) return [[this.columns.get("u"), this.#unifiedRow(row, cells)]];
    const text = (key) => (cells[key] < 0 ? null : this.trace.lines[this.ids(key)[cells[key]]]);
    const both = cells.kind === "change" && cells.a >= 0 && cells.b >= 0;
    const ranges = both ? wordRanges(text("a"), text("b")) : null;
    return [...this.columns].map(([key, column], i) => [column, this.#row(key, row, cells, text(key), ranges?.[i])]);
  }

  /** Lines that stand as equal only because the reader had whitespace or renumbering ignored. */
  #differs({ kind, a, b }) {
    return kind === "equal" && this.sides.length === 2 && this.ids("a")[a] !== this.ids("b")[b];
  }

  #addMarks(classes, side, line) {
    const { chosen, match } = this.state;
    const is = (at) => at && at.side === side && at.line === line;
    if (is(chosen)) classes.push("chosen");
    if (is(match) && match.pane === this) classes.push("here");
  }

  #unifiedRow(row, cells) {
    const { kind, a, b } = cells;
    const [key, line] = b < 0 ? ["a", a] : ["b", b];
    const classes = ["row"];
    if (kind === "change") classes.push(b < 0 ? "del" : "add");
    else if (this.#differs(cells)) classes.push("alike");
    for (const [side, at] of [["a", a], ["b", b]]) if (at >= 0) this.#addMarks(classes, side, at);
    const text = this.text(key, line);
    const code = h("span", { class: "code", role: "cell" });
    appendCode(code, text, { words: this.#unifiedRanges(cells), hits: this.search.ranges(text) });
    const number = (side, at) => h("span", { class: "num", role: "rowheader", "data-side": side, "data-line": at < 0 ? null : String(at + 1) }, at < 0 ? null : String(at + 1));
    return h("div", {
      class: classes.join(" "), role: "row", "data-row": String(row), "data-side": key, "data-line": String(line + 1), "aria-rowindex": String(row + 1),
    }, number("a", a), number("b", b), code);
  }

  /** The changed words of a line, against the one it would stand beside in the split view. */
  #unifiedRanges({ kind, a, b, item }) {
    if (kind !== "change" || item.block.an === 0 || item.block.bn === 0) return null;
    item.places ??= this.#places(item.block);
    const { places, block } = item;
    const at = b < 0 ? places.a.indexOf(a - block.a) : places.b.indexOf(b - block.b);
    const [left, right] = [places.a[at], places.b[at]];
    if (left < 0 || right < 0) return null;
    return wordRanges(this.text("a", block.a + left), this.text("b", block.b + right))?.[b < 0 ? 0 : 1];
  }

  #row(key, row, cells, text, ranges) {
    const line = cells[key];
    if (line < 0) return h("div", { class: "row void", "data-row": String(row), "aria-hidden": "true" }, h("span", { class: "num" }));
    const classes = ["row"];
    if (cells.kind === "change") classes.push(key === "a" ? "del" : "add");
    else if (this.#differs(cells)) classes.push("alike");
    if (this.state.anchors.some((anchor) => anchor[key === "a" ? 0 : 1] === line)) classes.push("pinned");
    this.#addMarks(classes, key, line);
    if (this.cursor && this.cursor.side === key && this.cursor.row === row) classes.push("cursor");
    const code = h("span", { class: "code", role: "cell" });
    appendCode(code, text, { words: ranges, hits: this.search.ranges(text), of: this.language });
    return h("div", {
      class: classes.join(" "), role: "row", "data-row": String(row), "data-line": String(line + 1), "aria-rowindex": String(line + 1),
    }, h("span", { class: "num", role: "rowheader" }, String(line + 1)), code);
  }

  /** Shows lines of an equal block, counted in the block, from the next drawing on. */
  reveal(block, start, end) {
    const { reveal } = this.state;
    reveal.set(block.a, [...(reveal.get(block.a) ?? []), [start, end]]);
  }

  redrawAround({ block, from, to }, action) {
    this.layOut();
    // The button that was pressed is gone: the keyboard goes on from its successor.
    const again = [`[data-from="${from}"]`, `[data-to="${to}"]`]
      .map((end) => this.gaps.querySelector(`button.${action}[data-gap="${block.a}"]${end}`)).find(Boolean);
    if (again) again.focus({ preventScroll: true });
    else this.focus();
  }

  // ---- Going to changes, choosing lines

  toChange(direction) {
    // The change "here" is the one that toChange() put under the context at the top.
    const here = Math.round(this.scroller.scrollTop / ROW_HEIGHT) + CONTEXT;
    const changes = this.layout.items.filter((item) => item.kind === "change");
    const next = direction > 0 ? changes.find((item) => item.top > here) : changes.findLast((item) => item.top < here);
    if (!next) return;
    this.scroller.scrollTop = Math.max(0, (next.top - CONTEXT) * ROW_HEIGHT);
    this.window.update();
  }

  #clicked(event) {
    const row = event.target.closest(".row");
    const onNumber = event.target.closest(".num");
    if (!row || !row.dataset.line || (!onNumber && !this.picking)) return;
    const of = onNumber?.dataset.line ? onNumber : row; // unified: a row has a number of each side
    this.onChoose?.(of.dataset.side ?? event.currentTarget.dataset.side, Number(of.dataset.line) - 1);
  }

  firstInSight(side) {
    const top = Math.ceil(this.scroller.scrollTop / ROW_HEIGHT);
    return this.beside({ side, row: top - 1 }, 1);
  }

  /** The line shown next above or below one of the same side, or null. */
  beside({ side, line, row = this.layout.rowOf(side, line) }, step) {
    for (let at = row + step; at >= 0 && at < this.layout.rows; at += step) {
      const cells = this.cells(at);
      const key = this.unified && cells.kind !== "gap" ? (cells.b < 0 ? "a" : "b") : side;
      if (cells[key] >= 0) return { side: key, line: cells[key] };
    }
    return null;
  }

  /** Brings a line into sight, out of the fold if it is hidden in one. */
  showLine(side, line) {
    let row = this.layout.rowOf(side, line);
    if (row < 0) {
      const block = Layout.blockOf(this.blocks, side, line);
      if (!block) return;
      const at = line - block[side];
      this.reveal(block, Math.max(0, at - CONTEXT), Math.min(block.an, at + CONTEXT + 1));
      this.layOut();
      row = this.layout.rowOf(side, line);
    }
    this.window.reveal(row, 4 * ROW_HEIGHT);
  }

  /** Lines with the searched text, in the order shown: [side, line], an equal line once. */
  matches() {
    const { hits } = this.search;
    const found = [];
    const look = (key, from, n) => {
      const ids = this.ids(key);
      for (let line = from; ids && line < from + n; line++) if (hits[ids[line]]) found.push([key, line]);
    };
    for (const block of this.blocks) {
      const { a, an, b, bn } = block;
      if (!block.equal || !this.ids("b")) look("a", a, an);
      if (!block.equal || this.ids("b")) look("b", b, bn);
    }
    return found;
  }

  /** Redraws rows whose looks depend on what is chosen. */
  redraw() {
    this.window.reset(this.layout.rows);
  }

  moveCursor(key) {
    const keys = [...this.columns.keys()];
    const { side, row } = this.cursor;
    if (key === "ArrowLeft" || key === "ArrowRight") this.cursor.side = keys[key === "ArrowLeft" ? 0 : keys.length - 1];
    const step = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
    for (let at = row + step; step && at >= 0 && at < this.layout.rows; at += step) {
      if (this.cells(at)[side] < 0) continue;
      this.cursor.row = at;
      break;
    }
    this.window.reveal(this.cursor.row, 2 * ROW_HEIGHT);
    this.redraw();
  }
}
