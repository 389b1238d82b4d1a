"use strict";
/* Works the badges of the statuses, the tabs of the phases and the choice of a kernel. */

class FilterBar {
  constructor(trace, filter, onChange) {
    Object.assign(this, { trace, filter, onChange });
    this.#buildSummary();
    this.#buildPhases();
    this.#buildKernels();
  }

  #buildSummary() {
    this.badges = Object.entries(KINDS).map(([kind, { dot, word }]) => h("button", {
      type: "button", class: "badge", "data-kind": kind, onclick: () => this.#toggleKind(kind),
    }, h("span", { class: `dot s-${kind}`, "aria-hidden": "true" }, dot), h("b", {}), word));
    byId("summary").append(...this.badges);
  }

  #toggleKind(kind) {
    const { kinds } = this.filter;
    if (!kinds.delete(kind)) kinds.add(kind);
    this.onChange();
  }

  #buildPhases() {
    this.units = new Map(); // by phase: the units that went through it
    for (const { phase, unit } of this.trace.passes) {
      if (!this.units.has(phase)) this.units.set(phase, new Set());
      this.units.get(phase).add(unit);
    }
    this.phases = [null, ...this.units.keys()];
    this.tabs = this.phases.map((phase) => h("button", {
      type: "button", class: "tab", role: "tab", "aria-controls": "pass-scroll", "data-phase": phase,
      onclick: () => this.#choosePhase(phase),
    }, phase === null ? "All phases" : phase || "no phase", h("span", { class: "count" })));
    byId("phases").append(...this.tabs);
    byId("phases").addEventListener("keydown", (event) => this.#tabKey(event));
  }

  #choosePhase(phase) {
    this.filter.phase = phase;
    this.onChange();
  }

  #tabKey(event) {
    const tabs = this.tabs.filter((tab) => !tab.hidden);
    const at = tabs.indexOf(event.target.closest(".tab"));
    const last = tabs.length - 1;
    const to = { ArrowLeft: at === 0 ? last : at - 1, ArrowRight: at === last ? 0 : at + 1, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    tabs[to].focus();
    this.#choosePhase(this.phases[this.tabs.indexOf(tabs[to])]);
  }

  #buildKernels() {
    const { trace } = this;
    this.failed = new Set(trace.passes.filter((_, i) => this.filter.kindOf[i] === "failed").map((pass) => pass.unit));
    trace.units.forEach((unit, i) => { if (unit.compile && unit.status !== "completed") this.failed.add(i); });
    const all = `All kernels (${trace.units.filter((unit) => unit.compile).length})`;
    this.kernels = trace.units.map((_, i) => h("option", { value: String(i) }));
    this.kernel = byId("kernel");
    this.kernel.append(h("option", { value: "" }, all), ...this.kernels);
    this.kernel.addEventListener("change", () => this.#chooseKernel(this.kernel.value === "" ? null : Number(this.kernel.value)));
    this.kernel.hidden = trace.units.length < 2;
    for (const select of [this.kernel, byId("order")]) letGoAfterClick(select);
  }

  #chooseKernel(unit) {
    const { filter } = this;
    filter.unit = unit;
    // Of a phase that this kernel has not, nothing would be listed.
    if (unit !== null && !this.units.get(filter.phase)?.has(unit)) filter.phase = null;
    this.onChange();
  }

  /** Shows what is chosen, and how many passes each choice has. */
  refresh() {
    const { filter, trace } = this;
    const { counts } = filter;
    for (const badge of this.badges) {
      const { kind } = badge.dataset;
      const n = counts.kind.get(kind) ?? 0;
      badge.querySelector("b").textContent = String(n);
      badge.classList.toggle("empty", n === 0);
      badge.setAttribute("aria-pressed", String(filter.kinds.has(kind)));
    }
    const all = [...counts.phase.values()].reduce((sum, n) => sum + n, 0);
    this.tabs.forEach((tab, i) => {
      const phase = this.phases[i];
      const chosen = phase === filter.phase;
      tab.querySelector(".count").textContent = String(phase === null ? all : counts.phase.get(phase) ?? 0);
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      tab.hidden = phase !== null && !chosen && filter.unit !== null && !this.units.get(phase).has(filter.unit);
    });
    this.kernels.forEach((option, i) => {
      const n = count(counts.unit.get(i) ?? 0, "pass", "passes");
      const text = `${visible(trace.unitLabels[i])} · ${n}${this.failed.has(i) ? " · ✕ failed" : ""}`;
      if (option.textContent !== text) option.textContent = text;
    });
    this.kernel.value = filter.unit === null ? "" : String(filter.unit);
  }
}

/** A select that is used with the mouse gives the keys back to the page: j and k are not for it. */
function letGoAfterClick(select) {
  let clicked = false;
  select.addEventListener("pointerdown", () => { clicked = true; });
  select.addEventListener("keydown", () => { clicked = false; });
  select.addEventListener("change", () => { if (clicked) select.blur(); });
}
