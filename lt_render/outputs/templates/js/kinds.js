"use strict";
/* Shows what became of a pass: the mark of its kind, and how many lines it changed. */

const KINDS = {
  changed: { dot: "●", word: "changed" },
  noop: { dot: "○", word: "no-op" },
  failed: { dot: "✕", word: "failed" },
  codegen: { dot: "◆", word: "codegen" },
};

function dotOf(kind) {
  return h("span", { class: `dot s-${kind}`, role: "img", "aria-label": KINDS[kind].word }, KINDS[kind].dot);
}

function countsOf(pass) {
  if (!pass.add && !pass.del) return null;
  return h("span", { class: "counts" },
    h("span", { class: "plus" }, `+${pass.add}`), h("span", { class: "minus" }, `−${pass.del}`));
}

/** GitHub's five squares: how much of a change adds and how much removes. */
function squaresOf(pass) {
  const total = pass.add + pass.del;
  const filled = Math.min(5, total);
  const added = total ? Math.round((filled * pass.add) / total) : 0;
  const squares = Array.from({ length: 5 }, (_, i) => h("i", { class: i < added ? "a" : i < filled ? "d" : null }));
  return h("span", { class: "squares", "aria-hidden": "true" }, ...squares);
}
