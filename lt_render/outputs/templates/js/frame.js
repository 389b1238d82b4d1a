"use strict";
/* Works what is around the passes: the journal's state, run facts, help, theme, the width of the list. */

function showState({ kind, message }) {
  if (kind === "clean") return;
  const banner = byId("banner");
  banner.hidden = false;
  banner.classList.add(kind === "damaged" ? "damaged" : "early");
  banner.append(h("b", {}, kind === "damaged" ? "The journal is damaged. " : "The journal ended early. "));
  appendText(banner, message, true);
}

function showFacts(facts) {
  const list = byId("facts").querySelector("dl");
  for (const [label, value] of facts) {
    const what = h("dd");
    appendText(what, String(value), true);
    list.append(h("div", {}, h("dt", {}, String(label)), what));
  }
  byId("facts-toggle").hidden = facts.length === 0;
}

function listenToFacts() {
  byId("facts-toggle").addEventListener("click", () => {
    if (!closeFacts()) openFacts(true);
  });
  byId("facts-close").addEventListener("click", closeFacts);
}

function openFacts(open) {
  byId("facts").hidden = !open;
  byId("facts-toggle").setAttribute("aria-expanded", String(open));
}

/** False if they were not open. */
function closeFacts() {
  if (byId("facts").hidden) return false;
  openFacts(false);
  byId("facts-toggle").focus();
  return true;
}

/** Says where what is shown is not what the address names; "" for nothing to say. */
function showAddressNote(text) {
  byId("address-note").hidden = text === "";
  byId("address-said").replaceChildren();
  appendText(byId("address-said"), text);
}

function closeAddressNote() {
  showAddressNote("");
}

function toggleHelp() {
  const help = byId("help");
  if (help.open) help.close();
  else help.showModal();
}

function theme() {
  const kept = store.get("theme");
  if (kept === "dark" || kept === "light") return kept;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function showTheme(name) {
  document.documentElement.dataset.theme = name;
  byId("theme-toggle").textContent = name === "dark" ? "Light theme" : "Dark theme";
}

function toggleTheme() {
  const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  showTheme(name);
  store.set("theme", name);
}

function toggleSidebar() {
  const closed = byId("app").classList.toggle("no-sidebar");
  byId("sidebar-toggle").setAttribute("aria-expanded", String(!closed));
}

function setSidebarWidth(px) {
  const width = Math.round(clamp(px, 180, Math.max(180, innerWidth * 0.6)));
  document.documentElement.style.setProperty("--sidebar", `${width}px`);
  const resizer = byId("resizer");
  resizer.setAttribute("aria-valuenow", String(width));
  resizer.setAttribute("aria-valuemin", "180");
  resizer.setAttribute("aria-valuemax", String(Math.round(innerWidth * 0.6)));
  return width;
}

function listenToResizer() {
  const resizer = byId("resizer");
  const left = () => byId("sidebar").getBoundingClientRect();
  setSidebarWidth(Number(store.get("sidebar")) || 312);
  resizer.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    resizer.setPointerCapture(event.pointerId);
    resizer.classList.add("dragging");
    document.body.classList.add("resizing");
  });
  resizer.addEventListener("pointermove", (event) => {
    if (resizer.hasPointerCapture(event.pointerId)) setSidebarWidth(event.clientX - left().left);
  });
  resizer.addEventListener("lostpointercapture", () => {
    resizer.classList.remove("dragging");
    document.body.classList.remove("resizing");
    store.set("sidebar", String(Math.round(left().width)));
  });
  resizer.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -16, ArrowRight: 16 }[event.key];
    if (!step) return;
    event.preventDefault();
    store.set("sidebar", String(setSidebarWidth(left().width + step)));
  });
}

/** Shows what `make` makes of the embedded data; `again` tells how to get a page that can be read. */
async function startWith(make, again) {
  showTheme(theme());
  let data;
  try {
    data = await unpacked("trace-data").json();
  } catch {
    refuse(`The data in this page cannot be read: the file is cut short or altered. ${again}`);
    return;
  }
  byId("loading").hidden = true;
  byId("app").hidden = false;
  make(data);
}
