"use strict";
/* Works the list of passes: what is in sight of it, the chosen pass, the keys. */

const ENTRY_HEIGHT = 28; // px; list.css: .entry

class Sidebar {
  constructor(trace, filter, onSelect) {
    Object.assign(this, { trace, filter, onSelect, current: -1 });
    this.scroller = byId("pass-scroll");
    this.list = byId("pass-list");
    this.listing = new Listing(trace, filter);
    this.window = new Windowed(this.scroller, this.list, ENTRY_HEIGHT, (i) => [[this.list, this.#entry(i)]]);
    this.list.addEventListener("click", (event) => this.#clicked(event));
    this.list.addEventListener("keydown", (event) => this.#key(event));
    byId("order").addEventListener("change", (event) => {
      this.listing.order = event.target.value;
      this.relist();
    });
    byId("noops").addEventListener("click", () => this.toggleNoops());
  }

  /** Passes the filter admits, in the order they ran, whether or not they are folded away. */
  get shown() {
    return this.filter.admitted;
  }

  /** The pass listed after or before one; what is folded or collapsed is not. */
  next(position, direction) {
    return this.listing.next(position, direction);
  }

  /** Lists anew after another filter or order: from the top, if the order says what comes first, or
      else around the chosen pass. */
  relist() {
    const flat = this.listing.order !== "run";
    this.refresh(flat ? [] : undefined);
    if (flat) this.scroller.scrollTop = 0;
    else if (this.current >= 0) this.select(this.current);
  }

  /** Lists anew; of the entries `still` the first that is left keeps its place. */
  refresh(still = this.#inSight()) {
    const { listing } = this;
    const held = this.list.contains(document.activeElement) ? listing.entries[document.activeElement.dataset.entry] : null;
    const from = still.map((entry) => [entry, entry.at * ENTRY_HEIGHT - this.scroller.scrollTop]);
    listing.build();
    const none = listing.entries.length === 0;
    byId("no-match").hidden = !none;
    this.scroller.hidden = none;
    this.window.pinned = Math.max(0, listing.at[this.current] ?? -1);
    const kept = from.find(([entry]) => listing.find(entry) >= 0);
    this.window.reset(listing.entries.length, kept ? listing.find(kept[0]) * ENTRY_HEIGHT - kept[1] : undefined);
    if (held) this.#focus(Math.max(listing.find(held), this.window.pinned));
    this.#tell();
  }

  /** The entries that can be seen, the chosen pass first. */
  #inSight() {
    const { entries } = this.listing;
    if (entries.length === 0) return [];
    const { scrollTop, clientHeight } = this.scroller;
    const seen = entries.slice(Math.ceil(scrollTop / ENTRY_HEIGHT), Math.floor((scrollTop + clientHeight) / ENTRY_HEIGHT));
    return [...seen.filter((entry) => this.#isCurrent(entry)), ...seen];
  }

  #isCurrent(entry) {
    return entry?.kind === "pass" && entry.of === this.current;
  }

  select(position) {
    this.current = position;
    if (this.listing.reveal(position)) this.refresh();
    const at = this.listing.at[position];
    this.window.pinned = Math.max(0, at);
    if (at >= 0) this.window.reveal(at, ENTRY_HEIGHT);
    else this.window.update();
    for (const element of this.window.all()) this.#mark(element.firstChild);
  }

  /** Shows all no-ops or, if they are shown, folds them; not the chosen one. */
  toggleNoops() {
    if (byId("noops").disabled) return;
    this.listing.toggleFolds();
    if (this.current >= 0) this.listing.reveal(this.current);
    this.refresh();
    announce(this.listing.folded > 0 ? `${count(this.listing.folded, "no-op")} folded` : "All no-ops shown");
  }

  #tell() {
    const { listing } = this;
    const { folding, folded, outline } = listing;
    const button = byId("noops");
    button.textContent = folded > 0 ? `Show ${count(folded, "no-op")}` : "Fold no-ops";
    button.disabled = !folding || outline.folds.length === 0;
    button.title = folding ? "Show the no-ops that are folded, or fold them again (o)"
      : "Nothing is folded while a search, a status or an order is chosen";
    const { own, cost } = listing.total;
    byId("list-foot").textContent = `${count(this.shown.length, "pass", "passes")}, ${duration(own)} in passes, ${duration(cost)} recorder`;
  }

  #mark(button) {
    const at = Number(button.dataset.entry);
    if (this.#isCurrent(this.listing.entries[at])) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    button.tabIndex = at === this.window.pinned ? 0 : -1;
  }

  #entry(i) {
    const button = entryOf(this.listing, this.listing.entries[i]);
    button.dataset.entry = String(i);
    this.#mark(button);
    return h("div", { class: "entry", role: "none" }, button);
  }

  #clicked(event) {
    const button = event.target.closest("button");
    const entry = this.listing.entries[button?.dataset.entry];
    if (!entry) return;
    const onChevron = event.target.closest(".chevron") && this.listing.opens(entry);
    if (entry.kind === "pass" && !onChevron) this.onSelect(entry.of);
    else this.#toggle(entry);
  }

  #toggle(entry) {
    this.listing.toggle(entry);
    this.refresh([entry]);
    this.#focus(this.listing.find(entry));
  }

  #focus(i) {
    const at = clamp(i, 0, this.listing.entries.length - 1);
    this.window.reveal(at);
    this.window.elements(at)[0]?.firstChild.focus({ preventScroll: true });
  }

  #key(event) {
    const { entries } = this.listing;
    const entry = entries[event.target.dataset?.entry];
    if (!entry) return;
    const opens = this.listing.opens(entry);
    const to = {
      ArrowDown: entry.at + 1, ArrowUp: entry.at - 1, Home: 0, End: entries.length - 1,
      ArrowRight: opens && entry.open ? entry.at + 1 : undefined,
      ArrowLeft: opens && entry.open ? undefined : entry.parent?.at,
    }[event.key];
    if (to !== undefined) this.#focus(to);
    else if (opens && (event.key === "ArrowRight" || event.key === "ArrowLeft")) this.#toggle(entry);
    else return;
    event.preventDefault();
  }
}
