"use strict";
/* Ties the index together, once all other scripts are there. */

class IndexPage {
  #outcomes = new Set();

  constructor({ title, runs }) {
    this.table = new RunTable(runs);
    document.title = visible(title);
    appendText(byId("title"), title);
    byId("title").title = visible(title);
    for (const outcome of OUTCOMES) this.#badge(outcome, runs.filter((run) => run.outcome === outcome).length);
    byId("search").addEventListener("input", () => this.#show());
    byId("filter-clear").addEventListener("click", () => this.#clear());
    byId("theme-toggle").addEventListener("click", toggleTheme);
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#show();
  }

  #badge(outcome, number) {
    if (number === 0) return;
    const badge = h("button", { type: "button", class: "badge", "aria-pressed": "false", "data-outcome": outcome,
      onclick: () => {
        if (!this.#outcomes.delete(outcome)) this.#outcomes.add(outcome);
        badge.setAttribute("aria-pressed", String(this.#outcomes.has(outcome)));
        this.#show();
      } },
    h("span", { class: `outcome ${outcome}`, "aria-hidden": "true" }, OUTCOME_MARKS[outcome]), h("b", {}, withCommas(number)), outcome);
    byId("summary").append(badge);
  }

  #show() {
    const parts = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = this.table.show(({ run, words }) =>
      (this.#outcomes.size === 0 || this.#outcomes.has(run.outcome)) && parts.every((part) => words.includes(part)));
    const all = this.table.runs.length;
    byId("none").hidden = shown > 0;
    byId("foot").textContent = shown === all ? count(all, "run") : `${withCommas(shown)} of ${count(all, "run")}`;
  }

  #clear() {
    byId("search").value = "";
    this.#outcomes.clear();
    for (const badge of byId("summary").children) badge.setAttribute("aria-pressed", "false");
    this.#show();
    byId("search").focus();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inBox = document.activeElement === byId("search");
    if (event.key === "Escape" && inBox) this.#clear();
    else if (event.key === "/" && !inBox) byId("search").focus();
    else if (event.key === "t" && !inBox) toggleTheme();
    else return;
    event.preventDefault();
  }
}

startWith((data) => new IndexPage(data), "Make the index again.");
