"use strict";
/* Follows a line through the texts of a compile: what it was before, what became of it. */

const MAX_VERSIONS = 60; // of a line's history, each way
const ALIKE = 0.35; // likeness (words.js) from which a line counts as the other rewritten

/** The texts of one compile as steps from text to text. A step is a pass that recorded both its
    texts; a pass whose inner passes account for all it did is left to them. `from` is the step
    whose result it took up: usually the very same text, else the one most like it, and then
    `bridge` holds the differences and `culprit` the pass around that made them, if it is known. */
class Lineage {
  #latest = new Map(); // by text, the latest step that led to it
  #inner = new Map(); // by position of a pass, the spans of those that ran inside it

  constructor(trace, unit) {
    this.trace = trace;
    this.steps = []; // in the order they ended
    this.spanOf = new Map(); // by position of a pass, the first and last step of what it did
    for (const position of finishOrder(trace.passes, unit)) this.#add(position);
  }

  #add(position) {
    const { before, after, status, changed, hunks, parent } = this.trace.passes[position];
    if (before === null && after === null) return;
    const inner = this.#inner.get(position) ?? [];
    let span;
    if (accountFor(inner, before, after)) {
      span = { before, after, first: inner[0].first, last: inner.at(-1).last };
    } else {
      const step = {
        position, before, after, next: [], from: null, bridge: null, culprit: null,
        translates: status === "codegen", hunks: changed ? hunks : [],
      };
      if (before !== null) this.#connect(step);
      this.steps.push(step);
      this.#latest.set(after, step);
      span = { before, after, first: step, last: step };
    }
    this.spanOf.set(position, span);
    if (!this.#inner.has(parent)) this.#inner.set(parent, []);
    this.#inner.get(parent).push(span);
  }

  #connect(step) {
    const { passes } = this.trace;
    const same = this.#latest.get(step.before);
    const parent = passes[step.position].parent;
    let base = step.before;
    if (same) step.from = same;
    else if (parent !== null && passes[parent].before !== null) {
      base = passes[parent].before;
      step.from = this.#latest.get(base) ?? null;
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

  /** Of the latest steps with nothing after them, the one whose result shares most lines with a text. */
  #mostLike(text) {
    const lines = new Set(this.trace.ids(text));
    let best = null;
    let most = 0;
    for (const step of this.steps.slice(-200)) {
      if (step.after === null || step.translates || step.next.some((one) => one.bridge === null)) continue;
      let shared = 0;
      for (const id of new Set(this.trace.ids(step.after))) shared += lines.has(id);
      if (shared >= most && shared > 0) [best, most] = [step, shared];
    }
    return best;
  }

  /** The versions of a line, oldest first, `at` the one asked about, and the `end` of the last. A
      version is {text, how, position, side, line, culprit}: how it came in and where it is first
      to be seen; `culprit` is null if the pass at `position` did it, else the pass around it, or
      "between". Null where a pass has no text. */
  history(position, side, line) {
    const span = this.spanOf.get(position);
    if (!span) return null;
    const step = side === "a" ? span.first : span.last;
    const older = this.#backward(step, side, line);
    const newer = this.#forward(step, side, line);
    return { versions: [...older, ...newer.versions], at: older.length - 1, end: newer.end };
  }

  #version(step, side, line, how, culprit = null) {
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

  /** `at` is "a" or "b", or "bridge" for a line still in the text that the step took up. */
  #forward(step, at, line) {
    const versions = [];
    while (versions.length < MAX_VERSIONS) {
      if (at === "b") {
        if (step.next.length > 1) return this.#longest(step.next.map((next) => this.#forward(next, "bridge", line)), versions);
        if (step.next.length === 0) return { versions, end: { how: "stays", position: step.position, side: "b", line } };
        [step, at] = [step.next[0], "bridge"];
        continue;
      }
      if (at === "a" && (step.after === null || step.translates)) {
        return { versions, end: { how: "stays", position: step.position, side: "a", line } };
      }
      const to = at === "a" ? "b" : "a";
      const goes = crossed((to === "b" ? step.hunks : step.bridge) ?? [], line, 0, 2);
      if (goes.hunk) {
        const culprit = to === "a" ? step.culprit ?? "between" : null;
        const now = this.#partner(step, to, goes.hunk, line, false);
        if (now < 0) {
          // A line that went on the way to a pass is to be seen in the one before.
          const [last, side] = to === "b" ? [step, "a"] : [step.from, "b"];
          return { versions, end: { how: "removed", position: last.position, by: step.position, side, line, culprit } };
        }
        versions.push(this.#version(step, to, now, "rewritten", culprit));
        line = now;
      } else line = goes.line;
      at = to;
    }
    return { versions, end: { how: "more", position: step.position, side: at, line } };
  }

  /** Where several passes took up the same text, what counts is the one that keeps a line longest. */
  #longest(fates, versions) {
    const rank = ({ end }) => (end.how === "removed" ? 0 : 1e9) + end.position;
    const best = fates.reduce((one, other) => (rank(other) >= rank(one) ? other : one));
    return { versions: [...versions, ...best.versions], end: best.end };
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
  if (inner.length === 0 || inner[0].before !== before || inner.at(-1).after !== after) return false;
  return inner.every((step, i) => i === 0 || step.before === inner[i - 1].after);
}
