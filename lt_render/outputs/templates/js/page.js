"use strict";
/* Ties the page together: the filters, the list, the chosen pass, the keys and the address. */

class Page {
  constructor(trace) {
    this.trace = trace;
    this.position = -1;
    this.comparison = null; // two texts that are compared, see compare.js
    this.comparedAt = -1; // the pass that was shown before they were
    this.search = new Search(trace);
    this.filter = new Filter(trace, this.search);
    this.filters = new FilterBar(trace, this.filter, () => this.filtered());
    this.view = new PassView(trace, this.search, {
      onSelect: (position, at) => this.open(position, at),
      onChoose: (at, keep) => this.#choose(at, keep),
      onCompare: (comparison) => this.#compare(comparison),
    });
    this.sidebar = new Sidebar(trace, this.filter, (position) => this.select(position));
    document.title = visible(trace.data.title);
    appendText(byId("title"), trace.data.title);
    byId("title").title = visible(trace.data.title);
    showState(trace.data.state);
    showFacts(trace.data.facts);
    this.finder = new Finder(this);
    this.view.onLook = () => this.finder.show();
    this.#listen();
    this.filtered();
    this.#follow();
  }

  /** Lists anew: a filter is another. */
  filtered() {
    this.filter.apply();
    this.filters.refresh();
    this.finder.show(); // first: it takes room from the list
    this.sidebar.relist();
    if (this.filter.active) announce(`${count(this.sidebar.shown.length, "pass", "passes")} shown`);
  }

  // ---- Going from pass to pass

  /** Takes a pass from the list: shows it or, while two are compared, puts it on the right. */
  select(position, at = null) {
    const { trace, comparison } = this;
    if (!comparison) {
      this.open(position, at);
      return;
    }
    const side = comparison.side ?? comparison.to.side; // kept over a pass that has not that text
    this.#compare({ from: comparison.from, to: endOf(trace, position, side), side });
  }

  /** Shows a pass alone, and the line `at` {side, line} if it is given. */
  open(position, at = null) {
    if (this.comparison || position !== this.position) this.#show(position);
    else if (!at) return;
    this.#choose(at);
  }

  /** Shows two texts compared; null goes back to the pass shown before. */
  #compare(comparison) {
    if (!comparison) {
      this.open(this.comparedAt >= 0 ? this.comparedAt : this.position);
      this.view.focus();
      return;
    }
    this.#show(comparison.to.position, comparison);
    this.#choose(null);
  }

  /** Marks a line of what is shown, or none. Moving on by key replaces the address: the back
      button is to lead to where the reader was, not through every line on the way. */
  #choose(at, keep = false) {
    this.view.choose(at);
    closeAddressNote();
    const address = this.view.address();
    if (keep) history.replaceState(null, "", address);
    // Setting location.hash would look for an element of that name, and lay the page out for it.
    else if (address !== location.hash) history.pushState(null, "", address);
  }

  #show(position, comparison = null) {
    if (!comparison) this.comparedAt = -1;
    else if (!this.comparison) this.comparedAt = this.position;
    this.position = position;
    this.comparison = comparison;
    this.sidebar.select(position);
    this.view.show(position, comparison);
    this.finder.show();
    const { trace } = this;
    const pass = trace.passes[position];
    if (comparison) announce(comparisonWords(trace, comparison, this.view.hunks));
    else announce(`Pass ${pass.index}, ${visible(pass.name)}, ${KINDS[trace.kind(pass)].word}`);
  }

  /** Shows what the address names, or else the pass worth seeing first; and the line. */
  #follow() {
    const named = readAddress(this.trace, location.hash);
    const { comparison, at } = named;
    const position = named.position >= 0 ? named.position : this.#first();
    if (position < 0) return;
    const isShown = position === this.position && isSameComparison(comparison, this.comparison);
    if (!isShown) this.#show(position, comparison);
    const { chosen } = this.view.state;
    if (!isShown || at?.side !== chosen?.side || at?.line !== chosen?.line) this.view.choose(at);
    const note = at && !this.view.isChosen(at) ? `${named.note} There is no line ${at.line + 1} on the ${at.side === "a" ? "left" : "right"}.` : named.note;
    showAddressNote(note.trim());
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
    const next = this.sidebar.next(this.position, direction);
    if (next !== undefined) this.select(next);
    else announce(direction > 0 ? "No pass is listed after this one" : "No pass is listed before this one");
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
    listenToFacts();
    byId("address-close").addEventListener("click", () => { closeAddressNote(); this.view.focus(); });
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
      x: () => this.view.toggleWrap(),
      g: () => this.view.goTo.open(),
      w: () => this.view.toggleLook("space"),
      r: () => this.view.toggleLook("names"),
      E: () => this.view.toggleAll(),
      F7: () => this.view.align(), // and not the browser's own F7, caret browsing
      o: () => this.sidebar.toggleNoops(),
      b: () => toggleSidebar(),
      t: () => toggleTheme(),
      d: () => this.view.toggleEdit(),
      c: () => { if (this.position >= 0) this.view.compare(); },
      Escape: () => {
        if (!closeFacts() && this.comparison) this.#compare(null);
      },
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
