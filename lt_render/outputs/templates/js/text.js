"use strict";
/* Makes texts of the trace safe to show: they reach the page through appendText(), as text nodes
   and never as HTML, with the characters named that a browser would obey or not show. */

const MAX_SHOWN = 10000; // characters of a line put on the page; copying takes them all

// Not by toLocaleString(): its first call costs more than the first diff on screen.
const withCommas = (n) => String(n).replace(/\B(?=(?:\d{3})+$)/g, ",");
const count = (n, noun, nouns = `${noun}s`) => `${withCommas(n)} ${n === 1 ? noun : nouns}`;

// Controls (but for the tab), formats such as bidi overrides and zero-width characters, lone
// surrogates, line and paragraph separators: all that a browser would obey or not show.
const HIDDEN = /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const HIDDEN_PARTS = new RegExp(`(${HIDDEN.source})`, "u");

// Names and not ␛ and its like: few fonts have those, and fewer draw them legibly.
const CONTROLS = "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");

function nameOfHidden(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return CONTROLS[code];
  if (code === 0x7f) return "DEL";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Appends a text of the trace; `keepNewlines` for boxes where a newline is a newline. */
function appendText(parent, text, keepNewlines = false) {
  if (!HIDDEN.test(text)) {
    parent.append(text);
    return;
  }
  text.split(HIDDEN_PARTS).forEach((part, i) => {
    if (i % 2 === 0 || (keepNewlines && part === "\n")) {
      if (part) parent.append(part);
      return;
    }
    const mark = document.createElement("i");
    mark.className = "mark";
    mark.title = `U+${part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    mark.textContent = nameOfHidden(part);
    parent.append(mark);
  });
}

const visible = (text) =>
  text.split(HIDDEN_PARTS).map((part, i) => (i % 2 ? nameOfHidden(part) : part)).join("");

function duration(us) {
  if (us < 1000) return `${us} µs`;
  if (us < 999500) return `${(us / 1e3).toPrecision(3)} ms`;
  return `${(us / 1e6).toFixed(2)} s`;
}
