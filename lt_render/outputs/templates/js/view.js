"use strict";
/* Shows the chosen pass, or two texts that are compared: the head, the errors, the texts. */

class PassView {
  #states = new Map(); // what the reader did to each: lines revealed, pairs aligned, scrolling
  #panes = [];
  #aligner = null;
  all = false; // Shift+E: every hidden line of every pass shown

  /** `onSelect(position, at)` is called for a pass that the reader asks for, and the line there;
      `onChoose(at, keep)` for a line of this pass, {side, line} or null: `keep` adds no new address;
      `onCompare(comparison)` for a comparison, see compare.js, or null for its end. */
  constructor(trace, search, { onSelect, onChoose, onCompare }) {
    Object.assign(this, { trace, search, onSelect, onChoose, onCompare });
    this.history = new HistoryPanel(trace, onSelect, () => this.focus());
    this.main = byId("pass");
    this.alike = new Alike(trace);
    this.namesakes = new Namesakes(trace);
    this.look = { unified: store.get("unified") === "yes", wrap: store.get("wrap") === "yes", space: false, names: false, edit: true };
    this.goTo = new GoToLine(() => this.#panes.flatMap((pane) => pane.sides), (at) => this.#go(at), () => this.focus());
    this.printing = new Printing(this.main, () => this.#panes);
    this.onLook = () => {}; // called when the reader had the texts compared or laid out another way
  }

  show(position, comparison = null) {
    this.#close();
    const { trace } = this;
    const pass = trace.passes[position];
    Object.assign(this, { position, comparison, pass, kind: trace.kind(pass) });
    // Where the text of each side is from: in a comparison they are of any two passes.
    this.editing = !comparison && wasEdited(pass) && this.look.edit;
    const [a, b] = comparison ? [comparison.from, comparison.to] : (this.editing ? ["source", "edit"] : ["a", "b"]).map((side) => ({ position, side }));
    this.ends = { a, b };
    this.hunks = comparison ? differences(trace, comparison) : this.editing ? pass.edit.hunks : pass.hunks;
    const key = comparison ? addressOfComparison(trace, comparison) : this.editing ? `edit ${position}` : position;
    if (!this.#states.has(key)) {
      this.#states.set(key, { reveal: new Map(), anchors: [], chosen: null, match: null, all: () => this.all });
    }
    this.state = this.#states.get(key);
    this.state.match = null;
    this.hint = h("div", { class: "hint", hidden: true });
    const area = h("div", { class: "panes" });
    this.state.chosen = null;
    const boxes = comparison ? [] : boxesOf(trace, pass, this.kind);
    this.main.replaceChildren(this.#head(), ...boxes, area, this.hint, this.history.element);
    this.#fill(area);
    this.goTo.element.hidden = true;
    area.append(this.goTo.element);
    this.#updateActions();
    for (const pane of this.#panes) pane.layOut();
  }

  #close() {
    this.#panes.forEach((pane) => pane.close());
    this.#panes = [];
    this.#aligner = null;
  }

  #head() {
    const { trace, namesakes, position, comparison } = this;
    this.actions = new Actions(this);
    if (comparison) return h("header", { class: "head" }, comparisonTitle(this), this.actions.element);
    const compareWith = (i) => this.onCompare({ from: endOf(trace, position, "b"), to: endOf(trace, i, "b") });
    const title = titleOf(trace, this.pass, this.kind, this.onSelect);
    const also = alsoIn(trace, namesakes.again(position), compareWith, () => { this.compare(); byId("compare-kernel").focus(); });
    if (also) title.append(also);
    return h("header", { class: "head" }, title, this.actions.element);
  }

  #fill(area) {
    const { trace, pass, comparison } = this;
    const [from, to] = [this.ends.a, this.ends.b];
    const missing = [from, to].filter((end) => textAt(trace, end) === null);
    const same = comparison || this.editing ? this.hunks?.length === 0 : pass.before === pass.after || !pass.changed;
    if (comparison && missing.length) area.append(h("p", { class: "emptypane" }, `No text was recorded: ${endLabel(trace, missing[0])}.`));
    else if (missing.length === 2) area.append(h("p", { class: "emptypane" }, "No text was recorded for this pass."));
    else if (missing.length) this.#single(area, missing[0] === from ? "b" : "a");
    else if (languageAt(trace, from) !== languageAt(trace, to)) this.#apart(area);
    else if (same) this.#single(area, "a", h("span", { class: "nochange" }, comparison ? "no difference" : "no change"));
    else this.#diff(area);
  }

  #label(key) {
    if (this.comparison) return endLabel(this.trace, this.ends[key]);
    if (this.editing) return key === "a" ? "Generated source" : `Edited source${this.pass.edit.compiled ? ", compiled" : ", not compiled"}`;
    if (key === "b" && wasEdited(this.pass) && this.pass.edit.compiled) return "Compiled source";
    if (this.kind === "codegen" && this.pass.before !== null && this.pass.after !== null) return key === "a" ? "IR" : "Generated source";
    return key === "a" ? "Before" : "After";
  }

  #side(key, label = this.#label(key), remark = null) {
    const { trace } = this;
    const n = textAt(trace, this.ends[key]);
    const ids = trace.ids(n);
    const heading = h("div", { class: "col" },
      h("h3", { title: this.comparison ? visible(label) : null }, label), h("span", { class: "lines" }, count(ids.length, "line")), remark,
      copyButton(key === "a" ? "before" : "after", `Copy: ${label}`, () => trace.text(n)));
    return { key, label, ids, heading };
  }

  #add(area, sides, blocks, fold) {
    const pane = new Pane(this.trace, this.search, this.look.unified, sides, blocks, fold, this.state);
    pane.language = languageAt(this.trace, this.ends[sides[0].key]);
    pane.wrapped = this.look.wrap;
    pane.onChoose = (side, line) => this.#clicked(side, line);
    pane.onGo = (side, line) => this.#go({ side, line });
    area.append(pane.element);
    this.#panes.push(pane);
    return pane;
  }

  #single(area, key, remark = null) {
    const names = [...new Set([this.#label("a"), this.#label("b")])]; // one if a text is compared with itself
    const both = this.comparison ? names.join(" and ") : "Before and after";
    this.#whole(area, this.#side(key, remark ? both : this.#label(key), remark));
  }

  // Two languages: nothing to align, and each side scrolls by itself.
  #apart(area) {
    for (const key of ["a", "b"]) this.#whole(area, this.#side(key));
  }

  #whole(area, side) {
    const n = side.ids.length;
    this.#add(area, [side], [{ equal: true, a: 0, an: n, b: 0, bn: n }], false);
  }

  #diff(area) {
    const sides = [this.#side("a"), this.#side("b")];
    const pane = this.#add(area, sides, this.#blocks(sides), true);
    this.#aligner = new Aligner(pane, this.hint, (anchors, pair) => this.realign(anchors, pair));
  }

  #blocks([left, right]) {
    const { anchors } = this.state;
    this.hidden = "";
    if (this.look.space || this.look.names) {
      const { blocks, hidden } = this.alike.compare(left.ids, right.ids, anchors, this.look);
      this.hidden = hiddenWords(hidden);
      return blocks;
    }
    const hunks = anchors.length ? alignedHunks(left.ids, right.ids, anchors) : this.hunks;
    return blocksOf(hunks, left.ids.length, right.ids.length);
  }

  realign(anchors, pair) {
    const pane = this.#panes[0];
    this.state.anchors = anchors;
    this.state.reveal.clear();
    pane.blocks = this.#blocks(pane.sides);
    pane.layOut();
    this.#updateActions();
    if (pair) {
      const row = pane.layout.rowOf("a", pair[0]);
      if (row >= 0) pane.window.reveal(row, MARGIN);
      announce(`Line ${pair[0] + 1} is aligned with line ${pair[1] + 1}.`);
    } else {
      pane.focus();
      announce("The alignment is the computed one again.");
    }
  }

  #updateActions() {
    this.actions.update({
      texts: this.#panes.length > 0, diff: this.#aligner !== null, all: this.all, wrap: this.look.wrap, anchored: this.state.anchors.length > 0, hidden: this.hidden,
    });
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
    else announce("Only texts that differ can be aligned.");
  }

  /** Compares or lays out another way: "unified", "space", "names"; "edit": what was edited, or else
      IR and source. */
  toggleLook(key) {
    this.look[key] = !this.look[key];
    if (key === "unified") store.set("unified", this.look.unified ? "yes" : "no");
    for (const state of this.#states.values()) state.reveal.clear();
    if (!this.pass) return;
    const { chosen } = this.state;
    this.show(this.position, this.comparison);
    if (chosen) this.choose(chosen);
    if (this.hidden && key !== "unified") announce(this.hidden);
    this.onLook();
  }

  toggleEdit() {
    if (this.pass && wasEdited(this.pass) && !this.comparison) this.toggleLook("edit");
  }

  /** Lets long lines go on below instead of sideways, or not; the line at the top stays there. */
  toggleWrap() {
    this.look.wrap = !this.look.wrap;
    store.set("wrap", this.look.wrap ? "yes" : "no");
    for (const pane of this.#panes) {
      pane.wrapped = this.look.wrap;
      pane.layOut();
    }
    if (this.pass) this.#updateActions();
    announce(this.look.wrap ? "Long lines are wrapped." : "Long lines are not wrapped.");
  }

  /** Starts comparing: this pass's text is the left side, and until another is chosen the right. */
  compare() {
    const end = endOf(this.trace, this.position, "b");
    this.onCompare({ from: end, to: end });
  }

  /** The part of the address after the file's: what is shown, with the line chosen. */
  address() {
    const { trace, position, comparison, state } = this;
    return comparison ? addressOfComparison(trace, comparison, state.chosen) : addressOf(trace, position, state.chosen);
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
    if (there && this.history.open) this.#tell();
    return Boolean(there);
  }

  /** Whether a line is the chosen one, or one of a text that is the same and not shown apart. */
  isChosen({ side, line }) {
    const { chosen } = this.state;
    if (!chosen || chosen.line !== line) return false;
    return chosen.side === side || textAt(this.trace, this.ends.a) === textAt(this.trace, this.ends.b);
  }

  #go(at) {
    this.onChoose(at);
    this.focus();
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
    const end = this.ends[side];
    if (this.editing) return; // the passes know nothing of what a person wrote
    this.history.show(end.position, end.side, line, this.comparison ? endLabel(this.trace, end) : "");
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
