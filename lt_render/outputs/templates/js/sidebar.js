"use strict";
/* Lists the passes that the filter admits, under the phases of each compile. */

const ENTRY_HEIGHT = 28; // px; frame.css: .entry

/** Which passes are listed. Each condition is a predicate over (pass, kind) or null. */
class Filter {
  phase = null;
  kinds = new Set();

  constructor(search) {
    this.search = search;
  }

  admits(pass, kind) {
    return this.search.admits(pass) && (this.phase === null || pass.phase === this.phase) && (this.kinds.size === 0 || this.kinds.has(kind));
  }

  get active() {
    return this.search.active || this.phase !== null || this.kinds.size > 0;
  }

  clear() {
    this.phase = null;
    this.kinds.clear();
  }
}

class Sidebar {
  #collapsed = new Set();
  #entries = []; // {group} or {pass}, in the order listed

  constructor(trace, filter, onSelect) {
    Object.assign(this, { trace, filter, onSelect, current: -1 });
    this.scroller = byId("pass-scroll");
    this.list = byId("pass-list");
    this.groups = groupsOf(trace);
    this.window = new Windowed(this.scroller, this.list, ENTRY_HEIGHT, (i) => [[this.list, this.#entry(i)]]);
    this.list.addEventListener("click", (event) => this.#clicked(event));
    this.list.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Passes the filter shows, in the order they ran: what j and k walk over. */
  get shown() {
    return this.trace.passes.map((_, i) => i).filter((i) => this.#admits(i));
  }

  #admits(i) {
    const pass = this.trace.passes[i];
    return this.filter.admits(pass, this.trace.kind(pass));
  }

  refresh() {
    this.#entries = [];
    for (const group of this.groups) {
      const members = group.members.filter((i) => this.#admits(i));
      if (members.length === 0) continue;
      this.#entries.push({ group, members });
      if (!this.#collapsed.has(group.key)) members.forEach((pass) => this.#entries.push({ pass }));
    }
    byId("no-match").hidden = this.#entries.length > 0;
    this.scroller.hidden = this.#entries.length === 0;
    this.window.pinned = Math.max(0, this.#entries.findIndex((entry) => entry.pass === this.current));
    this.window.reset(this.#entries.length);
  }

  select(position) {
    this.current = position;
    const group = this.groups.find((one) => one.members.includes(position));
    if (group && this.#collapsed.delete(group.key)) this.refresh();
    const at = this.#entries.findIndex((entry) => entry.pass === position);
    this.window.pinned = Math.max(0, at);
    if (at >= 0) this.window.reveal(at, ENTRY_HEIGHT);
    else this.window.update();
    for (const element of this.window.all()) this.#mark(element.firstChild);
  }

  #mark(button) {
    const entry = Number(button.dataset.entry);
    if (this.#entries[entry]?.pass === this.current) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    button.tabIndex = entry === this.window.pinned ? 0 : -1;
  }

  #entry(i) {
    const entry = this.#entries[i];
    const button = entry.group ? this.#groupButton(entry) : this.#passButton(entry.pass);
    button.dataset.entry = String(i);
    this.#mark(button);
    return h("div", { class: "entry", role: "listitem", "aria-posinset": String(i + 1), "aria-setsize": String(this.#entries.length) }, button);
  }

  #groupButton({ group, members }) {
    const label = group.phase || "no phase";
    const failed = members.some((i) => this.trace.kind(this.trace.passes[i]) === "failed");
    return h("button", {
      type: "button", class: "group", "aria-expanded": String(!this.#collapsed.has(group.key)),
      title: visible(group.kernel ? `${label} — ${group.kernel}` : label),
    },
    h("span", { class: "chevron", "aria-hidden": "true" }, "›"),
    failed ? h("span", { class: "dot s-failed", role: "img", "aria-label": "a pass failed in" }, "✕") : null,
    h("span", { class: "label" }, label),
    group.kernel ? h("span", { class: "of" }, group.kernel) : null,
    h("span", { class: "count" }, String(members.length)));
  }

  #passButton(position) {
    const pass = this.trace.passes[position];
    const kind = this.trace.kind(pass);
    const dot = dotOf(kind);
    // Deep nesting must leave room for the name.
    dot.style.marginLeft = `${Math.min(pass.depth, 8) * 14 + 8}px`;
    return h("button", { type: "button", class: `pass ${kind}`, "data-index": String(pass.index), "data-position": String(position), title: visible(pass.full_name) },
      dot,
      h("span", { class: "index" }, this.trace.index(pass)),
      h("span", { class: "label" }, pass.name),
      this.#hits(pass),
      countsOf(pass));
  }

  /** On how many lines of the pass's texts the searched text stands. */
  #hits(pass) {
    const { search } = this.filter;
    if (!search.inTextsOf(pass)) return null;
    const { before, after } = search.counts(pass);
    const same = before === after || before === null || after === null;
    const shown = same ? String(after ?? before) : `${before}→${after}`;
    const title = same ? `The text is on ${count(after ?? before, "line")}` : `The text is on ${count(before, "line")} before the pass, ${after} after it`;
    return h("span", { class: "hits", title }, h("span", { class: "vh" }, "matching lines: "), shown);
  }

  #clicked(event) {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.position) this.onSelect(Number(button.dataset.position));
    else this.#toggle(Number(button.dataset.entry));
  }

  #toggle(i) {
    const { key } = this.#entries[i].group;
    if (!this.#collapsed.delete(key)) this.#collapsed.add(key);
    this.refresh();
    this.#focus(i);
  }

  #focus(i) {
    const at = clamp(i, 0, this.#entries.length - 1);
    this.window.reveal(at);
    this.window.elements(at)[0]?.firstChild.focus({ preventScroll: true });
  }

  #key(event) {
    const at = Number(event.target.dataset?.entry);
    const { group } = this.#entries[at] ?? {};
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.#entries.length - 1 }[event.key];
    const open = group && !this.#collapsed.has(group.key);
    if (to !== undefined) this.#focus(to);
    else if (group && ((event.key === "ArrowRight" && !open) || (event.key === "ArrowLeft" && open))) this.#toggle(at);
    else return;
    event.preventDefault();
  }
}

/** Phases of each compile, in order of first appearance, with the positions of their passes. */
function groupsOf(trace) {
  const groups = new Map();
  trace.passes.forEach((pass, i) => {
    const key = `${pass.unit}/${pass.phase}`;
    if (!groups.has(key)) {
      const kernel = trace.units.length > 1 ? trace.unitLabels[pass.unit] : null;
      groups.set(key, { key, phase: pass.phase, kernel, members: [] });
    }
    groups.get(key).members.push(i);
  });
  return [...groups.values()];
}
