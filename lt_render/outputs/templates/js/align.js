"use strict";
/* Lets the reader put two lines side by side by hand (F7). */

/** Manual alignment (F7), as in Beyond Compare: the reader picks a line on one side and a line
    on the other. Those two then stand beside each other, whatever they say; the lines above the
    pair are compared only with lines above it, those below only with those below. A pair that
    would cross an earlier one replaces it. Pairs last until "Clear alignment" or a reload. A
    line chosen by its number before F7 counts as the first pick. */
class Aligner {
  constructor(pane, hint, onChange) {
    Object.assign(this, { pane, hint, onChange, first: null });
  }

  toggle() {
    if (this.pane.picking) this.stop();
    else this.#start();
  }

  #start() {
    const { pane } = this;
    this.first = pane.state.chosen;
    pane.picking = true;
    pane.element.classList.add("picking");
    const row = this.first ? pane.layout.rowOf(this.first.side, this.first.line) : -1;
    pane.cursor = { side: this.first?.side === "a" ? "b" : "a", row: row >= 0 ? row : pane.topRow };
    if (pane.cells(pane.cursor.row)[pane.cursor.side] < 0) pane.moveCursor("ArrowDown");
    pane.focus();
    this.#show();
    pane.redraw();
  }

  stop() {
    const { pane } = this;
    pane.picking = false;
    pane.cursor = null;
    pane.element.classList.remove("picking");
    pane.state.chosen = null;
    this.first = null;
    this.#show();
    pane.redraw();
  }

  #show() {
    this.hint.hidden = !this.pane.picking;
    if (!this.pane.picking) return;
    const name = (side) => (side === "a" ? "left" : "right");
    const text = this.first
      ? `Align: pick the line on the ${name(this.first.side === "a" ? "b" : "a")} that belongs beside line ${this.first.line + 1} on the ${name(this.first.side)}.`
      : "Align: pick a line on the left or on the right.";
    this.hint.replaceChildren(h("span", {}, text),
      h("button", { type: "button", class: "button", onclick: () => this.stop() }, "Cancel"));
    announce(text);
  }

  key(event) {
    if (!this.pane.picking) return false;
    if (event.key === "Escape") this.stop();
    else if (event.key.startsWith("Arrow")) this.pane.moveCursor(event.key);
    else if (event.key === "Enter" && !event.target.closest("button")) {
      const { side, row } = this.pane.cursor;
      const line = this.pane.cells(row)[side];
      if (line >= 0) this.chosen(side, line);
    } else return false;
    event.preventDefault();
    return true;
  }

  /** Takes a line as the next pick; false when none is wanted. */
  chosen(side, line) {
    const { pane } = this;
    if (!pane.picking) return false;
    if (!this.first || this.first.side === side) {
      this.first = { side, line };
      pane.state.chosen = this.first;
      pane.cursor.side = side === "a" ? "b" : "a";
      if (pane.cells(pane.cursor.row)[pane.cursor.side] < 0) pane.moveCursor("ArrowDown");
      this.#show();
      pane.redraw();
      return true;
    }
    const pair = side === "b" ? [this.first.line, line] : [line, this.first.line];
    const crosses = ([i, j]) => (i - pair[0]) * (j - pair[1]) <= 0;
    const anchors = pane.state.anchors.filter((anchor) => !crosses(anchor));
    this.stop();
    this.onChange([...anchors, pair].sort((x, y) => x[0] - y[0]), pair);
    return true;
  }
}
