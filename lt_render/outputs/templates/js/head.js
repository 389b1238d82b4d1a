"use strict";
/* What stands above a pass's texts: its name and facts, its errors and notes, the buttons. */

const FEW = 3; // other compiles of a kernel that are named; the rest are counted

function titleOf(trace, pass, kind, onSelect) {
  const item = (label, ...what) => h("li", {}, label ? `${label} ` : null, ...what);
  const parent = pass.parent === null ? null : trace.passes[pass.parent];
  return h("div", { class: "what" },
    h("h2", { id: "pass-title" }, dotOf(kind), " ", h("span", { class: "index" }, trace.index(pass)), " ", h("span", { class: "name" }, pass.full_name)),
    h("ul", { class: "meta" },
      item(null, h("b", {}, pass.status === "completed" ? KINDS[kind].word : pass.status)),
      item("phase", h("b", {}, pass.phase || "none")),
      trace.units[pass.unit]?.compile ? item("kernel", h("b", {}, trace.unitLabels[pass.unit])) : null,
      timesOf(trace, pass, item),
      parent ? item("inside", h("button", { type: "button", class: "link", onclick: () => onSelect(pass.parent) }, `${trace.index(parent)} ${parent.name}`)) : null,
      writtenOf(trace, pass, kind, item),
      pass.edit ? item(null, editWords(pass.edit)) : null));
}

const wasEdited = (pass) => (pass.edit?.text ?? null) !== null;

/** "PATCHED from codegen.cpp": what became of the file of edited source. */
function editWords({ tag, file, text, compiled }) {
  const edited = text !== undefined && text !== null;
  return h("b", { id: "edit-tag", class: edited ? "edited" : null }, edited && !compiled ? `edit in ${file} not compiled` : `${tag} ${edited ? "from" : "in"} ${file}`);
}

/** "took 1.2 ms, of it 0.4 ms in passes inside, recorder 0.3 ms" */
function timesOf(trace, pass, item) {
  if (pass.us === null) return null;
  const position = trace.positions.get(pass.index);
  const inside = trace.passes.reduce((sum, one) => sum + (one.parent === position ? one.us ?? 0 : 0), 0);
  return item("took", h("b", {}, duration(pass.us)),
    inside ? `, of it ${duration(inside)} in passes inside` : null,
    pass.cost ? `, recorder ${duration(pass.cost)}` : null);
}

/** The lines added and removed; of a codegen, whose two texts are of different languages, its own. */
function writtenOf(trace, pass, kind, item) {
  const source = pass.edit?.source ?? pass.after; // `after` is what was compiled, which may have been edited
  if (kind === "codegen") return source === null ? null : item(null, h("b", {}, count(trace.ids(source).length, "line")), " generated");
  return pass.add || pass.del ? item(null, countsOf(pass), squaresOf(pass)) : null;
}

/** "also in: gemm (2), gemm (3)", which lead to the comparison with the pass there. */
function alsoIn(trace, places, onCompare, onMore) {
  if (places.length === 0) return null;
  const links = places.slice(0, FEW).flatMap((i) => [", ", h("button", {
    type: "button", class: "link", title: "Compare with the same pass there", onclick: () => onCompare(i),
  }, trace.unitLabels[trace.passes[i].unit])]);
  const more = places.length - FEW;
  return h("p", { class: "also", id: "also-in" }, "also in: ", ...links.slice(1),
    more > 0 ? " and " : null,
    more > 0 ? h("button", { type: "button", class: "link", id: "also-more", onclick: onMore }, `${more} more`) : null);
}

function boxesOf(trace, pass, kind) {
  const boxes = [];
  if (pass.error || kind === "failed") {
    const title = pass.status === "unfinished" ? "The pass did not finish" : "The pass failed";
    boxes.push(h("section", { class: "box error", id: "error", role: "region", tabindex: "0", "aria-label": title },
      h("h3", {}, title), pass.error ? h("pre", {}, pass.error) : null));
  }
  const unit = trace.units[pass.unit];
  if (unit && unit.status !== "completed" && unit.error && unit.error !== pass.error) {
    const title = `The compile of ${trace.unitLabels[pass.unit]} ${unit.status === "failed" ? "failed" : "did not finish"}`;
    boxes.push(h("section", { class: "box error", id: "unit-error", role: "region", tabindex: "0", "aria-label": title }, h("h3", {}, title), h("pre", {}, unit.error)));
  }
  if (pass.note) boxes.push(h("section", { class: "box note", id: "note", role: "region", tabindex: "0", "aria-label": "Note" }, h("p", {}, pass.note)));
  return boxes;
}

/** The buttons under the title: how to compare, aligning, and what to do with the pass. */
class Actions {
  constructor(view) {
    this.view = view;
    const button = (id, title, onclick, label = null) => h("button", { type: "button", class: "button", id, title, onclick }, label);
    const look = (key, id, label, title) => h("button", {
      type: "button", class: "button", id, title, "aria-pressed": String(view.look[key]), onclick: () => { view.toggleLook(key); byId(id).focus(); },
    }, label);
    this.looks = h("div", { class: "looks", role: "group", "aria-label": "How to compare" },
      look("unified", "unified", "Unified", "One column instead of two (u)"),
      look("space", "ignore-space", "Ignore whitespace", "Lines that differ only in whitespace count as equal (w)"),
      look("names", "ignore-numbers", "Ignore renumbering", "Names that differ only in their number, as v_1 and v_2, count as equal (r)"));
    this.wrap = button("wrap", "Long lines go on below instead of sideways (x)", () => view.toggleWrap(), "Wrap");
    this.texts = h("div", { class: "looks", role: "group", "aria-label": "The texts" },
      this.wrap, button("goto-open", "Go to a line by its number (g)", () => view.goTo.open(), "Go to line"));
    this.edit = wasEdited(view.pass) && !view.comparison ? look("edit", "show-edit", "Edit", "What was edited in the generated source; or the IR beside the source (d)") : null;
    this.all = button("expand-all", "Show or hide all unchanged lines (Shift+E)", () => view.toggleAll());
    this.align = button("align", "Align by hand (F7)", () => view.align(), "Align");
    this.unalign = button("unalign", null, () => view.realign([]), "Clear alignment");
    this.hidden = h("p", { id: "hidden-differences", role: "status", hidden: true });
    const ends = view.comparison
      ? button("compare-close", "Back to the pass shown before (Esc)", () => view.onCompare(null), "Close")
      : button("compare-open", "Compare this pass with any other (c)", () => view.compare(), "Compare…");
    this.element = h("div", { class: "actions" }, this.edit, this.texts, this.looks, this.all, this.align, this.unalign, this.hidden,
      h("div", { class: "ends-actions" }, copyButton("address", "Copy the address of what is shown", () => location.href.split("#")[0] + view.address(), "Copy address"), ends));
  }

  update({ texts, diff, all, wrap, anchored, hidden }) {
    this.texts.hidden = !texts;
    this.wrap.setAttribute("aria-pressed", String(wrap));
    for (const element of [this.looks, this.all, this.align]) element.hidden = !diff;
    this.unalign.hidden = !anchored;
    this.all.textContent = all ? "Collapse all" : "Expand all";
    this.hidden.hidden = !diff || !hidden;
    this.hidden.textContent = hidden ?? "";
  }
}
