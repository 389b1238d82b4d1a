"use strict";
/* Shows the chosen pass: its facts, its errors, its texts. */

class PassView {
  #states = new Map(); // what the reader did to each pass: lines revealed, pairs aligned, scrolling
  #panes = [];
  #aligner = null;
  all = false; // Shift+E: every hidden line of every pass shown

  /** `onSelect(position, at)` is called for a pass that the reader asks for, and the line there;
      `onChoose(at, keep)` for a line of this pass, {side, line} or null: `keep` adds no new address. */
  constructor(trace, search, onSelect, onChoose) {
    Object.assign(this, { trace, search, onSelect, onChoose });
    this.history = new HistoryPanel(trace, onSelect, () => this.focus());
    this.main = byId("pass");
    this.alike = new Alike(trace);
    this.look = { unified: store.get("unified") === "yes", space: false, names: false };
    this.onLook = () => {}; // called when the reader had the texts compared or laid out another way
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
    this.state.chosen = null;
    this.main.replaceChildren(this.#head(), ...boxesOf(this.trace, this.pass, this.kind), area, this.hint, this.history.element);
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
    this.alignButton = h("button", { type: "button", class: "button", id: "align", title: "Align by hand (F7)", onclick: () => this.align() }, "Align");
    this.unalignButton = h("button", { type: "button", class: "button", id: "unalign", onclick: () => this.#realign([]) }, "Clear alignment");
    this.allButton = h("button", { type: "button", class: "button", id: "expand-all", title: "Show or hide all unchanged lines (Shift+E)", onclick: () => this.toggleAll() });
    const look = (key, id, label, title) => h("button", {
      type: "button", class: "button", id, title, "aria-pressed": String(this.look[key]), onclick: () => { this.toggleLook(key); byId(id).focus(); },
    }, label);
    this.lookButtons = h("div", { class: "looks", role: "group", "aria-label": "How to compare" },
      look("unified", "unified", "Unified", "One column instead of two (u)"),
      look("space", "ignore-space", "Ignore whitespace", "Lines that differ only in whitespace count as equal (w)"),
      look("names", "ignore-numbers", "Ignore renumbering", "Names that differ only in their number, as v_1 and v_2, count as equal (r)"));
    this.hiddenNote = h("p", { id: "hidden-differences", role: "status", hidden: true });
    return h("header", { class: "head" },
      titleOf(this.trace, this.pass, this.kind, this.onSelect),
      h("div", { class: "actions" }, this.hiddenNote, this.lookButtons, this.allButton, this.alignButton, this.unalignButton));
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
    const pane = new Pane(this.trace, this.search, this.look.unified, sides, blocks, fold, this.state);
    pane.language = this.kind === "codegen" && sides[0].key === "b" ? "c" : "python";
    pane.onChoose = (side, line) => this.#clicked(side, line);
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
    this.hidden = "";
    if (this.look.space || this.look.names) {
      const { blocks, hidden } = this.alike.compare(left.ids, right.ids, anchors, this.look);
      this.hidden = hiddenWords(hidden);
      return blocks;
    }
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
    this.lookButtons.hidden = !diff;
    this.hiddenNote.hidden = !diff || !this.hidden;
    this.hiddenNote.textContent = this.hidden ?? "";
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
    this.history.close();
    if (this.#aligner && this.look.unified) this.toggleLook("unified"); // it takes two sides
    if (this.#aligner) this.#aligner.toggle();
    else announce("Only a pass that changed the IR can be aligned.");
  }

  /** Compares or lays out another way: "unified", "space" or "names". */
  toggleLook(key) {
    this.look[key] = !this.look[key];
    if (key === "unified") store.set("unified", this.look.unified ? "yes" : "no");
    for (const state of this.#states.values()) state.reveal.clear();
    if (!this.pass) return;
    const { chosen } = this.state;
    this.show(this.trace.passes.indexOf(this.pass));
    if (chosen) this.choose(chosen);
    if (this.hidden && key !== "unified") announce(this.hidden);
    this.onLook();
  }

  key(event) {
    return (this.#aligner?.key(event) ?? false) || this.#lineKey(event);
  }

  // ---- Choosing a line

  /** Marks a line and brings it into sight; null lets go. False if there is no such line. A side
      that is not shown apart, as the texts are the same, gives way to the one that is. */
  choose(at) {
    let side = at?.side;
    const pane = this.#panes.find((one) => one.has(side)) ?? this.#panes[0];
    if (at && pane && !pane.has(side)) side = side === "a" ? "b" : "a";
    const there = at && pane && at.line >= 0 && at.line < pane.length(side);
    if (!there) this.history.close();
    if (!there && !this.state.chosen) return false; // and nothing to draw anew
    this.state.chosen = there ? { side, line: at.line } : null;
    if (there) pane.showLine(side, at.line);
    for (const one of this.#panes) one.redraw();
    if (there && this.history.open) this.history.show(this.trace.passes.indexOf(this.pass), side, at.line);
    return Boolean(there);
  }

  #clicked(side, line) {
    const { chosen } = this.state;
    if (this.#aligner?.chosen(side, line)) return;
    if (chosen && chosen.side === side && chosen.line === line) {
      this.onChoose(null);
      return;
    }
    this.onChoose({ side, line });
    this.#tell();
  }

  #tell() {
    const { side, line } = this.state.chosen;
    this.history.show(this.trace.passes.indexOf(this.pass), side, line);
  }

  #lineKey(event) {
    const { chosen } = this.state ?? {};
    const column = event.target.closest?.(".side");
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Escape" && this.history.open) {
      this.history.close();
      this.focus();
    } else if (!column) return false;
    else if (event.key === "Escape" && chosen) this.onChoose(null);
    else if (event.key === "Enter" && chosen) {
      this.#tell();
      this.history.focus();
    } else if (event.key === "Enter" || (step && chosen)) {
      const pane = this.#panes.find((one) => one.element.contains(column));
      const to = chosen ? pane.beside(chosen, step) : pane.firstInSight(column.dataset.side);
      if (to) {
        this.onChoose(to, chosen !== null);
        announce(`Line ${to.line + 1}: ${visible(pane.text(to.side, to.line)).slice(0, 200)}`);
      }
    } else return false;
    event.preventDefault();
    return true;
  }

  focus() {
    const side = this.state?.chosen?.side;
    if (this.#panes.length) (this.#panes.find((pane) => pane.has(side)) ?? this.#panes[0]).focus(side);
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
