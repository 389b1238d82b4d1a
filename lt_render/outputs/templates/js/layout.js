"use strict";
/* Decides what each row of a pane shows: a line of each side, or a stretch of hidden lines. */

const CONTEXT = 3; // equal lines shown around a change

/** The rows of a diff: its blocks, with long equal stretches folded into one row each.
    An item covers `rows` rows from `top`; kind is "equal", "change" or "gap". `pair(block)` tells
    which lines of a changed block stand beside each other; it is asked when that is to be known. */
class Layout {
  constructor(blocks, fold, reveal, all, unified = false, pair = inOrder) {
    this.unified = unified; // removed lines above added ones, not beside them
    this.pair = pair;
    this.items = [];
    this.rows = 0;
    blocks.forEach((block, i) => {
      if (!block.equal) this.#add("change", block, 0, unified ? block.an + block.bn : Math.max(block.an, block.bn));
      else if (!fold || all) this.#add("equal", block, 0, block.an);
      else this.#addFolded(block, i === 0, i === blocks.length - 1, reveal);
    });
  }

  #addFolded(block, first, last, reveal) {
    const n = block.an;
    const shown = [[0, first ? 0 : CONTEXT], ...(reveal.get(block.a) ?? []), [n - (last ? 0 : CONTEXT), n]].sort((x, y) => x[0] - y[0]);
    let from = 0; // where the lines that are to be shown together begin
    let to = 0;
    for (const [start, end] of [...shown, [n, n]]) {
      const hidden = start - to;
      // Folding a single line would save nothing: the row that says so is as high.
      if (hidden > 1) {
        if (to > from) this.#add("equal", block, from, to - from);
        this.#add("gap", block, to, 1, { from: to, to: start, hidden, first: first && to === 0, last: last && start === n });
        from = start;
      }
      to = Math.max(to, end);
    }
    if (n > from) this.#add("equal", block, from, n - from);
  }

  #add(kind, block, skip, rows, more = {}) {
    this.items.push({ kind, block, a: block.a + skip, b: block.b + skip, rows, top: this.rows, ...more });
    this.rows += rows;
  }

  /** The equal block that a line is in, or undefined. */
  static blockOf(blocks, side, line) {
    return blocks.find((block) => block.equal && line >= block[side] && line < block[side] + block.an);
  }

  at(row) {
    let low = 0;
    let high = this.items.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.items[middle].top <= row) low = middle;
      else high = middle - 1;
    }
    return this.items[low];
  }

  /** For a changed item, the line (counted in the block) of each side on each row of the split view. */
  placesOf(item) {
    item.places ??= this.pair(item.block);
    return item.places;
  }

  /** The line numbers on a row: -1 where a side has none. */
  cells(row) {
    const item = this.at(row);
    const offset = row - item.top;
    if (item.kind === "equal") return { kind: "equal", a: item.a + offset, b: item.b + offset };
    if (item.kind === "gap") return { kind: "gap", a: -1, b: -1, item };
    if (this.unified) {
      const { a, an, b } = item.block;
      return offset < an ? { kind: "change", a: a + offset, b: -1, item } : { kind: "change", a: -1, b: b + offset - an, item };
    }
    const places = this.placesOf(item);
    const place = (side) => (places[side][offset] < 0 ? -1 : item[side] + places[side][offset]);
    return { kind: "change", a: place("a"), b: place("b"), item };
  }

  /** The row of a line, or -1 for one that is folded away; with `near`, the row that hides it. */
  rowOf(side, line, near = false) {
    for (const item of this.items) {
      const start = item[side];
      if (line < start) continue;
      if (item.kind === "equal" && line < start + item.rows) return item.top + line - start;
      if (item.kind === "gap" && line < start + item.hidden) return near ? item.top : -1;
      if (item.kind === "change" && line < start + item.block[`${side}n`]) {
        if (this.unified) return item.top + (side === "a" ? 0 : item.block.an) + line - start;
        return item.top + this.placesOf(item)[side].indexOf(line - start);
      }
    }
    return -1;
  }
}

/** The lines of a changed block beside each other as they come. */
function inOrder({ an, bn }) {
  const side = (n) => Array.from({ length: Math.max(an, bn) }, (_, i) => (i < n ? i : -1));
  return { a: side(an), b: side(bn) };
}
