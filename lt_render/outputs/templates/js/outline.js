"use strict";
/* Knows how the passes stand to each other: the phases of each compile, the passes inside of passes,
   the runs of no-ops, and the time that a pass took by itself. Nothing here changes with what is
   listed. */

class Outline {
  groups = []; // {phase, unit, passes: positions, each pass before those inside it, folds: by place}
  folds = []; // {group, place, size, first, last}: passes in a row that did nothing, two or more

  constructor(trace, kindOf) {
    Object.assign(this, { trace, kindOf });
    const { passes } = trace;
    this.groupOf = new Array(passes.length);
    this.foldOf = new Array(passes.length).fill(null);
    this.size = new Int32Array(passes.length).fill(1); // a pass and all that are inside, of its phase
    this.busy = new Uint8Array(passes.length); // whether it did something, or one inside it did
    this.own = ownTimes(passes);
    this.#walk();
    this.#group();
    for (const group of this.groups) this.#nest(group);
    for (const group of this.groups) this.#fold(group);
  }

  // Kernel by kernel: those of compiles in threads take turns in the order of the run.
  #walk() {
    const { passes } = this.trace;
    this.walk = passes.map((_, i) => i).sort((i, j) => passes[i].unit - passes[j].unit || i - j);
    this.step = new Int32Array(passes.length); // of a position, its place in the walk
    this.walk.forEach((i, at) => { this.step[i] = at; });
  }

  #group() {
    const byKey = new Map();
    this.trace.passes.forEach(({ phase, unit }, i) => {
      const key = `${unit}/${phase}`;
      if (!byKey.has(key)) byKey.set(key, { phase, unit, passes: [], folds: new Map() });
      this.groupOf[i] = byKey.get(key);
      this.groupOf[i].passes.push(i);
    });
    this.groups = [...byKey.values()];
  }

  /** The pass of the same phase that a pass ran inside, or null. */
  #parent(i) {
    const { parent } = this.trace.passes[i];
    return parent !== null && this.groupOf[parent] === this.groupOf[i] ? parent : null;
  }

  // By its number a codegen comes after the passes inside it; in the list it comes before them.
  #nest(group) {
    const inside = new Map();
    const next = [];
    for (const i of group.passes.toReversed()) {
      const parent = this.#parent(i);
      if (parent === null) next.push(i);
      else if (inside.has(parent)) inside.get(parent).push(i);
      else inside.set(parent, [i]);
    }
    if (inside.size === 0) return;
    group.passes = [];
    while (next.length) {
      const i = next.pop();
      group.passes.push(i);
      for (const one of inside.get(i) ?? []) next.push(one);
    }
    for (const i of group.passes.toReversed()) {
      const parent = this.#parent(i);
      if (parent !== null) this.size[parent] += this.size[i];
    }
  }

  #fold(group) {
    const { passes } = this.trace;
    const { busy } = this;
    for (const i of group.passes.toReversed()) {
      const parent = this.#parent(i);
      if (this.kindOf[i] !== "noop") busy[i] = 1;
      if (busy[i] && parent !== null) busy[parent] = 1;
    }
    const runs = [];
    let run = null;
    for (let place = 0; place < group.passes.length;) {
      const i = group.passes[place];
      if (busy[i]) {
        run = null;
        place += 1;
        continue;
      }
      // Passes of another phase may have run in between.
      if (!run || run.inside !== passes[i].parent || run.next !== this.step[i]) {
        run = { group, place, size: 0, inside: passes[i].parent };
        runs.push(run);
      }
      run.size += this.size[i];
      run.next = this.step[i] + this.size[i];
      place += this.size[i];
    }
    for (const fold of runs.filter(({ size }) => size > 1)) {
      const members = group.passes.slice(fold.place, fold.place + fold.size);
      for (const i of members) this.foldOf[i] = fold;
      Object.assign(fold, { first: members[0], last: members.at(-1) });
      this.folds.push(fold);
      group.folds.set(fold.place, fold);
    }
  }
}

/** Microseconds of each pass without those of the passes inside it, or null. */
function ownTimes(passes) {
  const own = passes.map((pass) => pass.us);
  for (const { parent, us } of passes) {
    if (parent !== null && own[parent] !== null) own[parent] = Math.max(0, own[parent] - (us ?? 0));
  }
  return own;
}
