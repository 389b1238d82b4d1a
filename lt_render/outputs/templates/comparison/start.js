"use strict";
/* Ties the page of a comparison together, once all other scripts are there. */

class ComparisonPage {
  #kernel = -1;

  constructor(data) {
    this.data = data;
    this.trace = new Trace({ ...data, passes: [], units: [] });
    this.view = new RowView(this.trace);
    this.kernels = new KernelList(data.kernels, (i) => this.#open(i));
    this.rows = new RowList((position) => this.#show(position));
    document.title = visible(data.title);
    appendText(byId("title"), data.title);
    byId("title").title = visible(data.title);
    byId("totals").textContent = data.totals;
    byId("totals").classList.toggle("differ", data.differs);
    showFacts(data.facts);
    this.#listen();
    this.#follow();
  }

  #follow() {
    const named = /^#(\d+)\.(\d+)$/.exec(location.hash);
    const kernel = named ? Number(named[1]) : this.data.kernels.findIndex((one) => one.differs);
    this.#open(clamp(kernel, 0, this.data.kernels.length - 1), named ? Number(named[2]) : null);
  }

  #open(at, row = null) {
    const kernel = this.data.kernels[at];
    if (!kernel) {
      byId("pass").append(h("p", { class: "emptypane" }, "There are no kernels."));
      return;
    }
    this.#kernel = at;
    this.kernels.choose(at);
    this.rows.show(kernel.rows);
    this.#show(clamp(row ?? Math.max(0, kernel.first), 0, kernel.rows.length - 1));
  }

  #show(position) {
    const kernel = this.data.kernels[this.#kernel];
    const row = kernel.rows[position] ?? null;
    this.rows.choose(position);
    this.view.show(kernel, row);
    history.replaceState(null, "", `#${this.#kernel}.${Math.max(0, position)}`);
    if (row) announce(`${visible((row.b ?? row.a).label)}, ${row.words}`);
  }

  #toKernel(direction) {
    const at = this.#kernel + direction;
    if (at >= 0 && at < this.data.kernels.length) this.#open(at);
  }

  #listen() {
    document.addEventListener("keydown", (event) => this.#key(event));
    window.addEventListener("hashchange", () => this.#follow());
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault(); // its address would count as a pass's
      byId("pass").focus();
    });
    byId("sidebar-toggle").addEventListener("click", () => toggleSidebar());
    byId("help-open").addEventListener("click", () => toggleHelp());
    byId("theme-toggle").addEventListener("click", () => toggleTheme());
    listenToFacts();
    listenToResizer();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
    if (byId("help").open && event.key !== "?") return;
    const { first } = this.data.kernels[this.#kernel] ?? { first: -1 };
    const action = {
      j: () => this.rows.step(1),
      k: () => this.rows.step(-1),
      "]": () => this.#toKernel(1),
      "[": () => this.#toKernel(-1),
      f: () => { if (first >= 0) this.#show(first); },
      n: () => this.view.toChange(1),
      p: () => this.view.toChange(-1),
      o: () => this.rows.toggle(),
      u: () => this.view.toggle("unified"),
      x: () => this.view.toggle("wrapped"),
      E: () => this.view.toggle("all"),
      b: () => toggleSidebar(),
      t: () => toggleTheme(),
      "?": () => toggleHelp(),
      Escape: () => closeFacts(),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

startWith((data) => new ComparisonPage(data), "Make it again.");
