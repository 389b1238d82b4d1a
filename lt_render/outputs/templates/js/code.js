"use strict";
/* Puts a line of code on the page: its colours, what differs, what was searched for. */

/** Appends a line of code. `words` and `hits` are ranges of its characters, [start, end, …]: words
    that differ from the line beside it, matches of the search; `of` is its language, and `within`
    whether it begins inside of a comment. */
function appendCode(parent, text, { words = [], hits = [], of = "python", within = false } = {}) {
  const shown = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN) : text;
  const colours = tokens(shown, of, within);
  // A line is cut into many parts: whether any needs care is asked once for all of them.
  const put = HIDDEN.test(shown) ? appendText : (into, part) => into.append(part);
  nested(parent, 0, shown.length, words ?? [], "w", (inner, from, to) =>
    nested(inner, from, to, hits, "hit", (innermost, start, end) =>
      coloured(innermost, shown, start, end, colours, put)));
  if (shown !== text) parent.append(h("span", { class: "more" }, ` … ${count(text.length - MAX_SHOWN, "more character")}`));
}

function coloured(parent, text, from, to, colours, put) {
  let at = from;
  for (const { start, end, kind } of colours) {
    if (end <= at) continue;
    if (start >= to) break;
    if (start > at) put(parent, text.slice(at, start));
    const part = document.createElement("span");
    part.className = `t-${kind}`;
    at = Math.min(to, end);
    put(part, text.slice(Math.max(from, start), at));
    parent.append(part);
  }
  if (at < to) put(parent, text.slice(at, to));
}

/** Cuts [from, to) at `ranges`: those parts go into spans of class `name`; `fill` fills each part. */
function nested(parent, from, to, ranges, name, fill) {
  let at = from;
  for (let i = 0; i < ranges.length; i += 2) {
    const start = Math.max(at, ranges[i]);
    const end = Math.min(to, ranges[i + 1]);
    if (start >= end) continue;
    if (start > at) fill(parent, at, start);
    const part = document.createElement("span");
    part.className = name;
    fill(part, start, end);
    parent.append(part);
    at = end;
  }
  if (at < to) fill(parent, at, to);
}
