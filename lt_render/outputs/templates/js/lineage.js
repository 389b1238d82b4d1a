"use strict";
/* Follows a line through the texts of a compile: what it was before, what became of it. */

const MAX_VERSIONS = 60; // of a line's history, each way
const ALIKE = 0.35; // likeness (words.js) from which a line counts as the other rewritten

/** The texts of one compile as steps from text to text. A step is a pass that recorded both its
    texts; a pass whose inner passes account for all it did is left to them. `from` is the step
    whose result it took up: usually the very same text, else the one most like it, and then
    `bridge` holds the differences and `culprit` the pass around that made them, if it is known. */
class Lineage {
  constructor(trace, unit) {
    this.trace = trace;
    this.steps = [];
    this.stepOf = new Map(); // by position of the pass
    for (const position of finishOrder(trace.passes, unit)) this.#add(position);
  }

  #add(position) {
    const { passes } = this.trace;
    const { before, after, status, changed, hunks } = passes[position];
    if (before === null && after === null) return;
    const inner = this.steps.filter((step) => passes[step.position].parent === position);
    if (inner.length && accountFor(inner, before, after)) {
      this.stepOf.set(position, { first: this.stepOf.get(inner[0].position), last: inner.at(-1) });
      this.steps.push({ ...inner.at(-1), position, standsFor: inner.at(-1) });
      return;
    }
    const step = {
      position, before, after, next: [], from: null, bridge: null, culprit: null,
      translates: status === "codegen", hunks: changed ? hunks : [],
    };
    this.stepOf.set(position, { first: step, last: step });
    if (before !== null) this.#connect(step);
    this.steps.push(step);
  }

  #connect(step) {
    const { passes } = this.trace;
    const same = this.steps.findLast((one) => one.after === step.before);
    const parent = passes[step.position].parent;
    let base = step.before;
    if (same) step.from = same.standsFor ?? same;
    else if (parent !== null && passes[parent].before !== null) {
      base = passes[parent].before;
      const around = this.steps.findLast((one) => one.after === base);
      step.from = around?.standsFor ?? around ?? null;
      step.culprit = parent;
    } else {
      step.from = this.#mostLike(step.before);
      base = step.from?.after;
    }
    if (!step.from) return;
    if (base !== step.before) {
      step.bridge = [];
      const [a, b] = [this.trace.ids(base), this.trace.ids(step.before)];
      diffIds(a, 0, a.length, b, 0, b.length, step.bridge);
    }
    step.from.next.push(step);
  }

  /** The step with nothing after it yet whose result shares most lines with a text. */
  #mostLike(text) {
    const lines = new Set(this.trace.ids(text));
    let best = null;
    let most = 0;
    for (const step of this.steps) {
      if (step.standsFor || step.after === null || step.translates) continue;
      if (step.next.some((one) => one.bridge === null)) continue;
      let shared = 0;
      for (const id of new Set(this.trace.ids(step.after))) shared += lines.has(id);
      if (shared >= most && shared > 0) [best, most] = [step, shared];
    }
    return best;
  }

  /** The versions of a line, oldest first, and the number of the one asked about. A version is
      {text, position, side, line, how, end}: where it came in and how, and its end, if it is the
      last: {how, position, side, line}. Null where nothing is known of the pass. */
  history(position, side, line) {
    const found = this.stepOf.get(position);
    if (!found) return null;
    const step = side === "a" ? found.first : found.last;
    const older = this.#backward(step, side, line);
    const newer = this.#forward(step, side, line);
    const at = older.length - 1;
    older[at].end = newer.end;
    return { versions: [...older, ...newer.versions], at };
  }

  #version(step, side, line, how, culprit) {
    const text = this.trace.lines[this.trace.ids(side === "a" ? step.before : step.after)[line]];
    return { text, position: step.position, side, line, how, culprit };
  }

  #backward(step, side, line) {
    const versions = [];
    const put = (...of) => versions.unshift(this.#version(...of));
    while (versions.length < MAX_VERSIONS) {
      let hunks;
      if (side === "b") {
        if (step.translates || step.before === null) {
          put(step, side, line, step.translates ? "generated" : "start");
          return versions;
        }
        hunks = step.hunks;
      } else {
        if (!step.from) {
          put(step, side, line, "start");
          return versions;
        }
        hunks = step.bridge ?? [];
      }
      const was = crossed(hunks, line, 2, 0);
      if (was.hunk) {
        const old = this.#partner(step, side, was.hunk, line, true);
        put(step, side, line, old < 0 ? "brought" : "rewritten", side === "a" ? step.culprit ?? "between" : null);
        if (old < 0) return versions;
        line = old;
      } else line = was.line;
      if (side === "b") side = "a";
      else [step, side] = [step.from, "b"];
    }
    return versions;
  }

  #forward(step, side, line) {
    const versions = [];
    let end = null;
    while (versions.length < MAX_VERSIONS) {
      let next = step;
      if (side === "b" || step.after === null || step.translates) {
        if (side === "b") next = this.#successor(step, line);
        if (side === "a" || !next) {
          end = { how: "stays", position: step.position, side, line };
          break;
        }
      }
      const to = side === "a" ? "b" : "a";
      const hunks = to === "b" ? step.hunks : next.bridge ?? [];
      const goes = crossed(hunks, line, 0, 2);
      if (goes.hunk) {
        const now = this.#partner(next, to, goes.hunk, line, false);
        const culprit = to === "a" ? next.culprit ?? "between" : null;
        if (now < 0) {
          end = { how: "removed", position: to === "b" ? step.position : next.position, from: step.position, side, line, culprit };
          break;
        }
        versions.push(this.#version(next, to, now, "rewritten", culprit));
        line = now;
      } else line = goes.line;
      [step, side] = [next, to];
    }
    if (versions.length) [versions.at(-1).end, end] = [end, null];
    return { versions, end };
  }

  /** Of the steps that took up a result, the last that still has the line. */
  #successor(step, line) {
    return step.next.findLast((one) => !one.bridge && !one.dead) && step.next.length === 1
      ? step.next[0]
      : step.next.findLast((one) => !crossed(one.bridge ?? [], line, 0, 2).hunk) ?? step.next.at(-1) ?? null;
  }

  /** The line on the other side of a hunk that a line was rewritten from or into, or -1. `side` is
      the side of `step` that the hunk ends at. */
  #partner(step, side, [oldStart, oldCount, newStart, newCount], line, back) {
    if (oldCount === 0 || newCount === 0) return -1;
    const after = side === "b" ? step.after : step.before;
    const before = side === "b" ? step.before : step.culprit === null ? step.from.after : this.trace.passes[step.culprit].before;
    const texts = (n, start, size) => Array.from(this.trace.ids(n).subarray(start, start + size), (id) => this.trace.lines[id]);
    const [old, now] = [texts(before, oldStart, oldCount), texts(after, newStart, newCount)];
    const longOld = oldCount > newCount;
    const places = longOld ? pairUp(now, old) : pairUp(old, now);
    const mine = line - (back ? newStart : oldStart);
    const theirs = longOld === back ? places[mine] : places.indexOf(mine);
    if (theirs < 0 || theirs === undefined) return -1;
    const [one, other] = back ? [now[mine], old[theirs]] : [old[mine], now[theirs]];
    return likeness(one, other) < ALIKE ? -1 : theirs + (back ? oldStart : newStart);
  }
}

/** Where a line goes across flat hunks: {line} on the other side, or the {hunk} it is changed in.
    `here` and `there` are where in a hunk the line's side and the other one stand. */
function crossed(hunks, line, here, there) {
  let shift = 0;
  for (let i = 0; i < hunks.length; i += 4) {
    const start = hunks[i + here];
    const size = hunks[i + here + 1];
    if (line < start) break;
    if (line < start + size) return { hunk: hunks.slice(i, i + 4), line: -1 };
    shift = hunks[i + there] + hunks[i + there + 1] - (start + size);
  }
  return { hunk: null, line: line + shift };
}

/** The passes of a unit in the order they ended: those inside of one before it. */
function finishOrder(passes, unit) {
  const order = [];
  const open = [];
  passes.forEach((pass, i) => {
    if (pass.unit !== unit) return;
    while (open.length && open.at(-1) !== pass.parent) order.push(open.pop());
    open.push(i);
  });
  while (open.length) order.push(open.pop());
  return order;
}

/** Whether inner passes lead, each from where the one before it left off, from text to text. */
function accountFor(inner, before, after) {
  if (inner[0].before !== before || inner.at(-1).after !== after) return false;
  return inner.every((step, i) => i === 0 || step.before === inner[i - 1].after);
}
