"use strict";
/* What stands above a pass's texts: its name and facts, its errors and notes. */

function titleOf(trace, pass, kind, onSelect) {
  const item = (label, ...what) => h("li", {}, label ? `${label} ` : null, ...what);
  const parent = pass.parent === null ? null : trace.passes[pass.parent];
  return h("div", { class: "what" },
    h("h2", { id: "pass-title" }, dotOf(kind), " ", h("span", { class: "index" }, trace.index(pass)), " ", h("span", { class: "name" }, pass.full_name)),
    h("ul", { class: "meta" },
      item(null, h("b", {}, pass.status === "completed" ? KINDS[kind].word : pass.status)),
      item("phase", h("b", {}, pass.phase || "none")),
      trace.units[pass.unit]?.compile ? item("kernel", h("b", {}, trace.unitLabels[pass.unit])) : null,
      pass.us === null ? null : item("took", h("b", {}, duration(pass.us))),
      parent ? item("inside", h("button", { type: "button", class: "link", onclick: () => onSelect(pass.parent) }, `${trace.index(parent)} ${parent.name}`)) : null,
      pass.add || pass.del ? item(null, countsOf(pass), squaresOf(pass)) : null));
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
