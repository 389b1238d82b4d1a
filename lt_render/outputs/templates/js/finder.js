"use strict";
/* Works the search box and the line under it that says where the text was found. */

const TYPING_PAUSE = 80; // ms without a key before the list follows what is typed

class Finder {
  #timer = 0;

  constructor(page) {
    Object.assign(this, { page, search: page.search, box: byId("search"), scope: byId("search-in") });
    this.box.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#apply(), TYPING_PAUSE);
    });
    this.scope.addEventListener("change", () => this.#apply());
    this.box.addEventListener("keydown", (event) => this.#key(event));
    const clicks = {
      "match-next": () => this.toMatch(1), "match-previous": () => this.toMatch(-1),
      "found-first": () => this.toPass("first"), "found-last": () => this.toPass("last"),
    };
    for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener("click", action);
  }

  open() {
    this.box.focus();
    this.box.select();
  }

  clear() {
    this.box.value = "";
    this.scope.value = "all";
    this.#apply(false);
  }

  #apply(tell = true) {
    clearTimeout(this.#timer);
    if (this.box.value === this.search.query && this.scope.value === this.search.scope) return;
    this.search.set(this.box.value, this.scope.value);
    this.page.view.searched();
    if (tell) this.page.filtered();
  }

  #key(event) {
    if (event.key === "Enter") {
      this.#apply();
      this.toMatch(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      if (this.box.value) this.clear();
      this.page.filtered();
      this.page.view.focus();
    } else return;
    event.preventDefault();
  }

  toMatch(direction) {
    if (!this.search.inTexts) return;
    this.page.view.toMatch(direction);
    this.#showMatch();
  }

  /** Goes to the first or last pass listed that has the text, and to the match there. */
  toPass(which) {
    if (!this.search.inTexts) return;
    const having = this.page.sidebar.shown.filter((i) => this.search.inTextsOf(this.page.trace.passes[i]));
    if (having.length === 0) return;
    this.page.select(having.at(which === "first" ? 0 : -1));
    this.page.view.toMatch(1, true);
    this.#showMatch();
  }

  /** Says anew what was found: the text, the filter or the pass is another. */
  show() {
    const { search, page } = this;
    byId("found").hidden = !search.active;
    if (!search.active) return;
    const { trace } = page;
    const listed = page.sidebar.shown;
    const having = listed.filter((i) => search.inTextsOf(trace.passes[i])).length;
    byId("found-count").textContent = search.inTexts
      ? `in the text of ${count(having, "pass", "passes")}${listed.length > having ? `, in the name only of ${listed.length - having}` : ""}`
      : `in the name of ${count(listed.length, "pass", "passes")}`;
    for (const id of ["found-first", "found-last"]) byId(id).disabled = having === 0;
    byId("found-tools").hidden = !search.inTexts;
    this.#showSpan();
    this.#showMatch();
  }

  #showSpan() {
    const { search, page } = this;
    const { trace, position } = page;
    const where = byId("found-where");
    where.replaceChildren();
    if (position < 0 || !search.inTexts) return;
    const { unit } = trace.passes[position];
    const span = search.span(unit);
    const name = trace.units.length > 1 ? `${trace.unitLabels[unit]}: ` : "";
    if (!span) {
      if (name) where.append(h("span", {}, `${name}not in its texts`));
      return;
    }
    const link = (i) => h("button", {
      type: "button", class: "link", onclick: () => { page.select(i); page.view.toMatch(1, true); this.#showMatch(); },
    }, `${trace.index(trace.passes[i])} ${trace.passes[i].name}`);
    where.append(h("span", {}, name), span.brought ? "introduced by " : "there from the first text on, in ", link(span.first),
      " · last seen in ", link(span.last), span.removed ? ", which removes it" : "");
  }

  #showMatch() {
    const { at, total } = this.page.view.matches;
    byId("match-at").textContent = total === 0 ? "not in this pass" : at < 0 ? `${count(total, "line")} here` : `line ${at + 1} of ${total} here`;
    for (const id of ["match-next", "match-previous"]) byId(id).disabled = total === 0;
  }
}
