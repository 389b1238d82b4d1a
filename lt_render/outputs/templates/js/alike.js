"use strict";
/* Compares texts as if whitespace, or the numbers behind names, did not count; and counts what that hides. */

const SPACE = /\s+/gu;
const NUMBERED = /\b([A-Za-z_]\w*?)(?:_\d+)+\b/g; // v_1, v_1_2: a name and the number made up for it

const withoutSpace = (line) => line.replace(SPACE, "");
const withoutNumbers = (line) => line.replace(NUMBERED, "$1");

class Alike {
  #kept = new Map(); // for each way to compare, a number for each line of the pool: alike, the same

  constructor(trace) {
    this.trace = trace;
  }

  #numbers(ids, space, names) {
    const way = `${space}${names}`;
    if (!this.#kept.has(way)) this.#kept.set(way, { of: new Int32Array(this.trace.lines.length), known: new Map() });
    const { of, known } = this.#kept.get(way);
    return ids.map((id) => {
      if (of[id] === 0) {
        let line = this.trace.lines[id];
        if (names) line = withoutNumbers(line);
        if (space) line = withoutSpace(line);
        if (!known.has(line)) known.set(line, known.size + 1);
        of[id] = known.get(line);
      }
      return of[id];
    });
  }

  /** The blocks of the diff, and how many lines that differ stand in them as equal: {whitespace,
      renumbering, both}. */
  compare(a, b, anchors, { space, names }) {
    const [left, right] = [this.#numbers(a, space, names), this.#numbers(b, space, names)];
    const blocks = blocksOf(alignedHunks(left, right, anchors), a.length, b.length);
    const hidden = { whitespace: 0, renumbering: 0, both: 0 };
    for (const block of blocks) {
      for (let i = 0; block.equal && i < block.an; i++) {
        const [one, other] = [a[block.a + i], b[block.b + i]];
        if (one !== other) hidden[this.#reason(one, other, space, names)] += 1;
      }
    }
    return { blocks, hidden };
  }

  #reason(one, other, space, names) {
    if (!names) return "whitespace";
    if (!space) return "renumbering";
    const [left, right] = [this.trace.lines[one], this.trace.lines[other]];
    if (withoutSpace(left) === withoutSpace(right)) return "whitespace";
    return withoutNumbers(left) === withoutNumbers(right) ? "renumbering" : "both";
  }
}

/** "3 differences hidden: whitespace", or "" when none is. */
function hiddenWords(hidden) {
  const words = { whitespace: "whitespace", renumbering: "renumbering", both: "whitespace with renumbering" };
  const reasons = Object.keys(words).filter((reason) => hidden[reason] > 0);
  const total = reasons.reduce((sum, reason) => sum + hidden[reason], 0);
  if (total === 0) return "";
  const each = reasons.length === 1 ? words[reasons[0]] : reasons.map((reason) => `${hidden[reason]} ${words[reason]}`).join(", ");
  return `${count(total, "difference")} hidden: ${each}`;
}
