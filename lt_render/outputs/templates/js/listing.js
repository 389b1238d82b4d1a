"use strict";
/* Says what stands in the list, entry by entry: the phases with their passes as a tree and their runs
   of no-ops folded, or all passes in one row in another order. */

class Listing {
  entries = []; // {kind: "group", "fold" or "pass", of, parent, level, depth, place, held, open, …}
  order = "run"; // or "time", "lines"
  folded = 0; // no-ops that are listed as part of a closed fold only
  #closed = new Set(); // groups, and positions of passes, that hide what is in them
  #opened = new Set(); // folds that do not

  constructor(trace, filter) {
    Object.assign(this, { trace, filter, outline: new Outline(trace, filter.kindOf) });
    this.at = new Int32Array(trace.passes.length); // of a position, its entry, or -1
  }

  /** Whether no-ops may be folded: not where the reader asks for them, or for an order. */
  get folding() {
    return this.order === "run" && !this.filter.search.active && this.filter.kinds.size === 0;
  }

  build() {
    this.entries = [];
    this.held = 0;
    this.folded = 0;
    this.at.fill(-1);
    this.#sum();
    if (this.order === "run") for (const group of this.outline.groups) this.#addGroup(group);
    else for (const i of this.#sorted()) this.#add({ kind: "pass", of: i, inside: null, open: false, depth: 0 }, null);
  }

  // Of all that the filter admits, folded or not, so that no bar changes when something is opened.
  #sum() {
    const { own } = this.outline;
    this.total = { own: 0, cost: 0 };
    this.longest = 0;
    for (const i of this.filter.admitted) {
      this.total.own += own[i] ?? 0;
      this.total.cost += this.trace.passes[i].cost;
      this.longest = Math.max(this.longest, own[i] ?? 0);
    }
  }

  #sorted() {
    const { own } = this.outline;
    const { passes } = this.trace;
    const weight = this.order === "time" ? (i) => own[i] ?? -1 : (i) => passes[i].add + passes[i].del;
    return this.filter.admitted.toSorted((i, j) => weight(j) - weight(i));
  }

  /** Adds an entry below `parent`, the entry that it is in. */
  #add(entry, parent) {
    entry.parent = parent;
    entry.level = parent ? parent.level + 1 : 1;
    entry.held = 0;
    entry.place = ++(parent ?? this).held;
    entry.at = this.entries.length;
    if (entry.kind === "pass") this.at[entry.of] = entry.at;
    this.entries.push(entry);
    return entry;
  }

  #addGroup(group) {
    const { passes, folds } = group;
    const { admits } = this.filter;
    const inside = this.#inside(group, 0, passes.length);
    if (!inside) return;
    const head = this.#add({ kind: "group", of: group, inside, open: !this.#closed.has(group), depth: 0 }, null);
    if (!head.open) return;
    const around = [{ entry: head, end: passes.length }]; // the entries that the next one is in
    let shift = 0;
    for (let place = 0; place < passes.length; place++) {
      while (place >= around.at(-1).end) if (around.pop().entry.kind === "fold") shift = 0;
      const i = passes[place];
      const { depth } = this.trace.passes[i];
      const fold = this.folding ? folds.get(place) : undefined;
      if (fold) {
        const entry = this.#add({ kind: "fold", of: fold, open: this.#opened.has(fold), depth }, around.at(-1).entry);
        if (!entry.open) {
          this.folded += fold.size;
          place += fold.size - 1;
          continue;
        }
        around.push({ entry, end: place + fold.size });
        shift = 1;
      }
      if (!admits[i]) continue;
      const size = this.outline.size[i];
      const within = size > 1 ? this.#inside(group, place + 1, place + size) : null;
      const open = within !== null && !this.#closed.has(i);
      const entry = this.#add({ kind: "pass", of: i, inside: within, open, depth: depth + shift }, around.at(-1).entry);
      if (open) around.push({ entry, end: place + size });
      else if (within) place += size - 1;
    }
  }

  /** What is listed of some passes of a group: how many, and the worst of them; or null. */
  #inside(group, from, to) {
    const { admits, kindOf } = this.filter;
    const inside = { count: 0, failed: false, changed: false };
    for (let place = from; place < to; place++) {
      const i = group.passes[place];
      if (!admits[i]) continue;
      inside.count += 1;
      if (kindOf[i] === "failed") inside.failed = true;
      if (kindOf[i] === "changed") inside.changed = true;
    }
    return inside.count > 0 ? inside : null;
  }

  /** Where an entry of an earlier listing stands now, or -1. */
  find({ kind, of }) {
    return kind === "pass" ? this.at[of] : this.entries.findIndex((entry) => entry.of === of);
  }

  opens(entry) {
    return entry.kind !== "pass" || entry.inside !== null;
  }

  toggle({ kind, of }) {
    const set = kind === "fold" ? this.#opened : this.#closed;
    if (!set.delete(of)) set.add(of);
  }

  /** Opens what hides a pass; whether anything did. */
  reveal(i) {
    const { passes } = this.trace;
    const fold = this.outline.foldOf[i];
    let hidden = this.#closed.delete(this.outline.groupOf[i]);
    for (let at = passes[i].parent; at !== null; at = passes[at].parent) hidden = this.#closed.delete(at) || hidden;
    if (fold && this.folding && !this.#opened.has(fold)) {
      this.#opened.add(fold);
      hidden = true;
    }
    return hidden;
  }

  /** Opens all folds or, if none is closed, closes them. */
  toggleFolds() {
    if (this.folded > 0) for (const fold of this.outline.folds) this.#opened.add(fold);
    else this.#opened.clear();
  }

  /** The pass listed after or before `i`, as the list is ordered; undefined at its end. */
  next(i, direction) {
    if (this.order !== "run") {
      const at = this.at[i] >= 0 ? this.at[i] + direction : direction > 0 ? 0 : this.entries.length - 1;
      return this.entries[at]?.of;
    }
    const { walk, step } = this.outline;
    let to = i < 0 ? -1 : step[i];
    do to += direction; while (to >= 0 && to < walk.length && this.at[walk[to]] < 0);
    return walk[to];
  }
}
