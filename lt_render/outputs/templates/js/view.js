"use strict";
/* Shows the chosen pass: its facts, its errors, its texts. */

class PassView {
  #states = new Map(); // what the reader did to each pass: lines revealed, pairs aligned, scrolling
  #panes = [];
  #aligner = null;
  all = false; // Shift+E: every hidden line of every pass shown

  constructor(trace, search, onSelect) {
    Object.assign(this, { trace, search, onSelect });
    this.main = byId("pass");
  }

  show(position) {
    this.#close();
    this.pass = this.trace.passes[position];
    this.kind = this.trace.kind(this.pass);
    if (!this.#states.has(position)) {
      this.#states.set(position, { reveal: new Map(), anchors: [], chosen: null, match: null, top: 0, all: () => this.all });
    }
    this.state = this.#states.get(position);
    this.state.match = null;
    this.hint = h("div", { class: "hint", hidden: true });
    const area = h("div", { class: "panes" });
    this.main.replaceChildren(this.#head(), ...this.#boxes(), area, this.hint);
    this.#fill(area);
    this.#updateActions();
    for (const pane of this.#panes) pane.layOut(this.state.top);
  }

  #close() {
    this.#panes.forEach((pane) => pane.close());
    this.#panes = [];
    this.#aligner = null;
  }

  #head() {
    const { pass, trace } = this;
    const item = (label, ...what) => h("li", {}, label ? `${label} ` : null, ...what);
    const parent = pass.parent === null ? null : trace.passes[pass.parent];
    this.alignButton = h("button", { type: "button", class: "button", id: "align", title: "Align by hand (F7)", onclick: () => this.align() }, "Align");
    this.unalignButton = h("button", { type: "button", class: "button", id: "unalign", onclick: () => this.#realign([]) }, "Clear alignment");
    this.allButton = h("button", { type: "button", class: "button", id: "expand-all", title: "Show or hide all unchanged lines (Shift+E)", onclick: () => this.toggleAll() });
    return h("header", { class: "head" },
      h("div", { class: "what" },
        h("h2", { id: "pass-title" }, dotOf(this.kind), " ", h("span", { class: "index" }, trace.index(pass)), " ", h("span", { class: "name" }, pass.full_name)),
        h("ul", { class: "meta" },
          item(null, h("b", {}, this.#statusWord())),
          item("phase", h("b", {}, pass.phase || "none")),
          trace.units[pass.unit]?.compile ? item("kernel", h("b", {}, trace.unitLabels[pass.unit])) : null,
          pass.us === null ? null : item("took", h("b", {}, duration(pass.us))),
          parent ? item("inside", h("button", { type: "button", class: "link", onclick: () => this.onSelect(pass.parent) }, `${trace.index(parent)} ${parent.name}`)) : null,
          pass.add || pass.del ? item(null, countsOf(pass), squaresOf(pass)) : null)),
      h("div", { class: "actions" }, this.allButton, this.alignButton, this.unalignButton));
  }

  #statusWord() {
    return this.pass.status === "completed" ? KINDS[this.kind].word : this.pass.status;
  }

  #boxes() {
    const { pass, trace } = this;
    const boxes = [];
    if (pass.error || this.kind === "failed") {
      const title = pass.status === "unfinished" ? "The pass did not finish" : "The pass failed";
      boxes.push(h("section", { class: "box error", id: "error", role: "region", tabindex: "0", "aria-label": title },
        h("h3", {}, title), pass.error ? h("pre", {}, pass.error) : null));
    }
    const unit = trace.units[pass.unit];
    if (unit && unit.status !== "completed" && unit.error && unit.error !== pass.error) {
      const title = `The compile of ${trace.unitLabels[pass.unit]} ${unit.status === "failed" ? "failed" : "did not finish"}`;
      boxes.push(h("section", { class: "box error", id: "unit-error", role: "region", tabindex: "0", "aria-label": title }, h("h3", {}, title), h("pre", {}, unit.error)));
    }
    if (pass.note) boxes.push(h("section", { class: "box note", id: "note", role: "region", tabindex: "0", "aria-label": "Note" }, h("p", {}, pass.note)));
    return boxes;
  }

  #fill(area) {
    const { pass, kind } = this;
    const { before, after } = pass;
    if (before === null && after === null) area.append(h("p", { class: "emptypane" }, "No text was recorded for this pass."));
    else if (before === null || after === null) this.#single(area, before === null ? "b" : "a");
    else if (kind === "codegen") this.#codegen(area);
    else if (before === after || !pass.changed) this.#single(area, "a", h("span", { class: "nochange" }, "no change"));
    else this.#diff(area);
  }

  #side(key, label, remark = null) {
    const { trace } = this;
    const n = key === "a" ? this.pass.before : this.pass.after;
    const ids = trace.ids(n);
    const heading = h("div", { class: "col" },
      h("h3", {}, label), h("span", { class: "lines" }, count(ids.length, "line")), remark,
      copyButton(key === "a" ? "before" : "after", `Copy: ${label}`, () => trace.text(n)));
    return { key, label, ids, heading };
  }

  #add(area, sides, blocks, fold) {
    const pane = new Pane(this.trace, this.search, sides, blocks, fold, this.state);
    area.append(pane.element);
    this.#panes.push(pane);
    return pane;
  }

  #single(area, key, remark) {
    const label = remark ? "Before and after" : key === "a" ? "Before" : "After";
    const side = this.#side(key, label, remark);
    const n = side.ids.length;
    this.#add(area, [side], [{ equal: true, a: 0, an: n, b: 0, bn: n }], false);
  }

  // Two languages: nothing to align, and each side scrolls by itself.
  #codegen(area) {
    for (const [key, label] of [["a", "IR"], ["b", "Generated source"]]) {
      const side = this.#side(key, label);
      const n = side.ids.length;
      this.#add(area, [side], [{ equal: true, a: 0, an: n, b: 0, bn: n }], false);
    }
  }

  #diff(area) {
    const sides = [this.#side("a", "Before"), this.#side("b", "After")];
    const pane = this.#add(area, sides, this.#blocks(sides), true);
    this.#aligner = new Aligner(pane, this.hint, (anchors, pair) => this.#realign(anchors, pair));
  }

  #blocks([left, right]) {
    const { anchors } = this.state;
    const hunks = anchors.length ? alignedHunks(left.ids, right.ids, anchors) : this.pass.hunks;
    return blocksOf(hunks, left.ids.length, right.ids.length);
  }

  #realign(anchors, pair) {
    const pane = this.#panes[0];
    this.state.anchors = anchors;
    this.state.reveal.clear();
    pane.blocks = this.#blocks(pane.sides);
    pane.layOut();
    this.#updateActions();
    if (pair) {
      const row = pane.layout.rowOf("a", pair[0]);
      if (row >= 0) pane.window.reveal(row, 4 * ROW_HEIGHT);
      announce(`Line ${pair[0] + 1} is aligned with line ${pair[1] + 1}.`);
    } else {
      pane.focus();
      announce("The alignment is the computed one again.");
    }
  }

  #updateActions() {
    const diff = this.#aligner !== null;
    this.alignButton.hidden = !diff;
    this.unalignButton.hidden = this.state.anchors.length === 0;
    this.allButton.hidden = !diff;
    this.allButton.textContent = this.all ? "Collapse all" : "Expand all";
  }

  toggleAll() {
    this.all = !this.all;
    for (const pane of this.#panes) {
      if (!pane.fold) continue;
      pane.state.reveal.clear();
      pane.layOut();
    }
    this.#updateActions();
    announce(this.all ? "All lines are shown." : "Unchanged lines are hidden.");
  }

  align() {
    if (this.#aligner) this.#aligner.toggle();
    else announce("Only a pass that changed the IR can be aligned.");
  }

  key(event) {
    return this.#aligner?.key(event) ?? false;
  }

  focus() {
    if (this.#panes.length) this.#panes[0].focus();
    else this.main.focus();
  }

  // ---- The searched text

  /** How many lines shown have the searched text, and at which of them the reader is, or -1. */
  get matches() {
    const all = this.#allMatches();
    const { match } = this.state ?? {};
    return { total: all.length, at: match ? all.findIndex((one) => isSame(one, match)) : -1 };
  }

  #allMatches() {
    if (!this.search.inTexts) return [];
    return this.#panes.flatMap((pane) => pane.matches().map(([side, line]) => ({ pane, side, line })));
  }

  searched() {
    if (!this.state) return;
    this.state.match = null;
    for (const pane of this.#panes) pane.redraw();
  }

  /** Goes to the next or previous match, from the last one round to the first; `anew` to the first. */
  toMatch(direction, anew = false) {
    const all = this.#allMatches();
    if (all.length === 0) return;
    const at = anew || !this.state.match ? -1 : all.findIndex((one) => isSame(one, this.state.match));
    const to = at < 0 && direction < 0 ? all.length - 1 : (at + direction + all.length) % all.length;
    const match = all[to];
    this.state.match = match;
    match.pane.showLine(match.side, match.line);
    for (const pane of this.#panes) pane.redraw();
    announce(`Match on line ${match.line + 1}, ${to + 1} of ${all.length}`);
  }

  toChange(direction) {
    this.#panes[0]?.toChange(direction);
  }
}

function isSame(one, other) {
  return one.pane === other.pane && one.side === other.side && one.line === other.line;
}
