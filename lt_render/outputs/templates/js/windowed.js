"use strict";
/* Keeps a long list of rows fast to scroll: only those in sight are in the document. */

const OVERSCAN = 24; // rows drawn beyond what is visible, so that fast scrolling stays filled

/** Keeps in the document only the rows that can be seen: `draw(i)` gives [parent, element] pairs.
    Rows are `height` high, or, where `offsets` are given to reset(), some times that: offsets[i] is
    how many times all those above row i are. */
class Windowed {
  #drawn = new Map();
  #queued = false;
  pinned = -1; // a row kept in the document wherever the scrolling is
  // Called with the scrolling when other rows may be in sight. To ask for it then would have the
  // browser lay out what was just drawn, before the frame is complete.
  onMove = () => {};

  constructor(scroller, canvas, height, draw) {
    Object.assign(this, { scroller, canvas, height, draw, count: 0, offsets: null });
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

  reset(count, top = this.scroller.scrollTop, offsets = null) {
    this.count = count;
    this.offsets = offsets;
    this.canvas.style.height = `${this.topOf(count)}px`;
    this.scroller.scrollTop = top;
    this.redraw();
  }

  redraw() {
    this.#drawn.forEach((pairs) => pairs.forEach(([, element]) => element.remove()));
    this.#drawn.clear();
    // First what can be seen; the rows around it in the frame after, when that is on screen.
    this.update(1);
    requestAnimationFrame(() => this.#later());
  }

  /** Where a row begins, in pixels from the top of the canvas. */
  topOf(i) {
    return (this.offsets ? this.offsets[i] : i) * this.height;
  }

  heightOf(i) {
    return this.topOf(i + 1) - this.topOf(i);
  }

  /** The row that is at so many pixels from the top; the first or last one beyond the ends. */
  rowAt(y) {
    const at = Math.floor(y / this.height);
    if (!this.offsets) return clamp(at, 0, Math.max(0, this.count - 1));
    let low = 0;
    let high = Math.max(0, this.count - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offsets[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  update(overscan = OVERSCAN) {
    const { scrollTop, clientHeight } = this.scroller;
    const first = Math.max(0, this.rowAt(scrollTop) - overscan);
    const last = Math.min(this.count, this.rowAt(scrollTop + clientHeight - 1) + 1 + overscan);
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
    this.onMove(scrollTop);
  }

  #insert(i, before) {
    const pairs = this.draw(i);
    for (const [parent, element] of pairs) {
      element.style.top = `${this.topOf(i)}px`;
      if (this.offsets) element.style.height = `${this.heightOf(i)}px`;
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

  /** Brings a row into sight, with a margin above and below it as far as there is room. */
  reveal(i, margin = 0) {
    const top = this.topOf(i);
    const bottom = this.topOf(i + 1);
    const { scrollTop, clientHeight } = this.scroller;
    const room = clientHeight - (bottom - top);
    const keep = Math.min(margin, Math.max(this.height, room / 2));
    // Of a row higher than what can be seen, the beginning.
    if (top < scrollTop + keep || room < 2 * keep) this.scroller.scrollTop = Math.max(0, top - keep);
    else if (bottom > scrollTop + clientHeight - keep) this.scroller.scrollTop = bottom - clientHeight + keep;
    if (this.scroller.scrollTop !== scrollTop || !this.#drawn.has(i)) this.update();
  }

  close() {
    this.resizing.disconnect();
  }
}
