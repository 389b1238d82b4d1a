"use strict";
/* Finds and builds elements, copies to the clipboard, and keeps the reader's settings. */

const byId = (id) => document.getElementById(id);
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** An element: `of` holds its class, attributes, "on…" listeners; children are nodes or texts. */
function h(tag, of = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(of)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children) {
    if (child === null || child === undefined) continue;
    if (typeof child === "string") appendText(element, child, tag === "pre" || tag === "p");
    else element.append(child);
  }
  return element;
}

function announce(text) {
  byId("live").textContent = text;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

// Pages from file:// or plain http:// may have no clipboard API, or be denied it.
function copyByCommand(text) {
  const box = h("textarea", { class: "vh" });
  box.value = text;
  document.body.append(box);
  const focused = document.activeElement;
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  focused?.focus({ preventScroll: true });
  return done;
}

function copyButton(side, label, text, caption = "Copy") {
  const button = h("button", {
    type: "button", class: "button", id: `copy-${side}`, "data-copy": side, "aria-label": label,
    onclick: async () => {
      const done = await copyText(text());
      button.textContent = done ? "Copied ✓" : "Copying was refused";
      announce(done ? "Copied" : "Copying was refused");
      setTimeout(() => { button.textContent = caption; }, 1500);
    },
  }, caption);
  return button;
}

// localStorage throws on file:// in some browsers, and where it is switched off.
const store = {
  get(key) {
    try { return localStorage.getItem(`lower-trace.${key}`); } catch { return null; }
  },
  set(key, value) {
    try { localStorage.setItem(`lower-trace.${key}`, value); } catch { /* not kept, then */ }
  },
};
