"use strict";
/* Keeps a long list of rows fast to scroll: only those in sight are in the document. */

const OVERSCAN = 24; // rows drawn beyond what is visible, so that fast scrolling stays filled

/** Keeps in the document only the rows that can be seen: `draw(i)` gives [parent, element] pairs. */
class Windowed {
  #drawn = new Map();
  #queued = false;
  pinned = -1; // a row kept in the document wherever the scrolling is

  constructor(scroller, canvas, height, draw) {
    Object.assign(this, { scroller, canvas, height, draw, count: 0 });
    scroller.addEventListener("scroll", () => this.#later());
    this.resizing = new ResizeObserver(() => this.#later());
    this.resizing.observe(scroller);
  }

  // At most one drawing a frame, however many scroll events come.
  #later() {
    if (this.#queued) return;
    this.#queued = true;
    requestAnimationFrame(() => { this.#queued = false; this.update(); });
  }

  reset(count, top = this.scroller.scrollTop) {
    this.count = count;
    this.canvas.style.height = `${count * this.height}px`;
    this.scroller.scrollTop = top;
    this.#drawn.forEach((pairs) => pairs.forEach(([, element]) => element.remove()));
    this.#drawn.clear();
    // First what can be seen; the rows around it in the frame after, when that is on screen.
    this.update(1);
    requestAnimationFrame(() => this.#later());
  }

  update(overscan = OVERSCAN) {
    const { scrollTop, clientHeight } = this.scroller;
    const first = clamp(Math.floor(scrollTop / this.height) - overscan, 0, this.count);
    const last = Math.min(this.count, Math.ceil((scrollTop + clientHeight) / this.height) + overscan);
    for (const [i, pairs] of this.#drawn) {
      // The focused row stays: removing it would lose the keyboard's place.
      const kept = i === this.pinned || pairs.some(([, element]) => element.contains(document.activeElement));
      if ((i >= first && i < last) || kept) continue;
      pairs.forEach(([, element]) => element.remove());
      this.#drawn.delete(i);
    }
    const pinned = this.pinned < this.count ? this.pinned : -1;
    if (pinned >= 0 && !this.#drawn.has(pinned) && (pinned < first || pinned >= last)) this.#insert(pinned, false);
    let known = -1;
    for (let i = first; i < last && known < 0; i++) if (this.#drawn.has(i)) known = i;
    // Document order follows the rows', for selections and screen readers.
    for (let i = known - 1; i >= first; i--) this.#insert(i, true);
    for (let i = Math.max(known, first); i < last; i++) if (!this.#drawn.has(i)) this.#insert(i, false);
  }

  #insert(i, before) {
    const pairs = this.draw(i);
    for (const [parent, element] of pairs) {
      element.style.top = `${i * this.height}px`;
      if (before) parent.prepend(element);
      else parent.append(element);
    }
    this.#drawn.set(i, pairs);
  }

  elements(i) {
    return (this.#drawn.get(i) ?? []).map(([, element]) => element);
  }

  all() {
    return [...this.#drawn.values()].flat().map(([, element]) => element);
  }

  reveal(i, margin = 0) {
    const top = i * this.height;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop + margin) this.scroller.scrollTop = Math.max(0, top - margin);
    else if (top + this.height > scrollTop + clientHeight - margin) {
      this.scroller.scrollTop = top + this.height - clientHeight + margin;
    }
    if (this.scroller.scrollTop !== scrollTop || !this.#drawn.has(i)) this.update();
  }

  close() {
    this.resizing.disconnect();
  }
}
