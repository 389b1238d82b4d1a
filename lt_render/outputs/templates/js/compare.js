"use strict";
/* Compares any two texts of the trace. One of them is an end, {position, side}: the text before
   ("a") or after ("b") the pass there; a comparison is {from, to}. Of a codegen whose source was
   edited there are two ends more, "source" and "edit". */

function textAt({ passes }, { position, side }) {
  const { before, after, edit } = passes[position];
  return { a: before, b: after, source: edit?.source ?? null, edit: edit?.text ?? null }[side];
}

const languageAt = ({ passes }, { position, side }) => (side !== "a" && passes[position].status === "codegen" ? "c" : "python");

/** The text on a side of a pass, or the other one where that was not recorded. */
function endOf(trace, position, side) {
  const other = { position, side: side === "a" ? "b" : "a" };
  return textAt(trace, { position, side }) === null && textAt(trace, other) !== null ? other : { position, side };
}

/** "gemm / 12 LowerTileOp" */
function passLabel(trace, position) {
  const pass = trace.passes[position];
  return `${trace.unitLabels[pass.unit]} / ${trace.index(pass)} ${pass.name}`;
}

function sideWord(pass, side) {
  if (pass.status === "codegen") return side === "a" ? "IR" : "source";
  return side === "a" ? "before" : "after";
}

/** "gemm / 12 LowerTileOp after" */
function endLabel(trace, end) {
  return `${passLabel(trace, end.position)} ${sideWord(trace.passes[end.position], end.side)}`;
}

/** "Comparing … with …: 12 lines added, 3 removed" */
function comparisonWords(trace, { from, to }, hunks) {
  const { add, del } = sumOf(hunks ?? []);
  const found = !hunks ? "" : hunks.length === 0 ? ": no difference" : `: ${count(add, "line")} added, ${del} removed`;
  return `Comparing ${visible(endLabel(trace, from))} with ${visible(endLabel(trace, to))}${found}`;
}

/** The flat hunks between two texts; null where there is nothing to compare. */
function differences(trace, { from, to }) {
  const [before, after] = [textAt(trace, from), textAt(trace, to)];
  if (before === null || after === null || languageAt(trace, from) !== languageAt(trace, to)) return null;
  return before === after ? [] : alignedHunks(trace.ids(before), trace.ids(after), []);
}

/** Finds the same pass in other kernels: the second Simplify of one is the second of another. */
class Namesakes {
  #places = null; // by full name, for each unit that has such passes their positions

  constructor(trace) {
    this.trace = trace;
  }

  /** The positions of the same pass in the other kernels, in their order. */
  of(position) {
    const { passes } = this.trace;
    this.#places ??= placesOf(passes);
    const units = this.#places.get(passes[position].full_name);
    const at = units.get(passes[position].unit).indexOf(position);
    return [...units].filter(([unit, its]) => unit !== passes[position].unit && at < its.length).map(([, its]) => its[at]);
  }

  /** Those where the kernel is the very same, compiled again. */
  again(position) {
    const { passes, units } = this.trace;
    const { title, compile } = units[passes[position].unit];
    return this.of(position).filter((i) => compile && units[passes[i].unit].title === title);
  }
}

function placesOf(passes) {
  const places = new Map();
  passes.forEach((pass, i) => {
    if (!places.has(pass.full_name)) places.set(pass.full_name, new Map());
    const units = places.get(pass.full_name);
    if (!units.has(pass.unit)) units.set(pass.unit, []);
    units.get(pass.unit).push(i);
  });
  return places;
}

/** The first text of an end's kernel. */
function firstEnd(trace, { position }) {
  const { unit } = trace.passes[position];
  const first = trace.passes.findIndex((pass) => pass.unit === unit && pass.before !== null);
  return first < 0 ? null : { position: first, side: "a" };
}

/** The last text of an end's kernel that is of its language: the last IR, or the last source. */
function lastEnd(trace, end) {
  const language = languageAt(trace, end);
  const ends = finishOrder(trace.passes, trace.passes[end.position].unit).map((position) => endOf(trace, position, "b"));
  return ends.findLast((one) => textAt(trace, one) !== null && languageAt(trace, one) === language) ?? null;
}

const isSameEnd = (one, other) => one.position === other.position && one.side === other.side;

function isSameComparison(one, other) {
  return one && other ? isSameEnd(one.from, other.from) && isSameEnd(one.to, other.to) : one === other;
}

/** What stands above two compared texts: which two they are, and how to have others. */
function comparisonTitle(view) {
  const { trace, comparison, hunks } = view;
  const { from, to } = comparison;
  const change = (id, other) => {
    view.onCompare({ from, to, ...other });
    byId(id)?.focus();
  };
  // In a list Esc leads back to the texts; there it ends the comparison.
  const leave = (event) => { if (event.key === "Escape" && event.target.localName === "select") view.focus(); };
  const end = (key, label, one, extreme) => {
    const pass = trace.passes[one.position];
    const there = !extreme.end || isSameEnd(extreme.end, one); // the button keeps the focus all the same
    const choice = h("select", { id: `compare-${key}-text`, "aria-label": `Text on the ${label}`, onchange: () => change(choice.id, { [key]: { ...one, side: choice.value } }) },
      ...["a", "b"].map((side) => h("option", { value: side, selected: side === one.side, disabled: textAt(trace, { ...one, side }) === null }, sideWord(pass, side))));
    return h("div", { class: "end", role: "group", "aria-label": label },
      h("span", { class: "tag", "aria-hidden": "true" }, key),
      h("button", { type: "button", class: "link", title: "Show this pass alone", onclick: () => view.onSelect(one.position) }, passLabel(trace, one.position)),
      choice,
      h("button", {
        type: "button", class: "button", id: `compare-${key}-${extreme.id}`, title: extreme.title,
        "aria-disabled": there ? "true" : null, onclick: () => { if (!there) change(`compare-${key}-${extreme.id}`, { [key]: extreme.end }); },
      }, extreme.label));
  };
  return h("div", { class: "what compare", id: "compare", role: "region", "aria-label": "Compare two passes", onkeydown: leave },
    h("div", { class: "heading" },
      h("h2", { id: "pass-title" }, "Compare", hunks?.length ? countsOf(sumOf(hunks)) : null),
      h("p", {}, "A pass chosen in the list (click, ", h("kbd", {}, "j"), ", ", h("kbd", {}, "k"), ") becomes the right side; ", h("kbd", {}, "Esc"), " ends.")),
    h("div", { class: "ends" },
      end("from", "left side", from, { id: "first", label: "First pass", title: "The first text of this kernel", end: firstEnd(trace, from) }),
      end("to", "right side", to, { id: "last", label: "Last pass", title: "The last text of this kernel", end: lastEnd(trace, to) }),
      h("div", { class: "others" },
        h("button", { type: "button", class: "button", id: "compare-swap", title: "Swap the two sides", onclick: () => change("compare-swap", { from: to, to: from }) }, "⇅ Swap"),
        samePassChoice(trace, view.namesakes.of(from.position), comparison, change))));
}

/** Chooses the kernel whose same pass is to stand on the right; null where no other has it. */
function samePassChoice(trace, places, { from, to }, change) {
  if (places.length === 0) return null;
  const choice = h("select", { id: "compare-kernel", onchange: () => change(choice.id, { to: endOf(trace, Number(choice.value), from.side) }) },
    places.includes(to.position) ? null : h("option", { value: "", selected: true, disabled: true }, "choose a kernel"),
    ...places.map((i) => h("option", { value: String(i), selected: i === to.position }, trace.unitLabels[trace.passes[i].unit])));
  return h("label", {}, "same pass in ", choice);
}

/** Lines added and removed, as the passes' own counts are called. */
function sumOf(hunks) {
  const sum = { add: 0, del: 0 };
  for (let i = 0; i < hunks.length; i += 4) {
    sum.del += hunks[i + 1];
    sum.add += hunks[i + 3];
  }
  return sum;
}
