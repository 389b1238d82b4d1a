"use strict";
/* Shows one text, or two side by side, row by row. */

const ROW_HEIGHT = 20; // px; theme.css says the same in --row
const MARGIN = 4 * ROW_HEIGHT; // above and below a line that is brought into sight
// Above a change gone to: the header that stays, the row of folded lines, the context.
const ABOVE_CHANGE = (CONTEXT + 2) * ROW_HEIGHT;

const placesLeft = new WeakMap(); // by what the reader did to a pass, where each of its panes was

/** One text, or two side by side, in windowed rows. `sides` is one or two of
    {key: "a" | "b", label, ids, heading}; `state` keeps what the reader has done to this pass.
    `language` is that of the texts, and `wrapped` whether long lines go on below. */
class Pane {
  #echoes = new Map(); // where this pane itself has scrolled each of its scrollers to
  #gone = null; // the change gone to last, and where the scrolling was then

  constructor(trace, search, unified, sides, blocks, fold, state) {
    Object.assign(this, { trace, search, unified: unified && sides.length === 2, sides, blocks, fold, state });
    Object.assign(this, { language: "python", wrapped: false, wrap: null, layout: null });
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
    this.sticky = new Sticky(this);
    // The sides take the focus: from them the arrow keys scroll sideways, and down in here.
    this.scroller = h("div", { class: "scroll", tabindex: "-1" }, this.sticky.element, this.canvas);
    this.barWidth = h("div");
    this.bar = h("div", { class: "hbar", tabindex: "-1", onscroll: (event) => this.#scrolled(event.target) }, this.barWidth);
    this.element = h("div", { class: this.unified ? "pane unified" : "pane" }, h("div", { class: "cols" }, ...this.sides.map((side) => side.heading)), this.scroller, this.bar);
    this.element.style.setProperty("--gutter", `calc(${digits}ch + 20px)`);
    this.element.style.setProperty("--width", `calc(${digits * (this.unified ? 2 : 1) + width + 4}ch + ${this.unified ? 56 : 36}px)`);
    this.window = new Windowed(this.scroller, this.canvas, ROW_HEIGHT, (row) => drawRow(this, row));
    this.window.onMove = (scrollTop) => this.sticky.update(scrollTop);
    this.resizing = new ResizeObserver(() => this.#resized());
    this.resizing.observe(this.scroller);
  }

  /** Lays the rows out anew; the line at the top stays there. Needs the pane in the document: only
      there has it a size. */
  layOut() {
    const place = this.layout ? this.place() : placesLeft.get(this.state)?.get(this.#key);
    const { reveal, all } = this.state;
    this.layout = new Layout(this.blocks, this.fold, reveal, all(), this.unified, (block) => this.#pair(block));
    this.#arrange(place);
  }

  /** Gives the rows their heights, and puts a place back to the top. */
  #arrange(place) {
    let offsets = null;
    if (this.wrapped !== this.element.classList.contains("wrapped")) {
      this.element.classList.toggle("wrapped", this.wrapped);
      this.#fitBar();
    }
    if (!this.wrapped) this.wrap = null;
    else {
      this.wrap ??= new Wrap(this.trace, [...this.columns.values()], this.unified ? 2 : 1);
      this.wrap.measure();
      this.element.style.setProperty("--fit", this.wrap.width);
      offsets = this.wrap.offsets(this.layout, (key) => this.ids(key));
    }
    const topOf = (row) => (offsets ? offsets[row] : row) * ROW_HEIGHT;
    const row = place ? this.layout.rowOf(place.side, place.line, true) : -1;
    const top = row < 0 ? this.scroller.scrollTop : topOf(row) + place.part * (topOf(row + 1) - topOf(row));
    this.window.reset(this.layout.rows, top, offsets);
  }

  /** Where the reader is: the line at the top, and how much of its row is out of sight. */
  place() {
    const { scrollTop } = this.scroller;
    const row = this.window.rowAt(scrollTop);
    const { kind, a, b, item } = this.cells(row);
    const part = (scrollTop - this.window.topOf(row)) / this.window.heightOf(row);
    if (kind === "gap") return { side: "a", line: item.a, part };
    return b >= 0 ? { side: "b", line: b, part } : { side: "a", line: a, part };
  }

  close() {
    if (this.layout) {
      if (!placesLeft.has(this.state)) placesLeft.set(this.state, new Map());
      placesLeft.get(this.state).set(this.#key, this.place());
    }
    this.window.close();
    this.resizing.disconnect();
  }

  get #key() {
    return this.sides.map((side) => side.key).join("");
  }

  #resized() {
    this.#fitBar();
    if (this.wrap && this.layout && this.wrap.measure()) this.#arrange(this.place());
  }

  // One bar for both sides: as far to go as the sides have.
  #fitBar() {
    const side = this.columns.values().next().value;
    const rest = side.scrollWidth - side.clientWidth;
    this.bar.hidden = rest <= 0 || this.wrapped;
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

  ids(key) {
    return this.sides.find((side) => side.key === key)?.ids;
  }

  length(side) {
    return this.ids(side).length;
  }

  text(side, line) {
    return this.trace.lines[this.ids(side)[line]];
  }

  cells(row) {
    return this.layout.cells(row);
  }

  /** For a changed block, the line (counted in the block) of each side on each row. The shorter
      side's lines go beside those they resemble; that is worked out when the block is seen. */
  #pair({ a, an, b, bn }) {
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
    const changes = this.layout.items.filter((item) => item.kind === "change");
    const { scrollTop } = this.scroller;
    // Near either end the scrolling cannot follow: there what counts is the change gone to last.
    const last = this.#gone?.top === scrollTop ? changes.indexOf(this.#gone.item) : -1;
    const here = this.window.rowAt(scrollTop + ABOVE_CHANGE + ROW_HEIGHT / 2);
    const to = last >= 0 ? last + direction
      : direction > 0 ? changes.findIndex((item) => item.top > here) : changes.findLastIndex((item) => item.top < here);
    const item = changes[to];
    if (!item) return;
    this.scroller.scrollTop = Math.max(0, this.window.topOf(item.top) - ABOVE_CHANGE);
    this.#gone = { item, top: this.scroller.scrollTop };
    this.window.update();
    announce(`Change ${to + 1} of ${changes.length}`);
  }

  #clicked(event) {
    const row = event.target.closest(".row");
    const onNumber = event.target.closest(".num");
    if (!row || !row.dataset.line || (!onNumber && !this.picking)) return;
    const of = onNumber?.dataset.line ? onNumber : row; // unified: a row has a number of each side
    this.onChoose?.(of.dataset.side ?? event.currentTarget.dataset.side, Number(of.dataset.line) - 1);
  }

  /** The first row that can be seen whole, below the header that stays. */
  get topRow() {
    const top = this.scroller.scrollTop + this.sticky.height;
    const row = this.window.rowAt(top);
    return this.window.topOf(row) < top ? Math.min(row + 1, this.layout.rows - 1) : row;
  }

  firstInSight(side) {
    return this.beside({ side, row: this.topRow - 1 }, 1);
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
    this.window.reveal(row, MARGIN);
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
    this.window.redraw();
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
    this.window.reveal(this.cursor.row, MARGIN / 2);
    this.redraw();
  }
}
