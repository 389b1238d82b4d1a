"use strict";
/* Counts in which passes, and on how many lines of their texts, a searched text stands. */

/** What is searched for. Each distinct line is looked at once; the count of a text follows from
    that of the text it is a change to, so that thousands of texts cost no more than their changes. */
class Search {
  #removed = null; // for every text, the lines of its base that it does not take over
  #starts = null; // where each line begins in the pool
  #pattern = null;
  #counts = null; // lines with the text, by text

  constructor(trace) {
    Object.assign(this, { trace, query: "", scope: "all" });
  }

  get active() {
    return this.#pattern !== null;
  }

  get inTexts() {
    return this.#counts !== null;
  }

  set(query, scope) {
    Object.assign(this, { query, scope });
    this.#counts = null;
    this.#pattern = query === "" ? null : new RegExp(query.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "gi");
    if (this.active && scope !== "name") this.#count();
  }

  #count() {
    const { texts } = this.trace.data;
    const hits = this.#lines();
    this.#removed ??= removedLines(texts);
    this.#counts = new Int32Array(texts.length);
    texts.forEach((entry, n) => {
      let sum = entry[0] < 0 ? 0 : this.#counts[entry[0]];
      if (entry[0] < 0) for (let p = 1; p < entry.length; p++) sum += hits[entry[p]];
      else for (let p = 1; p < entry.length; p += 3 + entry[p + 2]) for (let i = 0; i < entry[p + 2]; i++) sum += hits[entry[p + 3 + i]];
      for (const id of this.#removed[n]) sum -= hits[id];
      this.#counts[n] = sum;
    });
    this.hits = hits;
  }

  /** 1 for each line of the pool that has the text. */
  #lines() {
    const pool = this.trace.data.lines;
    const { lines } = this.trace;
    if (!this.#starts) {
      this.#starts = new Uint32Array(lines.length + 1);
      lines.forEach((line, id) => { this.#starts[id + 1] = this.#starts[id] + line.length + 1; });
    }
    const hits = new Uint8Array(lines.length);
    const pattern = this.#pattern;
    pattern.lastIndex = 0;
    for (let id = 0, found; (found = pattern.exec(pool));) {
      while (this.#starts[id + 1] <= found.index) id++;
      hits[id] = 1;
      pattern.lastIndex = this.#starts[id + 1];
    }
    return hits;
  }

  /** On how many lines of the texts before and after a pass: null for one that was not recorded. */
  counts(pass) {
    const of = (n) => (n === null ? null : this.#counts[n]);
    return this.inTexts ? { before: of(pass.before), after: of(pass.after) } : { before: null, after: null };
  }

  inTextsOf(pass) {
    const { before, after } = this.counts(pass);
    return before > 0 || after > 0;
  }

  admits(pass) {
    return !this.active || this.inTextsOf(pass) || (this.scope !== "text" && this.#named(pass));
  }

  #named(pass) {
    return pass.name.search(this.#pattern) >= 0 || pass.full_name.search(this.#pattern) >= 0;
  }

  /** Where the text stands in a line: [start, end, …]. */
  ranges(line) {
    if (!this.inTexts) return [];
    return Array.from(line.matchAll(this.#pattern), (found) => [found.index, found.index + found[0].length]).flat();
  }

  /** Of the passes of a unit, the one that brought the text in and the last that has it. */
  span(unit) {
    const { passes } = this.trace;
    const brings = (pass) => this.counts(pass).after > 0 && !(this.counts(pass).before > 0);
    let first = -1;
    let last = -1;
    passes.forEach((pass, i) => {
      if (pass.unit !== unit || !this.inTextsOf(pass)) return;
      // A pass that ran inside the first one and brings the text in too is nearer to its origin.
      if (first < 0 || (pass.parent === first && brings(pass) && brings(passes[first]))) first = i;
      last = i;
    });
    return last < 0 ? null : {
      first, last,
      brought: brings(passes[first]),
      removed: this.counts(passes[last]).after === 0 && passes[last].status !== "codegen",
    };
  }
}

/** For every text, the lines of its base that it drops. Bases are expanded one after another and
    let go after their last use: all at once they may not fit in memory. */
function removedLines(texts) {
  const lastUse = new Int32Array(texts.length).fill(-1);
  texts.forEach((entry, n) => { if (entry[0] >= 0) lastUse[entry[0]] = n; });
  const open = new Map();
  return texts.map((entry, n) => {
    const base = entry[0] < 0 ? null : open.get(entry[0]);
    const removed = [];
    if (base) {
      for (let p = 1; p < entry.length; p += 3 + entry[p + 2]) {
        for (let i = 0; i < entry[p + 1]; i++) removed.push(base[entry[p] + i]);
      }
    }
    if (lastUse[n] >= 0) open.set(n, base ? patched(base, entry) : Int32Array.from(entry.slice(1)));
    if (base && lastUse[entry[0]] === n) open.delete(entry[0]);
    return Int32Array.from(removed);
  });
}
