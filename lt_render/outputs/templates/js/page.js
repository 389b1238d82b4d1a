"use strict";
/* Ties the page together: the filters, the list, the chosen pass, the keys and the address. */

const SIDE_LETTERS = { a: "L", b: "R" }; // in addresses: #12L34

class Page {
  constructor(trace) {
    this.trace = trace;
    this.position = -1;
    this.search = new Search(trace);
    this.filter = new Filter(this.search);
    this.view = new PassView(trace, this.search, (position, at) => this.select(position, at), (at, keep) => this.#choose(at, keep));
    this.sidebar = new Sidebar(trace, this.filter, (position) => this.select(position));
    document.title = visible(trace.data.title);
    appendText(byId("title"), trace.data.title);
    byId("title").title = visible(trace.data.title);
    this.#showState();
    this.#showFacts();
    this.#buildSummary();
    this.#buildPhases();
    this.finder = new Finder(this);
    this.view.onLook = () => this.finder.show();
    this.#listen();
    this.filtered();
    this.#follow();
  }

  #showState() {
    const { kind, message } = this.trace.data.state;
    if (kind === "clean") return;
    const banner = byId("banner");
    banner.hidden = false;
    banner.classList.add(kind === "damaged" ? "damaged" : "early");
    banner.append(h("b", {}, kind === "damaged" ? "The journal is damaged. " : "The journal ended early. "));
    appendText(banner, message, true);
  }

  #showFacts() {
    const list = byId("facts").querySelector("dl");
    for (const [label, value] of this.trace.data.facts) {
      list.append(h("dt", {}, String(label)));
      const what = h("dd");
      appendText(what, String(value), true);
      list.append(what);
    }
    byId("facts").hidden = this.trace.data.facts.length === 0;
  }

  #buildSummary() {
    const counts = { changed: 0, noop: 0, failed: 0, codegen: 0 };
    for (const pass of this.trace.passes) counts[this.trace.kind(pass)] += 1;
    for (const kind of Object.keys(KINDS)) {
      byId("summary").append(h("button", {
        type: "button", class: counts[kind] ? "badge" : "badge empty", "data-kind": kind, "aria-pressed": "false",
        onclick: () => this.#toggleKind(kind),
      }, h("span", { class: `dot s-${kind}`, "aria-hidden": "true" }, KINDS[kind].dot), h("b", {}, String(counts[kind])), KINDS[kind].word));
    }
  }

  #toggleKind(kind) {
    const { kinds } = this.filter;
    if (!kinds.delete(kind)) kinds.add(kind);
    this.filtered();
  }

  #buildPhases() {
    const counts = new Map();
    for (const { phase } of this.trace.passes) counts.set(phase, (counts.get(phase) ?? 0) + 1);
    const tab = (phase, label, n) => h("button", {
      type: "button", class: "tab", role: "tab", "aria-controls": "pass-scroll", "data-phase": phase,
      onclick: () => this.#choosePhase(phase),
    }, label, h("span", { class: "count" }, String(n)));
    this.tabs = [tab(null, "All phases", this.trace.passes.length), ...[...counts].map(([phase, n]) => tab(phase, phase || "no phase", n))];
    this.phaseOf = new Map([[this.tabs[0], null], ...[...counts.keys()].map((phase, i) => [this.tabs[i + 1], phase])]);
    byId("phases").append(...this.tabs);
    byId("phases").addEventListener("keydown", (event) => this.#tabKey(event));
  }

  #choosePhase(phase) {
    this.filter.phase = phase;
    this.filtered();
  }

  #tabKey(event) {
    const at = this.tabs.indexOf(event.target.closest(".tab"));
    const last = this.tabs.length - 1;
    const to = { ArrowLeft: at === 0 ? last : at - 1, ArrowRight: at === last ? 0 : at + 1, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    this.tabs[to].focus();
    this.#choosePhase(this.phaseOf.get(this.tabs[to]));
  }

  filtered() {
    for (const tab of this.tabs) {
      const chosen = this.phaseOf.get(tab) === this.filter.phase;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    for (const badge of byId("summary").children) {
      badge.setAttribute("aria-pressed", String(this.filter.kinds.has(badge.dataset.kind)));
    }
    this.finder.show(); // first: it takes room from the list
    this.sidebar.refresh();
    if (this.position >= 0) this.sidebar.select(this.position);
    if (this.filter.active) announce(`${count(this.sidebar.shown.length, "pass", "passes")} shown`);
  }

  // ---- Going from pass to pass

  /** Shows a pass, and the line `at` {side, line} if it is given. */
  select(position, at = null) {
    if (position !== this.position) this.#show(position);
    else if (!at) return;
    this.#choose(at);
  }

  /** Marks a line of the pass shown, or none. Moving on by key replaces the address: the back
      button is to lead to where the reader was, not through every line on the way. */
  #choose(at, keep = false) {
    const chosen = this.view.choose(at) ? this.view.state.chosen : null;
    const line = chosen ? `${SIDE_LETTERS[chosen.side]}${chosen.line + 1}` : "";
    const address = `#${this.trace.passes[this.position].index}${line}`;
    if (keep) history.replaceState(null, "", address);
    else location.hash = address;
  }

  #show(position) {
    this.position = position;
    this.sidebar.select(position);
    this.view.show(position);
    this.finder.show();
    const pass = this.trace.passes[position];
    announce(`Pass ${pass.index}, ${visible(pass.name)}, ${KINDS[this.trace.kind(pass)].word}`);
  }

  /** Shows the pass that the address names, or else the one worth seeing first; and the line. */
  #follow() {
    const named = /^#(\d+)(?:([LR])(\d+))?$/.exec(location.hash);
    const position = (named && this.trace.positions.get(Number(named[1]))) ?? this.#first();
    if (position < 0) return;
    const moved = position !== this.position;
    if (moved) this.#show(position);
    const at = named?.[2] ? { side: named[2] === "L" ? "a" : "b", line: Number(named[3]) - 1 } : null;
    const { chosen } = this.view.state;
    if (moved || at?.side !== chosen?.side || at?.line !== chosen?.line) this.view.choose(at);
  }

  #first() {
    const { trace } = this;
    const of = (kind) => trace.passes.findIndex((pass) => trace.kind(pass) === kind);
    if (trace.passes.length === 0) {
      byId("pass").append(h("p", { class: "emptypane" }, "No pass was recorded."));
      return -1;
    }
    return [of("failed"), of("changed"), 0].find((position) => position >= 0);
  }

  #step(direction) {
    const { shown } = this.sidebar;
    const next = direction > 0
      ? shown.find((i) => i > this.position)
      : shown.findLast((i) => i < this.position);
    if (next !== undefined) this.select(next);
  }

  // ---- Keys and the frame

  #listen() {
    window.addEventListener("hashchange", () => this.#follow());
    document.addEventListener("keydown", (event) => this.#key(event));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault(); // its address would count as a pass's
      byId("pass").focus();
    });
    byId("filter-clear").addEventListener("click", () => { this.filter.clear(); this.finder.clear(); this.filtered(); });
    byId("sidebar-toggle").addEventListener("click", () => toggleSidebar());
    byId("help-open").addEventListener("click", () => toggleHelp());
    byId("theme-toggle").addEventListener("click", () => toggleTheme());
    document.addEventListener("pointerdown", (event) => {
      if (!byId("facts").contains(event.target)) byId("facts").open = false;
    });
    listenToResizer();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
    if (event.key === "?") {
      toggleHelp();
      event.preventDefault();
      return;
    }
    if (byId("help").open || this.view.key(event)) return;
    const action = {
      j: () => this.#step(1),
      k: () => this.#step(-1),
      n: () => this.view.toChange(1),
      p: () => this.view.toChange(-1),
      "/": () => this.finder.open(),
      m: () => this.finder.toMatch(1),
      M: () => this.finder.toMatch(-1),
      f: () => this.finder.toPass("first"),
      l: () => this.finder.toPass("last"),
      u: () => this.view.toggleLook("unified"),
      w: () => this.view.toggleLook("space"),
      r: () => this.view.toggleLook("names"),
      E: () => this.view.toggleAll(),
      F7: () => this.view.align(), // and not the browser's own F7, caret browsing
      b: () => toggleSidebar(),
      t: () => toggleTheme(),
      Escape: () => closeFacts(),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
