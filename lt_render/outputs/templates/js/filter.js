"use strict";
/* Says which passes are listed, and how many there were with another phase, kernel or status. */

class Filter {
  phase = null;
  unit = null; // position in units
  kinds = new Set(); // empty: of any kind
  admitted = []; // positions of the passes listed, in the order of the run

  constructor(trace, search) {
    Object.assign(this, { trace, search });
    this.kindOf = trace.passes.map((pass) => trace.kind(pass));
    this.admits = new Uint8Array(trace.passes.length);
  }

  get active() {
    return this.search.active || this.phase !== null || this.unit !== null || this.kinds.size > 0;
  }

  clear() {
    this.phase = null;
    this.unit = null;
    this.kinds.clear();
  }

  /** Looks through the passes anew. A choice's count is of the passes that all else admits:
      what would be listed if it were chosen. */
  apply() {
    const { phase, unit, kinds, search } = this;
    this.admitted = [];
    this.counts = { phase: new Map(), unit: new Map(), kind: new Map() };
    const add = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);
    this.trace.passes.forEach((pass, i) => {
      const kind = this.kindOf[i];
      const inPhase = phase === null || pass.phase === phase;
      const inUnit = unit === null || pass.unit === unit;
      const ofKind = kinds.size === 0 || kinds.has(kind);
      const missed = !inPhase + !inUnit + !ofKind;
      this.admits[i] = 0;
      if (missed > 1 || !search.admits(pass)) return;
      if (inUnit && ofKind) add(this.counts.phase, pass.phase);
      if (inPhase && ofKind) add(this.counts.unit, pass.unit);
      if (inPhase && inUnit) add(this.counts.kind, kind);
      if (missed) return;
      this.admits[i] = 1;
      this.admitted.push(i);
    });
  }
}
