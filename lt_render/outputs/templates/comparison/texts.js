"use strict";
/* Shows a row of a comparison: the verdict on its kernel, and two of its texts side by side. */

// A comparison has no search: no line has what is searched for.
const NO_SEARCH = { hits: [], ranges: () => [] };

class RowView {
  #pane = null;
  #states = new Map(); // by row and pair of texts, the lines that the reader had shown

  constructor(trace) {
    this.trace = trace;
    this.main = byId("pass");
    this.all = false;
    this.unified = store.get("unified") === "yes";
    this.wrapped = store.get("wrap") === "yes";
    this.printing = new Printing(this.main, () => (this.#pane ? [this.#pane] : []));
  }

  show(kernel, row) {
    if (row !== this.row) this.which = null;
    Object.assign(this, { kernel, row });
    this.#draw();
  }

  #draw() {
    const { row } = this;
    this.#pane?.close();
    this.#pane = null;
    const area = h("div", { class: "panes" });
    this.main.replaceChildren(this.#verdict(), row ? this.#head() : h("p", { class: "emptypane" }, "There is nothing beside it."), ...(row ? this.#errors() : []), area);
    if (row) this.#fill(area);
    this.#pane?.layOut();
  }

  #verdict() {
    const { label, target, verdict, remarks } = this.kernel;
    return h("section", { class: "of-kernel", "aria-label": "The kernel" },
      h("h2", {}, target ? `${label} for ${target}` : label), h("p", {}, `${verdict}.`),
      remarks.length ? h("ul", { class: "told" }, ...remarks.map((remark) => h("li", {}, remark))) : null);
  }

  #head() {
    const { row } = this;
    const pass = row.b ?? row.a;
    const indexes = [...new Set(indexesOf(row).filter(Boolean))].join(" → ");
    return h("header", { class: "head" },
      h("div", { class: "what" },
        h("h2", { id: "pass-title" }, indexes ? h("span", { class: "index" }, `${indexes} `) : null, pass.label, countsOf(row)),
        h("p", { class: "verdict" }, row.words)),
      this.#actions());
  }

  #actions() {
    const pairs = this.#pairs();
    this.which ??= pairs[0]?.id ?? null;
    const choice = h("select", { id: "which", "aria-label": "Texts", onchange: () => { this.which = choice.value; this.#draw(); byId("which").focus(); } },
      ...pairs.map(({ id, label }) => h("option", { value: id, selected: id === this.which }, label)));
    const look = (id, label, title, pressed, action) => h("button", { type: "button", class: "button", id, title, "aria-pressed": String(pressed), onclick: () => { action(); byId(id)?.focus(); } }, label);
    return h("div", { class: "actions" }, pairs.length > 1 ? choice : null,
      look("unified", "Unified", "Unified or split view (u)", this.unified, () => this.toggle("unified")),
      look("wrap", "Wrap", "Wrap long lines, or scroll sideways (x)", this.wrapped, () => this.toggle("wrapped")),
      look("expand-all", "All lines", "Show or hide all unchanged lines (Shift+E)", this.all, () => this.toggle("all")));
  }

  /** The pairs of texts that can be shown of a row: {id, label, from, to, names, hunks}. */
  #pairs() {
    const { a, b, hunks, add, del } = this.row;
    const found = [];
    const offer = (id, label, from, to, names, known = null) => {
      if (from !== null && to !== null) found.push({ id, label, from, to, names, hunks: known });
    };
    if (a && b) {
      offer("outputs", a.index === null ? "what they were given" : "outputs, A and B", a.after, b.after, ["A", "B"], hunks ?? (add + del === 0 ? [] : null));
      if (a.before !== b.before) offer("inputs", "inputs, A and B", a.before, b.before, ["A", "B"]);
    }
    for (const [side, pass] of [["A", a], ["B", b]]) {
      if (pass && !pass.codegen && pass.index !== null) offer(side, `what it did in ${side}`, pass.before, pass.after, [`${side}, before`, `${side}, after`]);
    }
    return found;
  }

  #errors() {
    return [["A", this.row.a], ["B", this.row.b]].filter(([, pass]) => pass?.error).map(([side, pass]) =>
      h("section", { class: "box error" }, h("h3", {}, `Failed in ${side}`), h("pre", {}, pass.error)));
  }

  #fill(area) {
    const pair = this.#pairs().find(({ id }) => id === this.which);
    if (!pair) {
      area.append(h("p", { class: "emptypane" }, "There are no two texts to be shown."));
      return;
    }
    const { trace } = this;
    const [a, b] = [pair.from, pair.to].map((n) => trace.ids(n));
    const hunks = pair.hunks ?? (pair.from === pair.to ? [] : alignedHunks(a, b, []));
    const same = hunks.length === 0;
    const side = (key, ids, label) => ({
      key, label, ids,
      heading: h("div", { class: "col" }, h("h3", {}, label), h("span", { class: "lines" }, count(ids.length, "line")),
        same && key === "a" ? h("span", { class: "nochange" }, "no difference") : null,
        copyButton(key, `Copy: ${label}`, () => trace.text(key === "a" ? pair.from : pair.to))),
    });
    const sides = [side("a", a, pair.names[0]), side("b", b, pair.names[1])];
    this.#pane = new Pane(trace, NO_SEARCH, this.unified, sides, blocksOf(hunks, a.length, b.length), !same, this.#stateOf(pair.id));
    this.#pane.language = (this.row.b ?? this.row.a).codegen && pair.id === "outputs" ? "c" : "python";
    this.#pane.wrapped = this.wrapped;
    this.#pane.onGo = (key, line) => this.#pane.showLine(key, line);
    area.append(this.#pane.element);
  }

  #stateOf(id) {
    if (!this.#states.has(this.row)) this.#states.set(this.row, new Map());
    const states = this.#states.get(this.row);
    if (!states.has(id)) states.set(id, { reveal: new Map(), anchors: [], chosen: null, match: null, all: () => this.all });
    return states.get(id);
  }

  toggle(key) {
    this[key] = !this[key];
    if (key !== "all") store.set(key === "unified" ? "unified" : "wrap", this[key] ? "yes" : "no");
    this.#draw();
  }

  toChange(direction) {
    this.#pane?.toChange(direction);
  }
}
