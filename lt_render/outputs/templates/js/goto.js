"use strict";
/* Asks for the number of a line, and goes there. */

const LETTERS = { L: "a", R: "b" }; // as in addresses

/** The little form over the texts. `sides()` are those shown, {key, label, ids}, and
    `onGo({side, line})` is called for the line asked for. */
class GoToLine {
  #came = null; // what had the focus before

  constructor(sides, onGo, focusTexts) {
    Object.assign(this, { sides, onGo, focusTexts });
    this.box = h("input", { id: "goto-line", type: "text", size: "8", autocomplete: "off", spellcheck: "false", "aria-describedby": "goto-how goto-trouble" });
    this.how = h("span", { id: "goto-how", class: "how" });
    this.trouble = h("p", { id: "goto-trouble", role: "alert", hidden: true });
    this.element = h("form", { id: "goto", "aria-label": "Go to line", hidden: true, onsubmit: (event) => this.#submit(event), onkeydown: (event) => this.#key(event) },
      h("label", { for: "goto-line" }, "Go to line"), this.box,
      h("button", { type: "submit", class: "button" }, "Go"),
      h("button", { type: "button", class: "button icon", title: "Close (Esc)", onclick: () => this.close() }, h("span", { "aria-hidden": "true" }, "✕"), h("span", { class: "vh" }, "Close")),
      this.how, this.trouble);
  }

  open() {
    const sides = this.sides();
    if (sides.length === 0) {
      announce("No text was recorded for this pass.");
      return;
    }
    if (this.element.hidden) this.#came = document.activeElement;
    this.how.textContent = sides.length > 1 ? `40 or R40: ${sides[1].label}; L40: ${sides[0].label}` : `1 to ${sides[0].ids.length}`;
    this.element.hidden = false;
    this.#say("");
    this.box.focus();
    this.box.select();
  }

  close() {
    if (this.element.hidden) return;
    this.element.hidden = true;
    if (this.#came?.isConnected && this.#came !== document.body) this.#came.focus({ preventScroll: true });
    else this.focusTexts();
  }

  #submit(event) {
    event.preventDefault();
    const sides = this.sides();
    const asked = /^\s*([LR]?)\s*(\d+)\s*$/i.exec(this.box.value);
    if (!asked) {
      this.#say(this.box.value.trim() ? `“${this.box.value.trim()}” is not the number of a line.` : "Type the number of a line.");
      return;
    }
    const letter = asked[1].toUpperCase();
    // A text that is shown once, as both are the same, is either side's.
    const side = sides.length > 1 && letter ? sides.find((one) => one.key === LETTERS[letter]) : sides.at(-1);
    const number = Number(asked[2]);
    if (number < 1 || number > side.ids.length) {
      this.#say(`There is no line ${number}: ${side.label} has ${count(side.ids.length, "line")}.`);
      return;
    }
    this.element.hidden = true;
    this.onGo({ side: side.key, line: number - 1 });
  }

  #say(text) {
    this.trouble.hidden = text === "";
    this.trouble.textContent = text;
    this.box.setAttribute("aria-invalid", String(text !== ""));
    if (text) this.box.select();
  }

  #key(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.close();
  }
}
