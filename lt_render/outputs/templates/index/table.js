"use strict";
/* The table of runs: its columns, and the rows in the chosen order.

   A run is as lt_render/overview.py describes it; "report" is an address, relative to the page. */

const OUTCOMES = ["unreadable", "damaged", "died", "failed", "done"];
const OUTCOME_MARKS = { unreadable: "✕", damaged: "✕", died: "◐", failed: "✕", done: "●" };
const KERNELS_NAMED = 4;

const moment = (us) => (us ? `${new Date(us / 1000).toISOString().slice(0, 19).replace("T", " ")} UTC` : "");
const kilobytes = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** `value` is what is sorted by; `first` is the order of a column's first click. */
const COLUMNS = [
  { name: "Script", value: (run) => run.script || run.journal, first: 1, cell: scriptCell },
  { name: "Outcome", value: (run) => OUTCOMES.indexOf(run.outcome), first: 1, cell: outcomeCell },
  { name: "Kernels", value: (run) => run.kernels.length, first: -1, cell: kernelsCell },
  { name: "Changed", value: (run) => run.changed, first: -1, number: true, cell: (run) => numberCell(run.passes ? `${withCommas(run.changed)} of ${withCommas(run.passes)}` : "") },
  { name: "Started", value: (run) => run.started, first: -1, cell: (run) => h("td", { class: "moment" }, moment(run.started)) },
  { name: "Duration", value: (run) => run.duration ?? -1, first: -1, number: true, cell: (run) => numberCell(run.duration === null ? "" : duration(run.duration)) },
  { name: "Versions", value: versions, first: 1, cell: versionsCell },
  { name: "Host", value: (run) => run.host, first: 1, cell: (run) => h("td", {}, run.host) },
  { name: "Journal", value: (run) => run.size, first: -1, number: true, cell: (run) => numberCell(kilobytes(run.size)) },
];
const STARTED = 4;

function versions(run) {
  return [run.tilelang && `TileLang ${run.tilelang}`, run.tvm && `TVM ${run.tvm}`].filter(Boolean).join("\n");
}

function versionsCell(run) {
  const [first = "", second] = versions(run).split("\n");
  return h("td", { class: "versions" }, first, second ? h("small", {}, second) : null);
}

function scriptCell(run) {
  const name = run.script || "?";
  const shown = run.report === null ? name : h("a", { href: run.report, title: "Open the report" }, name);
  return h("td", { class: "script" }, shown, h("small", {}, run.journal));
}

function outcomeCell(run) {
  const mark = h("span", { "aria-hidden": "true" }, `${OUTCOME_MARKS[run.outcome]} `);
  return h("td", { class: "message" }, h("span", { class: `outcome ${run.outcome}` }, mark, run.outcome),
    run.message ? h("small", {}, run.message) : null);
}

function kernelsCell(run) {
  const named = run.kernels.slice(0, KERNELS_NAMED).join(", ");
  const rest = run.kernels.length - KERNELS_NAMED;
  const targets = run.targets.map(targetName).join(", ");
  return h("td", { class: "kernels", title: rest > 0 ? visible(run.kernels.join(", ")) : null },
    rest > 0 ? `${named} and ${withCommas(rest)} more` : named, targets ? h("small", {}, targets) : null);
}

/** A target is JSON as TVM prints it, or just a name. */
function targetName(target) {
  try {
    const { kind, arch } = JSON.parse(target);
    return [kind, arch].filter((part) => typeof part === "string").join(" ") || target;
  } catch {
    return target;
  }
}

const numberCell = (text) => h("td", { class: "number" }, text);

class RunTable {
  #order = { column: STARTED, direction: COLUMNS[STARTED].first };

  constructor(runs) {
    this.runs = runs.map((run) => ({ run, words: wordsOf(run), row: null }));
    byId("columns").append(...COLUMNS.map(({ name, number }, i) => h("th", { scope: "col", class: number ? "number" : null },
      h("button", { type: "button", onclick: () => this.#sortBy(i) }, name))));
  }

  show(wanted) {
    this.#sort();
    const shown = this.runs.filter(wanted);
    for (const one of shown) one.row ??= h("tr", {}, ...COLUMNS.map(({ cell }) => cell(one.run)));
    byId("rows").replaceChildren(...shown.map(({ row }) => row));
    [...byId("columns").children].forEach((head, i) => {
      if (i !== this.#order.column) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", this.#order.direction > 0 ? "ascending" : "descending");
    });
    this.wanted = wanted;
    return shown.length;
  }

  #sortBy(column) {
    const again = column === this.#order.column;
    this.#order = { column, direction: again ? -this.#order.direction : COLUMNS[column].first };
    this.show(this.wanted);
  }

  #sort() {
    const { column, direction } = this.#order;
    const { value } = COLUMNS[column];
    const compared = (a, b) => (a < b ? -1 : Number(a > b));
    this.runs.sort((a, b) => direction * compared(value(a.run), value(b.run)) || compared(b.run.started, a.run.started));
  }
}

/** What the filter looks through. */
function wordsOf(run) {
  return [run.script, run.journal, ...run.kernels, ...run.targets, versions(run), run.host, run.outcome, run.message]
    .join("\n").toLowerCase();
}
