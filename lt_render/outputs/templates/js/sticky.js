"use strict";
/* Keeps in sight which function the lines at the top are in, when its first line is above them. */

const FUNCTION = /^\s*(?:async )?def\s|^(?:extern|static|inline|template|__\w+__|void|int\w*|float|double|bool|TVM_DLL|TL_DEVICE)\b[^;]*\([^;]*$/;

/** The functions of texts, each text looked at once and each distinct line once for all of them. */
class Functions {
  static #of = new WeakMap(); // by trace
  #shapes; // by line: 0 not looked at yet, -1 nothing to see, else its indent + 1, doubled, + 1 for a function
  #found = new WeakMap(); // by ids of a text: {starts, ends, outer}

  constructor(trace) {
    this.trace = trace;
    this.#shapes = new Int32Array(trace.lines.length);
  }

  static of(trace) {
    if (!Functions.#of.has(trace)) Functions.#of.set(trace, new Functions(trace));
    return Functions.#of.get(trace);
  }

  /** The line where the innermost function that a line is in begins, or -1. */
  around(ids, line) {
    if (!this.#found.has(ids)) this.#found.set(ids, this.#find(ids));
    const { starts, ends, outer } = this.#found.get(ids);
    let low = -1;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= line) low = middle;
      else high = middle - 1;
    }
    while (low >= 0 && ends[low] <= line) low = outer[low];
    return low < 0 ? -1 : starts[low];
  }

  #find(ids) {
    const [starts, ends, outer] = [[], [], []];
    const open = []; // functions not ended yet: {at, indent}
    ids.forEach((id, line) => {
      const shape = (this.#shapes[id] ||= this.#shape(this.trace.lines[id]));
      if (shape < 0) return;
      const indent = shape >> 1;
      while (open.length && indent <= open.at(-1).indent) ends[open.pop().at] = line;
      if (shape & 1) {
        outer.push(open.length ? open.at(-1).at : -1);
        open.push({ at: starts.push(line) - 1, indent });
      }
    });
    for (const { at } of open) ends[at] = ids.length;
    return { starts, ends, outer };
  }

  /** Blank lines, directives and the brackets that close a function end none. */
  #shape(line) {
    const indent = line.search(/\S/);
    if (indent < 0 || "#{})".includes(line[indent])) return -1;
    return (indent + 1) * 2 + (FUNCTION.test(line) ? 1 : 0);
  }
}

/** The line over each column of a pane that says which function the lines under it are in. */
class Sticky {
  #shown = new Map(); // by column, side and line that it names

  constructor(pane) {
    this.pane = pane;
    this.functions = Functions.of(pane.trace);
    this.buttons = new Map([...pane.columns.keys()].map((key) => [key, h("button", {
      type: "button", class: "inside none", tabindex: "-1", "data-column": key, onclick: () => this.#go(key),
    })]));
    this.element = h("div", { class: "sticky", role: "group", "aria-label": "Inside of", hidden: true }, ...this.buttons.values());
  }

  /** How much of the rows it covers, in pixels. */
  get height() {
    return this.#shown.size ? ROW_HEIGHT : 0;
  }

  update(scrollTop) {
    const { pane } = this;
    if (!pane.layout || pane.layout.rows === 0) return;
    const row = pane.window.rowAt(scrollTop);
    for (const [key, button] of this.buttons) {
      const at = this.#inside(key, row, scrollTop);
      const was = this.#shown.get(key);
      if (at?.side !== was?.side || at?.line !== was?.line) this.#show(key, button, at);
    }
    this.element.hidden = this.#shown.size === 0;
  }

  /** {side, line} of the function that a column is inside of at its top, or null. */
  #inside(key, row, scrollTop) {
    const { pane } = this;
    const top = this.#lineAbove(key, row);
    if (!top) return null;
    const line = this.functions.around(pane.ids(top.side), top.line);
    if (line < 0) return null;
    const begins = pane.layout.rowOf(top.side, line);
    return begins >= 0 && pane.window.topOf(begins) >= scrollTop ? null : { side: top.side, line };
  }

  /** The line of a column on a row, or the last one above it that has any. */
  #lineAbove(key, row) {
    for (let at = row; at >= 0; at--) {
      const { kind, a, b, item } = this.pane.cells(at);
      if (kind === "gap") return { side: key === "u" ? "b" : key, line: key === "a" ? item.a : item.b };
      if (key === "u") return b >= 0 ? { side: "b", line: b } : { side: "a", line: a };
      const line = key === "a" ? a : b;
      if (line >= 0) return { side: key, line };
    }
    return null;
  }

  #show(key, button, at) {
    const { pane } = this;
    if (!at) {
      this.#shown.delete(key);
      if (document.activeElement === button) pane.focus(key); // it would be lost with the button
    } else this.#shown.set(key, at);
    button.classList.toggle("none", !at);
    button.tabIndex = at ? 0 : -1;
    if (!at) return;
    const text = pane.text(at.side, at.line);
    const code = h("span", { class: "code" });
    appendCode(code, text, { of: pane.language });
    button.replaceChildren(h("span", { class: "num" }, String(at.line + 1)), code);
    button.setAttribute("aria-label", `inside of line ${at.line + 1}: ${visible(text.trim()).slice(0, 200)}`);
    button.title = "Go to where the function begins";
  }

  #go(key) {
    const { side, line } = this.#shown.get(key);
    if (this.pane.picking) this.pane.showLine(side, line);
    else this.pane.onGo?.(side, line);
  }
}
