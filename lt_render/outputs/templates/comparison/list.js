"use strict";
/* Lists the kernels of a comparison, and the passes of the chosen one, both sides in a row.

   The element #trace-data holds JSON, packed as unpack.js has it:

     title, totals  what the page is called; how many kernels differ
     differs        whether any does
     facts          [[label, value], …]: about the two runs
     kernels        {label, target, differs, verdict, remarks: [string, …], first: position in rows of
                    what began the difference, or -1, rows}
     lines, texts   as in the report, see trace.js

   A row:

     state          "same", "diverges", "follows", "converges", "harmless", "unreached" or
                    "unknown"
     words          what became of it, as a string
     a, b           the pass on either side: {index, name, label, depth, before, after: positions in texts or
                    null, codegen, error: string}, or null where that side has none; its index is
                    null for what the kernels were given
     add, del       lines by which the outputs differ; of a pass of one side, what it did
     hunks          the diff of the outputs as flat hunks, where some differences are ignored; or null */

const ROW_MARKS = { same: "=", diverges: "≠", follows: "~", converges: "≈", harmless: "=", unreached: "…", unknown: "?" };
const LIST_ROW = 28; // px; list.css: .entry

const isAlone = (row) => row.a === null || row.b === null;

function markOf(row) {
  const alone = isAlone(row) && row.state !== "diverges" && row.state !== "unreached";
  const mark = alone ? (row.b === null ? "−" : "+") : ROW_MARKS[row.state];
  return h("span", { class: `state ${alone ? "alone" : row.state}`, "aria-hidden": "true" }, mark);
}

function indexesOf(row) {
  const of = (pass) => (pass && pass.index !== null ? String(pass.index) : "");
  return [of(row.a), of(row.b)];
}

class KernelList {
  constructor(kernels, onChoose) {
    this.buttons = kernels.map((kernel, i) => h("button", { type: "button", class: "kernel", onclick: () => onChoose(i) },
      h("span", { class: `state ${kernel.differs ? "diverges" : "same"}`, "aria-hidden": "true" }, kernel.differs ? "≠" : "="),
      h("b", {}, kernel.label), h("small", {}, kernel.verdict)));
    byId("kernels").append(...this.buttons);
    byId("kernels").hidden = kernels.length < 2;
  }

  choose(at) {
    this.buttons.forEach((button, i) => {
      if (i === at) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    this.buttons[at]?.scrollIntoView({ block: "nearest" });
  }
}

class RowList {
  #rows = [];
  #shown = []; // positions in rows
  #chosen = -1;

  constructor(onChoose) {
    this.onChoose = onChoose;
    this.all = false;
    this.list = byId("pass-list");
    this.window = new Windowed(byId("pass-scroll"), this.list, LIST_ROW, (i) => [[this.list, this.#entry(i)]]);
    byId("only-differences").addEventListener("click", () => this.toggle());
    this.list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.step(step);
      this.focus();
    });
  }

  show(rows) {
    this.#rows = rows;
    this.#chosen = -1;
    const digits = Math.max(2, ...rows.flatMap(indexesOf).map((index) => index.length));
    this.list.style.setProperty("--digits", `${digits}ch`);
    this.#list(0);
  }

  #list(top) {
    const differs = (row) => !(row.state === "same" || (row.state === "harmless" && row.add + row.del === 0));
    const positions = this.#rows.map((_, i) => i);
    const some = positions.filter((i) => differs(this.#rows[i]) || i === this.#chosen);
    this.#shown = this.all || some.length === 0 ? positions : some;
    byId("only-differences").textContent = this.all ? "Only what differs" : "All passes";
    byId("list-foot").textContent = `${count(this.#shown.length, "pass", "passes")} of ${this.#rows.length} listed`;
    this.window.pinned = this.#shown.indexOf(this.#chosen);
    this.window.reset(this.#shown.length, top);
  }

  toggle() {
    this.all = !this.all;
    this.#list(0);
    this.#bring();
  }

  choose(position) {
    this.#chosen = position;
    if (!this.#shown.includes(position)) this.#list(0);
    this.window.pinned = this.#shown.indexOf(position);
    this.#bring();
  }

  #bring() {
    const at = this.#shown.indexOf(this.#chosen);
    if (at >= 0) this.window.reveal(at, LIST_ROW);
    this.window.redraw();
  }

  step(direction) {
    const at = this.#shown.indexOf(this.#chosen) + direction;
    if (at >= 0 && at < this.#shown.length) this.onChoose(this.#shown[at]);
    else announce(direction > 0 ? "No pass is listed after this one" : "No pass is listed before this one");
  }

  focus() {
    const at = this.#shown.indexOf(this.#chosen);
    this.window.elements(at)[0]?.firstChild.focus({ preventScroll: true });
  }

  #entry(i) {
    const position = this.#shown[i];
    const row = this.#rows[position];
    const pass = row.b ?? row.a;
    const current = position === this.#chosen ? "true" : null;
    return h("div", { class: "entry" }, h("button", {
      type: "button", class: `pass ${row.state}`, "aria-current": current, title: `${visible(pass.label)}\n${visible(row.words)}`,
      onclick: () => this.onChoose(position),
    },
    markOf(row),
    h("span", { class: "numbers" }, ...indexesOf(row).map((index) => h("span", {}, index))),
    guides(pass.depth),
    h("span", { class: "label" }, pass.name),
    h("span", { class: "vh" }, `, ${row.words}`),
    countsOf(row)));
  }
}

/** A line for each level that a pass is inside of. */
function guides(depth) {
  if (depth === 0) return null;
  const lines = h("span", { class: "guides", "aria-hidden": "true" });
  lines.style.width = `${Math.min(depth, 8) * 14}px`;
  return lines;
}
