"use strict";
/* Puts a line of code on the page: what differs, what was searched for. */

/** Appends a line of code. `words` and `hits` are ranges of its characters, [start, end, …]: words
    that differ from the line beside it, matches of the search. */
function appendCode(parent, text, { words = [], hits = [] } = {}) {
  const shown = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN) : text;
  nested(parent, 0, shown.length, words ?? [], "w", (inner, from, to) =>
    nested(inner, from, to, hits, "hit", (innermost, start, end) =>
      appendText(innermost, shown.slice(start, end))));
  if (shown !== text) parent.append(h("span", { class: "more" }, ` … ${count(text.length - MAX_SHOWN, "more character")}`));
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
