"use strict";
/* The panel under the texts that tells a line's history. */

class HistoryPanel {
  #lineages = new Map(); // by unit, made when first asked for

  constructor(trace, onSelect, onClose) {
    Object.assign(this, { trace, onSelect });
    this.element = h("section", { id: "history", class: "history", role: "region", tabindex: "-1", "aria-label": "History of a line", hidden: true });
    this.close = () => { this.element.hidden = true; };
    this.onClose = onClose;
  }

  get open() {
    return !this.element.hidden;
  }

  focus() {
    (this.element.querySelector("[aria-current] button") ?? this.element).focus({ preventScroll: true });
  }

  /** Shows the history of a line of the pass at `position`; `where` says which text it is of. */
  show(position, side, line, where = "") {
    const { unit } = this.trace.passes[position];
    if (!this.#lineages.has(unit)) this.#lineages.set(unit, new Lineage(this.trace, unit));
    const history = this.#lineages.get(unit).history(position, side, line);
    this.element.hidden = false;
    this.element.replaceChildren(
      h("header", {},
        h("h3", {}, `History of line ${line + 1}${where && ` of ${where}`}`),
        h("button", { type: "button", class: "button", id: "history-close", title: "Close (Esc)", onclick: () => { this.close(); this.onClose(); } }, "Close")),
      history ? this.#events(history) : h("p", {}, "Nothing is known of the texts around this pass."));
    const current = this.element.querySelector("[aria-current]");
    if (current) this.element.scrollTop = Math.max(0, current.offsetTop - 60);
  }

  #events({ versions, at, end }) {
    const list = h("ol", { class: "events" });
    const cut = versions[0].how === "rewritten";
    if (cut) list.append(h("li", {}, h("span", { class: "how" }, "older versions are not shown")));
    versions.forEach((version, i) => list.append(this.#version(version, i === at)));
    list.append(this.#end(end));
    return list;
  }

  #version({ text, how, position, side, line, culprit }, current) {
    const words = {
      start: "there from the start, in ", generated: "written by ",
      brought: "brought in by ", rewritten: "rewritten by ",
    }[how];
    const code = h("code", {});
    appendCode(code, text.trimStart(), { of: how === "generated" ? "c" : "python" });
    return h("li", { class: how, "aria-current": current ? "true" : null },
      h("span", { class: "how" }, ...this.#doer(words, position, side, line, culprit)), code);
  }

  /** "rewritten by 07 Simplify", as a link to the line there. */
  #doer(words, position, side, line, culprit) {
    const link = this.#link(position, side, line);
    if (culprit === null) return [words, link];
    if (culprit === "between") return [words.replace(" by ", " between two passes, first seen before "), link];
    const { passes } = this.trace;
    return [`${words}${this.trace.index(passes[culprit])} ${passes[culprit].name}, first seen before `, link];
  }

  #end({ how, position, by, side, line, culprit }) {
    const { trace } = this;
    const name = (of) => `${trace.index(trace.passes[of])} ${trace.passes[of].name}`;
    const link = this.#link(position, side, line);
    let what;
    if (how === "more") what = ["newer versions are not shown; the last of these is in ", link];
    else if (how === "stays") what = ["still there at the end, in ", link];
    else if (culprit === null) what = ["removed by ", link];
    else if (culprit === "between") what = ["last seen after ", link, `, gone before ${name(by)}`];
    else what = ["last seen after ", link, `, removed by ${name(culprit)}`];
    return h("li", { class: how }, h("span", { class: "how" }, ...what));
  }

  #link(position, side, line) {
    const { trace } = this;
    const pass = trace.passes[position];
    return h("button", {
      type: "button", class: "link", "data-address": addressOf(trace, position, { side, line }),
      onclick: () => { this.onSelect(position, { side, line }); this.focus(); },
    }, `${trace.index(pass)} ${pass.name}`);
  }
}
