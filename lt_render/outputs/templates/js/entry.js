"use strict";
/* Draws the entries of the list: phases, runs of no-ops, passes. */

const MOST_INDENTED = 8; // deep nesting must leave room for the name

function entryOf(listing, entry) {
  const button = { group: groupEntry, fold: foldEntry, pass: passEntry }[entry.kind](listing, entry);
  button.setAttribute("role", "treeitem");
  button.setAttribute("aria-level", String(entry.level));
  button.setAttribute("aria-posinset", String(entry.place));
  button.setAttribute("aria-setsize", String((entry.parent ?? listing).held));
  if (listing.opens(entry)) button.setAttribute("aria-expanded", String(entry.open));
  return button;
}

const chevron = (text = "›") => h("span", { class: "chevron", "aria-hidden": "true" }, text);

/** A line for each level that an entry is inside of. */
function guides(depth) {
  if (depth === 0) return null;
  const lines = h("span", { class: "guides", "aria-hidden": "true" });
  lines.style.width = `${Math.min(depth, MOST_INDENTED) * 14}px`;
  return lines;
}

function groupEntry({ trace }, { of: { phase, unit }, inside }) {
  const label = phase || "no phase";
  const kernel = trace.units.length > 1 ? trace.unitLabels[unit] : null;
  return h("button", { type: "button", class: "group", title: visible(kernel ? `${label} — ${kernel}` : label) },
    chevron(),
    inside.failed ? h("span", { class: "dot s-failed", role: "img", "aria-label": "a pass failed in" }, "✕") : null,
    h("span", { class: "label" }, label),
    kernel ? h("span", { class: "of" }, kernel) : null,
    h("span", { class: "count" }, String(inside.count)));
}

function foldEntry({ trace, outline }, { of: fold, depth }) {
  const range = [fold.first, fold.last].map((i) => trace.index(trace.passes[i])).join("–");
  const members = fold.group.passes.slice(fold.place, fold.place + fold.size);
  const time = duration(members.reduce((sum, i) => sum + (outline.own[i] ?? 0), 0));
  return h("button", { type: "button", class: "fold", title: `${count(fold.size, "pass", "passes")} in a row that changed nothing, ${range}: ${time} together` },
    guides(depth), chevron(), h("span", { class: "dot s-noop", "aria-hidden": "true" }, KINDS.noop.dot),
    h("span", { class: "label" }, count(fold.size, "no-op")),
    h("span", { class: "index" }, range));
}

function passEntry(listing, entry) {
  const { trace, outline, filter, order } = listing;
  const pass = trace.passes[entry.of];
  const kind = filter.kindOf[entry.of];
  const own = outline.own[entry.of];
  const flat = order !== "run";
  const kernel = flat && filter.unit === null && trace.units.length > 1 ? trace.unitLabels[pass.unit] : null;
  const time = own === null ? "no time" : duration(own);
  return h("button", {
    type: "button", class: `pass ${kind}`, "data-index": String(pass.index), "data-position": String(entry.of), title: titleOfEntry(listing, entry.of),
  },
  flat ? null : guides(entry.depth),
  flat ? null : chevron(entry.inside ? "›" : ""),
  dotOf(kind),
  h("span", { class: "index" }, trace.index(pass)),
  h("span", { class: "label" }, pass.name),
  kernel ? h("span", { class: "of" }, kernel) : null,
  entry.inside && !entry.open ? insideOf(entry.inside) : null,
  hitsOf(filter.search, pass),
  order === "time" ? h("span", { class: "took" }, time) : countsOf(pass),
  order === "time" ? null : h("span", { class: "vh" }, `, ${time}`),
  barOf(own, listing.longest));
}

/** What a closed pass has inside it. */
function insideOf({ count: n, failed, changed }) {
  const kind = failed ? "failed" : changed ? "changed" : "noop";
  const told = `${count(n, "pass", "passes")} inside, ${failed ? "one failed" : changed ? "one or more changed something" : "none changed anything"}`;
  return h("span", { class: "inside", title: told },
    h("span", { class: `s-${kind}`, "aria-hidden": "true" }, KINDS[kind].dot),
    h("span", { "aria-hidden": "true" }, `${n} inside`),
    h("span", { class: "vh" }, told));
}

/** On how many lines of the pass's texts the searched text stands. */
function hitsOf(search, pass) {
  if (!search.inTextsOf(pass)) return null;
  const { before, after } = search.counts(pass);
  const same = before === after || before === null || after === null;
  const shown = same ? String(after ?? before) : `${before}→${after}`;
  const title = same ? `The text is on ${count(after ?? before, "line")}` : `The text is on ${count(before, "line")} before the pass, ${after} after it`;
  return h("span", { class: "hits", title }, h("span", { class: "vh" }, "matching lines: "), shown);
}

/** How long a pass took by itself, of the longest one that is listed. */
function barOf(own, longest) {
  if (!own) return null;
  const bar = h("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(own / longest));
  return bar;
}

function titleOfEntry({ trace, outline }, i) {
  const pass = trace.passes[i];
  const own = outline.own[i];
  const where = [pass.phase, trace.units.length > 1 ? trace.unitLabels[pass.unit] : ""].filter(Boolean).join(" — ");
  const took = pass.us === null ? "its time was not recorded"
    : pass.us === own ? `lowering ${duration(own)}`
      : `lowering ${duration(own)} by itself, ${duration(pass.us)} with the passes inside`;
  return [visible(pass.full_name), visible(where), `${took}, recorder ${duration(pass.cost)}`].join("\n");
}
