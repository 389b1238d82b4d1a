"use strict";
/* Unpacks the trace embedded in the page and answers what is asked about it.

   The element #trace-data holds JSON, packed as unpack.js has it:

     title   what the page is called
     width   digits of the passes' numbers
     state   {kind: "clean", "ended early" or "damaged", message}: how the journal ended
     facts   [[label, value], …]: about the run, as strings
     units   the compiles: {title, label: the same, but of the second compile of a kernel "kernel (2)",
             no label twice, compile: false for passes outside of any compile,
             status: "completed", "failed" or "unfinished", error: string, empty without one}
     passes  in order of their index, see below
     lines   the pool of distinct lines, joined with newlines
     texts   the IRs and sources, as numbers of lines in the pool: [-1, line, …] is a text in full;
             [base, start, removed, added, line × added, …] is text `base`, an earlier one, with
             `removed` lines from its `start` on replaced by the `added` ones, change after change,
             every `start` counted in the base

   A pass:

     index, name, full_name, phase  what the artefacts of the run call it
     unit           position in units
     parent, depth  position in passes of the pass it ran inside, or null; how deep it is nested
     status         "completed", "failed", "skipped", "unfinished" or "codegen"
     changed        whether `after` differs from `before`
     add, del       lines added and removed; 0 for codegen, whose two texts are of different languages
     us             microseconds it took, those of the passes inside it included, or null
     cost           microseconds that the recorder spent on it, which are not in `us`
     error, note    texts, empty where there is none
     before, after  positions in texts, or null for a text that was not recorded
     edit           null, or of a codegen {tag, file}: what was found in the file of edited
                    source; with an edit in it {compiled, source, text, hunks} too: whether that
                    is what was compiled, the generated and the edited source, their diff
     hunks          the line diff, flat: [old start, old count, new start, new count, …], counted
                    from 0; empty for codegen */

class Trace {
  #ids = new Map();
  #widths;

  constructor(data) {
    this.data = data;
    this.lines = data.lines.split("\n");
    this.passes = data.passes;
    this.units = data.units;
    this.#widths = new Uint32Array(this.lines.length);
    this.positions = new Map(this.passes.map((pass, i) => [pass.index, i]));
    this.unitLabels = this.units.map((unit) => unit.label);
  }

  kind(pass) {
    if (pass.status === "codegen") return "codegen";
    if (pass.status !== "completed") return "failed";
    return pass.changed ? "changed" : "noop";
  }

  index(pass) {
    return String(pass.index).padStart(this.data.width, "0");
  }

  text(n) {
    return Array.from(this.ids(n), (id) => this.lines[id]).join("\n");
  }

  /** The line ids of text `n`. A text is often a change to an earlier one, thousands of links
      deep: the walk is a loop, and keeps every 32nd text on its way so that the next is short. */
  ids(n) {
    const chain = [];
    let at = n;
    while (at >= 0 && !this.#ids.has(at)) {
      chain.push(at);
      at = this.data.texts[at][0];
    }
    let ids = at >= 0 ? this.#ids.get(at) : null;
    while (chain.length) {
      at = chain.pop();
      const entry = this.data.texts[at];
      ids = entry[0] < 0 ? Int32Array.from(entry.slice(1)) : patched(ids, entry);
      if (at === n || at % 32 === 0) this.#ids.set(at, ids);
    }
    return ids;
  }

  /** Columns that the widest of some lines takes. */
  width(ids) {
    let widest = 0;
    for (const id of ids) {
      let width = this.#widths[id];
      if (width === 0) width = this.#widths[id] = 1 + columns(this.lines[id]);
      if (width > widest) widest = width;
    }
    return Math.max(0, widest - 1);
  }
}

function patched(base, entry) {
  let size = base.length;
  for (let p = 1; p < entry.length; p += 3 + entry[p + 2]) size += entry[p + 2] - entry[p + 1];
  const ids = new Int32Array(size);
  let from = 0;
  let to = 0;
  for (let p = 1; p < entry.length;) {
    const [start, removed, added] = [entry[p], entry[p + 1], entry[p + 2]];
    ids.set(base.subarray(from, start), to);
    to += start - from;
    p += 3;
    for (let i = 0; i < added; i++) ids[to++] = entry[p++];
    from = start + removed;
  }
  ids.set(base.subarray(from), to);
  return ids;
}

function columns(line) {
  if (/^[ -~]*$/.test(line)) return Math.min(line.length, MAX_SHOWN + 40);
  let width = 0;
  for (const character of line.slice(0, MAX_SHOWN)) {
    if (character === "\t") width += 4;
    else if (HIDDEN.test(character)) width += 8;
    else width += character.codePointAt(0) < 0x1100 ? 1 : 2;
  }
  return width + (line.length > MAX_SHOWN ? 40 : 0);
}
