"use strict";
/* The report's behaviour: unpacks the trace embedded in the page and shows one pass at a time.

   From the top: texts made safe to show, the trace, differences, windowed rows, the pane with
   the IR, the list of passes, the view of a pass, the page. Every text of the trace reaches the
   page through appendText(): as text nodes, never as HTML, and with invisible characters named. */
(() => {
  const ROW_HEIGHT = 20; // px; report.css says the same in --row
  const ENTRY_HEIGHT = 28; // px; report.css: .entry
  const OVERSCAN = 24; // rows drawn beyond what is visible, so that fast scrolling stays filled
  const CONTEXT = 3; // equal lines shown around a change
  const STEP = 20; // lines that one click on ↑ or ↓ reveals
  const MAX_SHOWN = 10000; // characters of a line put on the page; copying takes them all
  const KINDS = {
    changed: { dot: "●", word: "changed" },
    noop: { dot: "○", word: "no-op" },
    failed: { dot: "✕", word: "failed" },
    codegen: { dot: "◆", word: "codegen" },
  };

  const byId = (id) => document.getElementById(id);
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  const count = (n, noun) => `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;

  // ---------------------------------------------------------------- Texts made safe to show

  // Controls (but for the tab), formats such as bidi overrides and zero-width characters, lone
  // surrogates, line and paragraph separators: all that a browser would obey or not show.
  const HIDDEN = /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
  const HIDDEN_PARTS = new RegExp(`(${HIDDEN.source})`, "u");

  // Names and not ␛ and its like: few fonts have those, and fewer draw them legibly.
  const CONTROLS = "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");

  function nameOfHidden(character) {
    const code = character.codePointAt(0);
    if (code < 0x20) return CONTROLS[code];
    if (code === 0x7f) return "DEL";
    return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  }

  /** Appends a text of the trace; `keepNewlines` for boxes where a newline is a newline. */
  function appendText(parent, text, keepNewlines = false) {
    if (!HIDDEN.test(text)) {
      parent.append(text);
      return;
    }
    text.split(HIDDEN_PARTS).forEach((part, i) => {
      if (i % 2 === 0 || (keepNewlines && part === "\n")) {
        if (part) parent.append(part);
        return;
      }
      const mark = document.createElement("i");
      mark.className = "mark";
      mark.title = `U+${part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
      mark.textContent = nameOfHidden(part);
      parent.append(mark);
    });
  }

  const visible = (text) =>
    text.split(HIDDEN_PARTS).map((part, i) => (i % 2 ? nameOfHidden(part) : part)).join("");

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

  function copyButton(side, label, text) {
    const button = h("button", {
      type: "button", class: "button", id: `copy-${side}`, "data-copy": side, "aria-label": label,
      onclick: async () => {
        const done = await copyText(text());
        button.textContent = done ? "Copied ✓" : "Copying was refused";
        announce(done ? "Copied" : "Copying was refused");
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      },
    }, "Copy");
    return button;
  }

  function duration(us) {
    if (us < 1000) return `${us} µs`;
    if (us < 1e6) return `${(us / 1e3).toPrecision(3)} ms`;
    return `${(us / 1e6).toFixed(2)} s`;
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

  // ---------------------------------------------------------------- The trace

  function bytesOfBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  }

  async function unpack() {
    const holder = byId("trace-data");
    const packed = new Blob([bytesOfBase64(holder.textContent.trim())]);
    holder.textContent = ""; // it may be tens of megabytes, and is not needed again
    const json = packed.stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(json).json();
  }

  class Trace {
    #ids = new Map();
    #widths;

    constructor(data) {
      this.data = data;
      this.lines = data.lines.split("\n");
      this.passes = data.passes;
      this.units = data.units;
      this.#widths = new Uint32Array(this.lines.length);
      this.positions = new Map(this.passes.map((pass, i) => [pass.index, i]));
      this.unitLabels = labelUnits(this.units);
    }

    kind(pass) {
      if (pass.status === "codegen") return "codegen";
      if (pass.status !== "completed") return "failed";
      return pass.changed ? "changed" : "noop";
    }

    index(pass) {
      return String(pass.index).padStart(this.data.width, "0");
    }

    text(n) {
      return Array.from(this.ids(n), (id) => this.lines[id]).join("\n");
    }

    /** The line ids of text `n`. A text is often a change to an earlier one, thousands of links
        deep: the walk is a loop, and keeps every 32nd text on its way so that the next is short. */
    ids(n) {
      const chain = [];
      let at = n;
      while (at >= 0 && !this.#ids.has(at)) {
        chain.push(at);
        at = this.data.texts[at][0];
      }
      let ids = at >= 0 ? this.#ids.get(at) : null;
      while (chain.length) {
        at = chain.pop();
        const entry = this.data.texts[at];
        ids = entry[0] < 0 ? Int32Array.from(entry.slice(1)) : patched(ids, entry);
        if (at === n || at % 32 === 0) this.#ids.set(at, ids);
      }
      return ids;
    }

    /** Columns that the widest of some lines takes. */
    width(ids) {
      let widest = 0;
      for (const id of ids) {
        let width = this.#widths[id];
        if (width === 0) width = this.#widths[id] = 1 + columns(this.lines[id]);
        if (width > widest) widest = width;
      }
      return Math.max(0, widest - 1);
    }
  }

  function patched(base, entry) {
    let size = base.length;
    for (let p = 1; p < entry.length; p += 3 + entry[p + 2]) size += entry[p + 2] - entry[p + 1];
    const ids = new Int32Array(size);
    let from = 0;
    let to = 0;
    for (let p = 1; p < entry.length;) {
      const [start, removed, added] = [entry[p], entry[p + 1], entry[p + 2]];
      ids.set(base.subarray(from, start), to);
      to += start - from;
      p += 3;
      for (let i = 0; i < added; i++) ids[to++] = entry[p++];
      from = start + removed;
    }
    ids.set(base.subarray(from), to);
    return ids;
  }

  function columns(line) {
    if (/^[ -~]*$/.test(line)) return Math.min(line.length, MAX_SHOWN + 40);
    let width = 0;
    for (const character of line.slice(0, MAX_SHOWN)) {
      if (character === "\t") width += 4;
      else if (HIDDEN.test(character)) width += 8;
      else width += character.codePointAt(0) < 0x1100 ? 1 : 2;
    }
    return width + (line.length > MAX_SHOWN ? 40 : 0);
  }

  /** A name for every unit; the second compile of a kernel of one name is "name (2)". */
  function labelUnits(units) {
    const seen = new Map();
    return units.map((unit, i) => {
      const name = unit.name ?? (unit.kernels.join(", ") || `compile ${i + 1}`);
      const times = (seen.get(name) ?? 0) + 1;
      seen.set(name, times);
      return times === 1 ? name : `${name} (${times})`;
    });
  }

  // ---------------------------------------------------------------- Differences

  /** Blocks of a diff, in order: `a`, `an` lines of the old text beside `b`, `bn` of the new. */
  function blocksOf(hunks, aLength, bLength) {
    const blocks = [];
    let a = 0;
    let b = 0;
    const equalUntil = (until) => {
      if (until > a) blocks.push({ equal: true, a, an: until - a, b, bn: until - a });
    };
    for (let i = 0; i < hunks.length; i += 4) {
      const [oldStart, oldCount, newStart, newCount] = hunks.slice(i, i + 4);
      equalUntil(oldStart);
      blocks.push({ equal: false, a: oldStart, an: oldCount, b: newStart, bn: newCount });
      a = oldStart + oldCount;
      b = newStart + newCount;
    }
    equalUntil(Math.max(aLength, a));
    return blocks.filter((block) => block.b + block.bn <= bLength || !block.equal);
  }

  /** Differences of two id arrays between bounds, appended to flat `hunks`. Lines that occur once
      on each side anchor the rest (patience diff); what is between them goes to Myers' greedy
      search, and where that would take too long the whole stretch counts as changed. */
  function diffIds(a, a0, a1, b, b0, b1, hunks) {
    while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) { a0++; b0++; }
    while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) { a1--; b1--; }
    if (a0 === a1 && b0 === b1) return;
    if (a0 === a1 || b0 === b1) {
      hunks.push(a0, a1 - a0, b0, b1 - b0);
      return;
    }
    const anchors = uniqueCommon(a, a0, a1, b, b0, b1);
    if (anchors.length === 0) {
      myers(a, a0, a1, b, b0, b1, hunks);
      return;
    }
    for (const [i, j] of anchors) {
      diffIds(a, a0, i, b, b0, j, hunks);
      a0 = i + 1;
      b0 = j + 1;
    }
    diffIds(a, a0, a1, b, b0, b1, hunks);
  }

  function uniqueCommon(a, a0, a1, b, b0, b1) {
    const onlyAt = (ids, from, to) => {
      const at = new Map();
      for (let i = from; i < to; i++) at.set(ids[i], at.has(ids[i]) ? -1 : i);
      return at;
    };
    const inB = onlyAt(b, b0, b1);
    const pairs = [];
    for (const [id, i] of onlyAt(a, a0, a1)) {
      const j = inB.get(id) ?? -1;
      if (i >= 0 && j >= 0) pairs.push([i, j]);
    }
    pairs.sort((x, y) => x[0] - y[0]);
    return longestAscending(pairs);
  }

  /** The longest part of `pairs` whose second members ascend too. */
  function longestAscending(pairs) {
    const tails = []; // positions in pairs: the smallest end of an ascending run of each length
    const before = new Int32Array(pairs.length);
    pairs.forEach(([, j], p) => {
      let low = 0;
      let high = tails.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (pairs[tails[middle]][1] < j) low = middle + 1;
        else high = middle;
      }
      before[p] = low > 0 ? tails[low - 1] : -1;
      tails[low] = p;
    });
    const run = [];
    for (let p = tails.length ? tails[tails.length - 1] : -1; p >= 0; p = before[p]) run.push(pairs[p]);
    return run.reverse();
  }

  function myers(a, a0, a1, b, b0, b1, hunks) {
    const n = a1 - a0;
    const m = b1 - b0;
    const limit = Math.min(n + m, 600);
    const reach = new Int32Array(2 * limit + 3); // reach[k]: the furthest x on diagonal k
    const history = [];
    for (let d = 0; d <= limit; d++) {
      history.push(reach.slice(limit + 1 - d - 1, limit + 1 + d + 2));
      for (let k = -d; k <= d; k += 2) {
        const at = limit + 1 + k;
        let x = k === -d || (k !== d && reach[at - 1] < reach[at + 1]) ? reach[at + 1] : reach[at - 1] + 1;
        while (x < n && x - k < m && a[a0 + x] === b[b0 + x - k]) x++;
        reach[at] = x;
        if (x >= n && x - k >= m) {
          pushHunks(history, d, n, m, a0, b0, hunks);
          return;
        }
      }
    }
    hunks.push(a0, n, b0, m);
  }

  /** Walks Myers' history back from the end and appends what it edits as hunks. */
  function pushHunks(history, d, n, m, a0, b0, hunks) {
    const found = [];
    let x = n;
    let y = m;
    for (; d > 0; d--) {
      const reach = history[d];
      const k = x - y;
      const at = d + 1 + k; // history[d] starts at diagonal -d - 1
      const down = k === -d || (k !== d && reach[at - 1] < reach[at + 1]);
      const startX = down ? reach[at + 1] : reach[at - 1];
      const startY = startX - (down ? k + 1 : k - 1);
      const last = found[found.length - 1];
      // The edit is followed by equal lines; without any it joins the hunk found before it.
      const endX = down ? startX : startX + 1;
      const endY = down ? startY + 1 : startY;
      if (last && last[0] === endX && last[2] === endY) {
        last[1] += endX - startX;
        last[3] += endY - startY;
        last[0] = startX;
        last[2] = startY;
      } else {
        found.push([startX, endX - startX, startY, endY - startY]);
      }
      x = startX;
      y = startY;
    }
    for (const [os, oc, ns, nc] of found.reverse()) hunks.push(a0 + os, oc, b0 + ns, nc);
  }

  /** Hunks under manual alignment: each anchor [i, j] puts old line i beside new line j, whatever
      they say, and the stretches between anchors are compared on their own. */
  function alignedHunks(a, b, anchors) {
    const hunks = [];
    let a0 = 0;
    let b0 = 0;
    for (const [i, j] of anchors) {
      diffIds(a, a0, i, b, b0, j, hunks);
      if (a[i] !== b[j]) hunks.push(i, 1, j, 1);
      a0 = i + 1;
      b0 = j + 1;
    }
    diffIds(a, a0, a.length, b, b0, b.length, hunks);
    return hunks;
  }

  const wordCache = new Map();

  function words(text) {
    let found = wordCache.get(text);
    if (!found) {
      found = text.slice(0, MAX_SHOWN).match(/[\p{L}\p{N}_]+|./gsu) ?? [];
      if (wordCache.size > 4000) wordCache.clear();
      wordCache.set(text, found);
    }
    return found;
  }

  /** How much of two lines is the same, from 0 to 1 (Dice's coefficient over their words). */
  function likeness(one, other) {
    const left = words(one);
    const right = words(other);
    const bag = new Map();
    let weight = 0;
    let same = 0;
    for (const word of left) {
      if (!word.trim()) continue;
      bag.set(word, (bag.get(word) ?? 0) + 1);
      weight += word.length;
    }
    for (const word of right) {
      if (!word.trim()) continue;
      weight += word.length;
      const left = bag.get(word) ?? 0;
      if (left > 0) { bag.set(word, left - 1); same += 2 * word.length; }
    }
    return weight ? same / weight : 0;
  }

  /** Which of `long` lines each of `short` lines stands beside: ascending, most alike in sum. */
  function pairUp(short, long) {
    const slack = long.length - short.length;
    const places = short.map((_, i) => i);
    if (slack === 0 || short.length * (slack + 1) > 3000) return places;
    const width = slack + 1;
    const best = new Float64Array((short.length + 1) * width);
    const gain = new Float64Array((short.length + 1) * width);
    for (let i = 1; i <= short.length; i++) {
      for (let s = 0; s <= slack; s++) {
        const taken = best[(i - 1) * width + s] + likeness(short[i - 1], long[i - 1 + s]);
        gain[i * width + s] = taken;
        best[i * width + s] = s > 0 ? Math.max(best[i * width + s - 1], taken) : taken;
      }
    }
    for (let i = short.length, s = slack; i > 0; i--) {
      while (s > 0 && best[i * width + s - 1] >= gain[i * width + s]) s--;
      places[i - 1] = i - 1 + s;
    }
    return places;
  }

  /** Ranges of characters that differ between two lines, as [[start, end, …], [start, end, …]];
      null when the lines have too little in common for that to help. */
  function wordRanges(one, other) {
    const left = words(one);
    const right = words(other);
    let start = 0;
    while (start < left.length && start < right.length && left[start] === right[start]) start++;
    let end = 0;
    while (end < left.length - start && end < right.length - start
      && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
    const [keptLeft, keptRight] = commonWords(left.slice(start, left.length - end), right.slice(start, right.length - end));
    const ranges = [rangesOf(left, start, keptLeft), rangesOf(right, start, keptRight)];
    const changed = (of) => of.reduce((sum, at, i) => sum + (i % 2 ? at : -at), 0);
    const total = Math.max(one.trim().length, other.trim().length, 1);
    return Math.max(changed(ranges[0]), changed(ranges[1])) > 0.65 * total ? null : ranges;
  }

  /** For both lists of words, 1 for those in their longest common subsequence. */
  function commonWords(left, right) {
    const keptLeft = new Uint8Array(left.length);
    const keptRight = new Uint8Array(right.length);
    if (left.length === 0 || left.length * right.length > 250000) return [keptLeft, keptRight];
    const width = right.length + 1;
    const best = new Uint16Array((left.length + 1) * width);
    for (let i = left.length - 1; i >= 0; i--) {
      for (let j = right.length - 1; j >= 0; j--) {
        best[i * width + j] = left[i] === right[j]
          ? best[(i + 1) * width + j + 1] + 1
          : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
      }
    }
    for (let i = 0, j = 0; i < left.length && j < right.length;) {
      if (left[i] === right[j]) { keptLeft[i++] = 1; keptRight[j++] = 1; }
      else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i++;
      else j++;
    }
    return [keptLeft, keptRight];
  }

  function rangesOf(all, start, kept) {
    const ranges = [];
    let at = 0;
    for (let i = 0; i < start; i++) at += all[i].length;
    for (let i = 0; i < kept.length; i++) {
      const word = all[start + i];
      // A blank between two changed words is highlighted with them.
      const bridge = kept[i] && !word.trim() && i > 0 && !kept[i - 1] && i + 1 < kept.length && !kept[i + 1];
      if (!kept[i] || bridge) {
        if (ranges[ranges.length - 1] === at) ranges[ranges.length - 1] = at + word.length;
        else ranges.push(at, at + word.length);
      }
      at += word.length;
    }
    return ranges;
  }

  // ---------------------------------------------------------------- Rows

  /** The rows of a diff: its blocks, with long equal stretches folded into one row each.
      An item covers `rows` rows from `top`; kind is "equal", "change" or "gap". */
  class Layout {
    constructor(blocks, fold, reveal, all) {
      this.items = [];
      this.rows = 0;
      blocks.forEach((block, i) => {
        if (!block.equal) this.#add("change", block, 0, Math.max(block.an, block.bn));
        else if (!fold || all) this.#add("equal", block, 0, block.an);
        else this.#addFolded(block, i === 0, i === blocks.length - 1, reveal);
      });
    }

    #addFolded(block, first, last, reveal) {
      const shown = reveal.get(block.a) ?? { above: 0, below: 0 };
      const head = (first ? 0 : CONTEXT) + shown.above;
      const tail = (last ? 0 : CONTEXT) + shown.below;
      const hidden = block.an - head - tail;
      // Folding a single line would save nothing: the row that says so is as high.
      if (hidden <= 1) {
        this.#add("equal", block, 0, block.an);
        return;
      }
      if (head) this.#add("equal", block, 0, head);
      this.#add("gap", block, head, 1, { hidden, first, last });
      if (tail) this.#add("equal", block, block.an - tail, tail);
    }

    #add(kind, block, skip, rows, more = {}) {
      this.items.push({ kind, block, a: block.a + skip, b: block.b + skip, rows, top: this.rows, ...more });
      this.rows += rows;
    }

    at(row) {
      let low = 0;
      let high = this.items.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.items[middle].top <= row) low = middle;
        else high = middle - 1;
      }
      return this.items[low];
    }

    rowOf(side, line) {
      for (const item of this.items) {
        const start = item[side];
        if (item.kind === "equal" && line >= start && line < start + item.rows) return item.top + line - start;
        if (item.kind === "change" && line >= start && line < start + item.block[`${side}n`]) {
          return item.top + (item.places?.[side]?.indexOf(line - start) ?? line - start);
        }
      }
      return -1;
    }
  }

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

  // ---------------------------------------------------------------- A pane of IR

  /** One text, or two side by side, in windowed rows. `sides` is one or two of
      {key: "a" | "b", label, ids, heading}; `state` keeps what the reader has done to this pass. */
  class Pane {
    #echoes = new Map(); // where this pane itself has scrolled each of its scrollers to

    constructor(trace, sides, blocks, fold, state) {
      Object.assign(this, { trace, sides, blocks, fold, state });
      this.cursor = null; // the line the keyboard is at while aligning: {side, row}
      this.#build();
    }

    #build() {
      const longest = Math.max(...this.sides.map((side) => side.ids.length));
      const width = Math.max(...this.sides.map((side) => this.trace.width(side.ids)));
      const digits = Math.max(3, String(longest).length);
      this.gaps = h("div");
      this.columns = new Map(this.sides.map((side) => [side.key, h("div", {
        class: "side", role: "table", tabindex: "0", "data-side": side.key, "aria-label": side.label,
        "aria-rowcount": String(side.ids.length),
        onscroll: (event) => this.#scrolled(event.target),
        onclick: (event) => this.#clicked(event),
      })]));
      this.canvas = h("div", { class: "canvas" }, ...this.columns.values(), this.gaps);
      // The sides take the focus: from them the arrow keys scroll sideways, and down in here.
      this.scroller = h("div", { class: "scroll", tabindex: "-1" }, this.canvas);
      this.barWidth = h("div");
      this.bar = h("div", { class: "hbar", tabindex: "-1", onscroll: (event) => this.#scrolled(event.target) }, this.barWidth);
      this.element = h("div", { class: "pane" }, h("div", { class: "cols" }, ...this.sides.map((side) => side.heading)), this.scroller, this.bar);
      this.element.style.setProperty("--gutter", `calc(${digits}ch + 20px)`);
      this.element.style.setProperty("--width", `calc(${digits + width + 4}ch + 36px)`);
      this.window = new Windowed(this.scroller, this.canvas, ROW_HEIGHT, (row) => this.#draw(row));
      this.resizing = new ResizeObserver(() => this.#fitBar());
      this.resizing.observe(this.scroller);
    }

    /** Lays the rows out anew. Needs the pane in the document: only there has it a height. */
    layOut(top) {
      const { reveal, all } = this.state;
      this.layout = new Layout(this.blocks, this.fold, reveal, all());
      this.window.reset(this.layout.rows, top);
    }

    close() {
      this.state.top = this.scroller.scrollTop;
      this.window.close();
      this.resizing.disconnect();
    }

    // One bar for both sides: as far to go as the sides have.
    #fitBar() {
      const side = this.columns.values().next().value;
      const rest = side.scrollWidth - side.clientWidth;
      this.bar.hidden = rest <= 0;
      this.barWidth.style.width = `${this.bar.clientWidth + rest}px`;
    }

    // Setting scrollLeft has its event a frame later, when the reader may have scrolled on: such an
    // echo must not pull the side that the reader moves back.
    #scrolled(source) {
      if (this.#echoes.get(source) === source.scrollLeft) return;
      this.#echoes.set(source, source.scrollLeft);
      for (const element of [...this.columns.values(), this.bar]) {
        if (element === source || Math.abs(element.scrollLeft - source.scrollLeft) < 1) continue;
        element.scrollLeft = source.scrollLeft;
        this.#echoes.set(element, element.scrollLeft);
      }
    }

    focus() {
      this.columns.values().next().value.focus({ preventScroll: true });
    }

    /** The line numbers on a row: -1 where a side has none. */
    cells(row) {
      const item = this.layout.at(row);
      const offset = row - item.top;
      if (item.kind === "equal") return { kind: "equal", a: item.a + offset, b: item.b + offset };
      if (item.kind === "gap") return { kind: "gap", a: -1, b: -1, item };
      item.places ??= this.#places(item.block);
      const place = (side) => (item.places[side][offset] < 0 ? -1 : item[side] + item.places[side][offset]);
      return { kind: "change", a: place("a"), b: place("b") };
    }

    /** For a changed block, the line (counted in the block) of each side on each row. The shorter
        side's lines go beside those they resemble; that is worked out when the block is seen. */
    #places({ a, an, b, bn }) {
      const rows = Math.max(an, bn);
      const straight = Array.from({ length: rows }, (_, i) => i);
      const spread = new Array(rows).fill(-1);
      if (an > 0 && bn > 0) {
        const texts = (side, from, n) => Array.from(this.#ids(side).subarray(from, from + n), (id) => this.trace.lines[id]);
        const [left, right] = [texts("a", a, an), texts("b", b, bn)];
        const places = an < bn ? pairUp(left, right) : pairUp(right, left);
        places.forEach((row, i) => { spread[row] = i; });
      }
      return an < bn ? { a: spread, b: straight } : { a: straight, b: spread };
    }

    #ids(key) {
      return this.sides.find((side) => side.key === key)?.ids;
    }

    #draw(row) {
      const cells = this.cells(row);
      if (cells.kind === "gap") return [[this.gaps, this.#gap(cells.item)]];
      const text = (key) => (cells[key] < 0 ? null : this.trace.lines[this.#ids(key)[cells[key]]]);
      const both = cells.kind === "change" && cells.a >= 0 && cells.b >= 0;
      const ranges = both ? wordRanges(text("a"), text("b")) : null;
      return [...this.columns].map(([key, column], i) => [column, this.#row(key, row, cells, text(key), ranges?.[i])]);
    }

    #row(key, row, cells, text, ranges) {
      const line = cells[key];
      if (line < 0) return h("div", { class: "row void", "data-row": String(row), "aria-hidden": "true" }, h("span", { class: "num" }));
      const classes = ["row"];
      if (cells.kind === "change") classes.push(key === "a" ? "del" : "add");
      if (this.state.anchors.some((anchor) => anchor[key === "a" ? 0 : 1] === line)) classes.push("pinned");
      const { chosen } = this.state;
      if (chosen && chosen.side === key && chosen.line === line) classes.push("chosen");
      if (this.cursor && this.cursor.side === key && this.cursor.row === row) classes.push("cursor");
      const code = h("span", { class: "code", role: "cell" });
      appendCode(code, text, ranges);
      return h("div", {
        class: classes.join(" "), role: "row", "data-row": String(row), "data-line": String(line + 1), "aria-rowindex": String(line + 1),
      }, h("span", { class: "num", role: "rowheader" }, String(line + 1)), code);
    }

    /** The row that stands for hidden lines: ↓ shows more below the change above it, ↑ more above
        the change under it. */
    #gap(item) {
      const { block, hidden, first, last } = item;
      const step = Math.min(STEP, hidden);
      const reveal = (above, below, action) => () => {
        const shown = this.state.reveal.get(block.a) ?? { above: 0, below: 0 };
        this.state.reveal.set(block.a, { above: shown.above + above, below: shown.below + below });
        this.#redrawAround(block, action);
      };
      const button = (action, label, title, above, below) => h("button", {
        type: "button", class: action, "data-gap": String(block.a), title, "aria-label": title, onclick: reveal(above, below, action),
      }, label);
      return h("div", { class: "gap", role: "group", "aria-label": `${hidden} unchanged lines hidden` },
        h("span", { class: "steps" },
          first ? null : button("down", "↓", `Expand ${step} lines down`, step, 0),
          last ? null : button("up", "↑", `Expand ${step} lines up`, 0, step)),
        button("all", `↑↓ Expand ${count(hidden, "line")}`, `Expand all ${hidden} hidden lines`, last ? hidden : 0, last ? 0 : hidden),
        h("span", { class: "where" }, this.#enclosing(item)));
    }

    /** The function that the first line after a gap is in, as git shows it behind "@@". */
    #enclosing(item) {
      const ids = this.#ids("a");
      const end = item.a + item.hidden;
      if (item.last) return "";
      for (let line = end - 1; line >= Math.max(0, end - 3000); line--) {
        const text = this.trace.lines[ids[line]];
        if (/^\s*(def|class)\s|^(extern|static|__global__|__device__|void|int)\b.*\(/.test(text)) return text.trim().slice(0, 200);
      }
      return "";
    }

    #redrawAround(block, action) {
      this.layOut();
      // The button that was pressed is gone: the keyboard goes on from its successor.
      const again = this.gaps.querySelector(`button.${action}[data-gap="${block.a}"]`);
      if (again) again.focus({ preventScroll: true });
      else this.focus();
    }

    // ---- Going to changes, choosing lines

    toChange(direction) {
      // The change "here" is the one that toChange() put under the context at the top.
      const here = Math.round(this.scroller.scrollTop / ROW_HEIGHT) + CONTEXT;
      const changes = this.layout.items.filter((item) => item.kind === "change");
      const next = direction > 0 ? changes.find((item) => item.top > here) : changes.findLast((item) => item.top < here);
      if (!next) return;
      this.scroller.scrollTop = Math.max(0, (next.top - CONTEXT) * ROW_HEIGHT);
      this.window.update();
    }

    #clicked(event) {
      const row = event.target.closest(".row");
      const onNumber = event.target.closest(".num");
      if (!row || !row.dataset.line || (!onNumber && !this.picking)) return;
      this.onChoose?.(event.currentTarget.dataset.side, Number(row.dataset.line) - 1);
    }

    /** Redraws rows whose looks depend on what is chosen. */
    redraw() {
      this.window.reset(this.layout.rows);
    }

    moveCursor(key) {
      const keys = [...this.columns.keys()];
      const { side, row } = this.cursor;
      if (key === "ArrowLeft" || key === "ArrowRight") this.cursor.side = keys[key === "ArrowLeft" ? 0 : keys.length - 1];
      const step = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
      for (let at = row + step; step && at >= 0 && at < this.layout.rows; at += step) {
        if (this.cells(at)[side] < 0) continue;
        this.cursor.row = at;
        break;
      }
      this.window.reveal(this.cursor.row, 2 * ROW_HEIGHT);
      this.redraw();
    }
  }

  /** Appends a line of code, its `ranges` of characters (flat) marked as changed words. */
  function appendCode(parent, text, ranges) {
    const shown = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN) : text;
    let at = 0;
    for (let i = 0; ranges && i < ranges.length; i += 2) {
      if (ranges[i] > at) appendText(parent, shown.slice(at, ranges[i]));
      const word = document.createElement("span");
      word.className = "w";
      appendText(word, shown.slice(ranges[i], ranges[i + 1]));
      parent.append(word);
      at = ranges[i + 1];
    }
    if (at < shown.length) appendText(parent, shown.slice(at));
    if (shown !== text) parent.append(h("span", { class: "more" }, ` … ${count(text.length - MAX_SHOWN, "more character")}`));
  }

  /** Manual alignment (F7), as in Beyond Compare: the reader picks a line on one side and a line
      on the other. Those two then stand beside each other, whatever they say; the lines above the
      pair are compared only with lines above it, those below only with those below. A pair that
      would cross an earlier one replaces it. Pairs last until "Clear alignment" or a reload. A
      line chosen by its number before F7 counts as the first pick. */
  class Aligner {
    constructor(pane, hint, onChange) {
      Object.assign(this, { pane, hint, onChange, first: null });
      pane.onChoose = (side, line) => this.#chosen(side, line);
    }

    toggle() {
      if (this.pane.picking) this.stop();
      else this.#start();
    }

    #start() {
      const { pane } = this;
      this.first = pane.state.chosen;
      pane.picking = true;
      pane.element.classList.add("picking");
      const row = this.first ? pane.layout.rowOf(this.first.side, this.first.line) : -1;
      const top = Math.ceil(pane.scroller.scrollTop / ROW_HEIGHT);
      pane.cursor = { side: this.first?.side === "a" ? "b" : "a", row: row >= 0 ? row : top };
      if (pane.cells(pane.cursor.row)[pane.cursor.side] < 0) pane.moveCursor("ArrowDown");
      pane.focus();
      this.#show();
      pane.redraw();
    }

    stop() {
      const { pane } = this;
      pane.picking = false;
      pane.cursor = null;
      pane.element.classList.remove("picking");
      pane.state.chosen = null;
      this.first = null;
      this.#show();
      pane.redraw();
    }

    #show() {
      this.hint.hidden = !this.pane.picking;
      if (!this.pane.picking) return;
      const name = (side) => (side === "a" ? "left" : "right");
      const text = this.first
        ? `Align: pick the line on the ${name(this.first.side === "a" ? "b" : "a")} that belongs beside line ${this.first.line + 1} on the ${name(this.first.side)}.`
        : "Align: pick a line on the left or on the right.";
      this.hint.replaceChildren(h("span", {}, text),
        h("button", { type: "button", class: "button", onclick: () => this.stop() }, "Cancel"));
      announce(text);
    }

    key(event) {
      if (!this.pane.picking) return false;
      if (event.key === "Escape") this.stop();
      else if (event.key.startsWith("Arrow")) this.pane.moveCursor(event.key);
      else if (event.key === "Enter" && !event.target.closest("button")) {
        const { side, row } = this.pane.cursor;
        const line = this.pane.cells(row)[side];
        if (line >= 0) this.#chosen(side, line);
      } else return false;
      event.preventDefault();
      return true;
    }

    #chosen(side, line) {
      const { pane } = this;
      if (!pane.picking) {
        const { chosen } = pane.state;
        pane.state.chosen = chosen?.side === side && chosen.line === line ? null : { side, line };
        pane.redraw();
        return;
      }
      if (!this.first || this.first.side === side) {
        this.first = { side, line };
        pane.state.chosen = this.first;
        pane.cursor.side = side === "a" ? "b" : "a";
        if (pane.cells(pane.cursor.row)[pane.cursor.side] < 0) pane.moveCursor("ArrowDown");
        this.#show();
        pane.redraw();
        return;
      }
      const pair = side === "b" ? [this.first.line, line] : [line, this.first.line];
      const crosses = ([i, j]) => (i - pair[0]) * (j - pair[1]) <= 0;
      const anchors = pane.state.anchors.filter((anchor) => !crosses(anchor));
      this.stop();
      this.onChange([...anchors, pair].sort((x, y) => x[0] - y[0]), pair);
    }
  }

  // ---------------------------------------------------------------- The filter and the list of passes

  /** Which passes are listed. Each condition is a predicate over (pass, kind) or null. */
  class Filter {
    phase = null;
    kinds = new Set();

    admits(pass, kind) {
      return (this.phase === null || pass.phase === this.phase) && (this.kinds.size === 0 || this.kinds.has(kind));
    }

    get active() {
      return this.phase !== null || this.kinds.size > 0;
    }

    clear() {
      this.phase = null;
      this.kinds.clear();
    }
  }

  class Sidebar {
    #collapsed = new Set();
    #entries = []; // {group} or {pass}, in the order listed

    constructor(trace, filter, onSelect) {
      Object.assign(this, { trace, filter, onSelect, current: -1 });
      this.scroller = byId("pass-scroll");
      this.list = byId("pass-list");
      this.groups = groupsOf(trace);
      this.window = new Windowed(this.scroller, this.list, ENTRY_HEIGHT, (i) => [[this.list, this.#entry(i)]]);
      this.list.addEventListener("click", (event) => this.#clicked(event));
      this.list.addEventListener("keydown", (event) => this.#key(event));
    }

    /** Passes the filter shows, in the order they ran: what j and k walk over. */
    get shown() {
      return this.trace.passes.map((_, i) => i).filter((i) => this.#admits(i));
    }

    #admits(i) {
      const pass = this.trace.passes[i];
      return this.filter.admits(pass, this.trace.kind(pass));
    }

    refresh() {
      this.#entries = [];
      for (const group of this.groups) {
        const members = group.members.filter((i) => this.#admits(i));
        if (members.length === 0) continue;
        this.#entries.push({ group, members });
        if (!this.#collapsed.has(group.key)) members.forEach((pass) => this.#entries.push({ pass }));
      }
      byId("no-match").hidden = this.#entries.length > 0;
      this.scroller.hidden = this.#entries.length === 0;
      this.window.pinned = Math.max(0, this.#entries.findIndex((entry) => entry.pass === this.current));
      this.window.reset(this.#entries.length);
    }

    select(position) {
      this.current = position;
      const group = this.groups.find((one) => one.members.includes(position));
      if (group && this.#collapsed.delete(group.key)) this.refresh();
      const at = this.#entries.findIndex((entry) => entry.pass === position);
      this.window.pinned = Math.max(0, at);
      if (at >= 0) this.window.reveal(at, ENTRY_HEIGHT);
      else this.window.update();
      for (const element of this.window.all()) this.#mark(element.firstChild);
    }

    #mark(button) {
      const entry = Number(button.dataset.entry);
      if (this.#entries[entry]?.pass === this.current) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      button.tabIndex = entry === this.window.pinned ? 0 : -1;
    }

    #entry(i) {
      const entry = this.#entries[i];
      const button = entry.group ? this.#groupButton(entry) : this.#passButton(entry.pass);
      button.dataset.entry = String(i);
      this.#mark(button);
      return h("div", { class: "entry", role: "listitem", "aria-posinset": String(i + 1), "aria-setsize": String(this.#entries.length) }, button);
    }

    #groupButton({ group, members }) {
      const label = group.phase || "no phase";
      const failed = members.some((i) => this.trace.kind(this.trace.passes[i]) === "failed");
      return h("button", {
        type: "button", class: "group", "aria-expanded": String(!this.#collapsed.has(group.key)),
        title: visible(group.kernel ? `${label} — ${group.kernel}` : label),
      },
      h("span", { class: "chevron", "aria-hidden": "true" }, "›"),
      failed ? h("span", { class: "dot s-failed", role: "img", "aria-label": "a pass failed in" }, "✕") : null,
      h("span", { class: "label" }, label),
      group.kernel ? h("span", { class: "of" }, group.kernel) : null,
      h("span", { class: "count" }, String(members.length)));
    }

    #passButton(position) {
      const pass = this.trace.passes[position];
      const kind = this.trace.kind(pass);
      const dot = dotOf(kind);
      // Deep nesting must leave room for the name.
      dot.style.marginLeft = `${Math.min(pass.depth, 8) * 14 + 8}px`;
      return h("button", { type: "button", class: `pass ${kind}`, "data-index": String(pass.index), "data-position": String(position), title: visible(pass.full_name) },
        dot,
        h("span", { class: "index" }, this.trace.index(pass)),
        h("span", { class: "label" }, pass.name),
        countsOf(pass));
    }

    #clicked(event) {
      const button = event.target.closest("button");
      if (!button) return;
      if (button.dataset.position) this.onSelect(Number(button.dataset.position));
      else this.#toggle(Number(button.dataset.entry));
    }

    #toggle(i) {
      const { key } = this.#entries[i].group;
      if (!this.#collapsed.delete(key)) this.#collapsed.add(key);
      this.refresh();
      this.#focus(i);
    }

    #focus(i) {
      const at = clamp(i, 0, this.#entries.length - 1);
      this.window.reveal(at);
      this.window.elements(at)[0]?.firstChild.focus({ preventScroll: true });
    }

    #key(event) {
      const at = Number(event.target.dataset?.entry);
      const { group } = this.#entries[at] ?? {};
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.#entries.length - 1 }[event.key];
      const open = group && !this.#collapsed.has(group.key);
      if (to !== undefined) this.#focus(to);
      else if (group && ((event.key === "ArrowRight" && !open) || (event.key === "ArrowLeft" && open))) this.#toggle(at);
      else return;
      event.preventDefault();
    }
  }

  /** Phases of each compile, in order of first appearance, with the positions of their passes. */
  function groupsOf(trace) {
    const groups = new Map();
    trace.passes.forEach((pass, i) => {
      const key = `${pass.unit}/${pass.phase}`;
      if (!groups.has(key)) {
        const kernel = trace.units.length > 1 ? trace.unitLabels[pass.unit] : null;
        groups.set(key, { key, phase: pass.phase, kernel, members: [] });
      }
      groups.get(key).members.push(i);
    });
    return [...groups.values()];
  }

  function dotOf(kind) {
    return h("span", { class: `dot s-${kind}`, role: "img", "aria-label": KINDS[kind].word }, KINDS[kind].dot);
  }

  function countsOf(pass) {
    if (!pass.add && !pass.del) return null;
    return h("span", { class: "counts" },
      h("span", { class: "plus" }, `+${pass.add}`), h("span", { class: "minus" }, `−${pass.del}`));
  }

  /** GitHub's five squares: how much of a change adds and how much removes. */
  function squaresOf(pass) {
    const total = pass.add + pass.del;
    const filled = Math.min(5, total);
    const added = total ? Math.round((filled * pass.add) / total) : 0;
    const squares = Array.from({ length: 5 }, (_, i) => h("i", { class: i < added ? "a" : i < filled ? "d" : null }));
    return h("span", { class: "squares", "aria-hidden": "true" }, ...squares);
  }

  // ---------------------------------------------------------------- The view of a pass

  class PassView {
    #states = new Map(); // what the reader did to each pass: lines revealed, pairs aligned, scrolling
    #panes = [];
    #aligner = null;
    all = false; // Shift+E: every hidden line of every pass shown

    constructor(trace, onSelect) {
      Object.assign(this, { trace, onSelect });
      this.main = byId("pass");
    }

    show(position) {
      this.#close();
      this.pass = this.trace.passes[position];
      this.kind = this.trace.kind(this.pass);
      if (!this.#states.has(position)) {
        this.#states.set(position, { reveal: new Map(), anchors: [], chosen: null, top: 0, all: () => this.all });
      }
      this.state = this.#states.get(position);
      this.hint = h("div", { class: "hint", hidden: true });
      const area = h("div", { class: "panes" });
      this.main.replaceChildren(this.#head(), ...this.#boxes(), area, this.hint);
      this.#fill(area);
      this.#updateActions();
      for (const pane of this.#panes) pane.layOut(this.state.top);
    }

    #close() {
      this.#panes.forEach((pane) => pane.close());
      this.#panes = [];
      this.#aligner = null;
    }

    #head() {
      const { pass, trace } = this;
      const item = (label, ...what) => h("li", {}, label ? `${label} ` : null, ...what);
      const parent = pass.parent === null ? null : trace.passes[pass.parent];
      this.alignButton = h("button", { type: "button", class: "button", id: "align", title: "Align by hand (F7)", onclick: () => this.align() }, "Align");
      this.unalignButton = h("button", { type: "button", class: "button", id: "unalign", onclick: () => this.#realign([]) }, "Clear alignment");
      this.allButton = h("button", { type: "button", class: "button", id: "expand-all", title: "Show or hide all unchanged lines (Shift+E)", onclick: () => this.toggleAll() });
      return h("header", { class: "head" },
        h("div", { class: "what" },
          h("h2", { id: "pass-title" }, dotOf(this.kind), " ", h("span", { class: "index" }, trace.index(pass)), " ", h("span", { class: "name" }, pass.full_name)),
          h("ul", { class: "meta" },
            item(null, h("b", {}, this.#statusWord())),
            item("phase", h("b", {}, pass.phase || "none")),
            trace.units[pass.unit] ? item("kernel", h("b", {}, trace.unitLabels[pass.unit])) : null,
            pass.us === null ? null : item("took", h("b", {}, duration(pass.us))),
            parent ? item("inside", h("button", { type: "button", class: "link", onclick: () => this.onSelect(pass.parent) }, `${trace.index(parent)} ${parent.name}`)) : null,
            pass.add || pass.del ? item(null, countsOf(pass), squaresOf(pass)) : null)),
        h("div", { class: "actions" }, this.allButton, this.alignButton, this.unalignButton));
    }

    #statusWord() {
      return this.pass.status === "completed" ? KINDS[this.kind].word : this.pass.status;
    }

    #boxes() {
      const { pass, trace } = this;
      const boxes = [];
      if (pass.error || this.kind === "failed") {
        const title = pass.status === "unfinished" ? "The pass did not finish" : "The pass failed";
        boxes.push(h("section", { class: "box error", id: "error", role: "region", tabindex: "0", "aria-label": title },
          h("h3", {}, title), pass.error ? h("pre", {}, pass.error) : null));
      }
      const unit = trace.units[pass.unit];
      if (unit && unit.status !== "completed" && unit.error && unit.error !== pass.error) {
        const title = `The compile of ${trace.unitLabels[pass.unit]} ${unit.status === "failed" ? "failed" : "did not finish"}`;
        boxes.push(h("section", { class: "box error", id: "unit-error", role: "region", tabindex: "0", "aria-label": title }, h("h3", {}, title), h("pre", {}, unit.error)));
      }
      if (pass.note) boxes.push(h("section", { class: "box note", id: "note", role: "region", tabindex: "0", "aria-label": "Note" }, h("p", {}, pass.note)));
      return boxes;
    }

    #fill(area) {
      const { pass, kind } = this;
      const { before, after } = pass;
      if (before === null && after === null) area.append(h("p", { class: "emptypane" }, "No text was recorded for this pass."));
      else if (before === null || after === null) this.#single(area, before === null ? "b" : "a");
      else if (kind === "codegen") this.#codegen(area);
      else if (before === after || !pass.changed) this.#single(area, "a", h("span", { class: "nochange" }, "no change"));
      else this.#diff(area);
    }

    #side(key, label, remark = null) {
      const { trace } = this;
      const n = key === "a" ? this.pass.before : this.pass.after;
      const ids = trace.ids(n);
      const heading = h("div", { class: "col" },
        h("h3", {}, label), h("span", { class: "lines" }, count(ids.length, "line")), remark,
        copyButton(key === "a" ? "before" : "after", `Copy: ${label}`, () => trace.text(n)));
      return { key, label, ids, heading };
    }

    #add(area, sides, blocks, fold) {
      const pane = new Pane(this.trace, sides, blocks, fold, this.state);
      area.append(pane.element);
      this.#panes.push(pane);
      return pane;
    }

    #single(area, key, remark) {
      const label = remark ? "Before and after" : key === "a" ? "Before" : "After";
      const side = this.#side(key, label, remark);
      const n = side.ids.length;
      this.#add(area, [side], [{ equal: true, a: 0, an: n, b: 0, bn: n }], false);
    }

    // Two languages: nothing to align, and each side scrolls by itself.
    #codegen(area) {
      for (const [key, label] of [["a", "IR"], ["b", "Generated source"]]) {
        const side = this.#side(key, label);
        const n = side.ids.length;
        this.#add(area, [side], [{ equal: true, a: 0, an: n, b: 0, bn: n }], false);
      }
    }

    #diff(area) {
      const sides = [this.#side("a", "Before"), this.#side("b", "After")];
      const pane = this.#add(area, sides, this.#blocks(sides), true);
      this.#aligner = new Aligner(pane, this.hint, (anchors, pair) => this.#realign(anchors, pair));
    }

    #blocks([left, right]) {
      const { anchors } = this.state;
      const hunks = anchors.length ? alignedHunks(left.ids, right.ids, anchors) : this.pass.hunks;
      return blocksOf(hunks, left.ids.length, right.ids.length);
    }

    #realign(anchors, pair) {
      const pane = this.#panes[0];
      this.state.anchors = anchors;
      this.state.reveal.clear();
      pane.blocks = this.#blocks(pane.sides);
      pane.layOut();
      this.#updateActions();
      if (pair) {
        const row = pane.layout.rowOf("a", pair[0]);
        if (row >= 0) pane.window.reveal(row, 4 * ROW_HEIGHT);
        announce(`Line ${pair[0] + 1} is aligned with line ${pair[1] + 1}.`);
      } else {
        pane.focus();
        announce("The alignment is the computed one again.");
      }
    }

    #updateActions() {
      const diff = this.#aligner !== null;
      this.alignButton.hidden = !diff;
      this.unalignButton.hidden = this.state.anchors.length === 0;
      this.allButton.hidden = !diff;
      this.allButton.textContent = this.all ? "Collapse all" : "Expand all";
    }

    toggleAll() {
      this.all = !this.all;
      for (const pane of this.#panes) {
        if (!pane.fold) continue;
        pane.state.reveal.clear();
        pane.layOut();
      }
      this.#updateActions();
      announce(this.all ? "All lines are shown." : "Unchanged lines are hidden.");
    }

    align() {
      if (this.#aligner) this.#aligner.toggle();
      else announce("Only a pass that changed the IR can be aligned.");
    }

    key(event) {
      return this.#aligner?.key(event) ?? false;
    }

    toChange(direction) {
      this.#panes[0]?.toChange(direction);
    }
  }

  // ---------------------------------------------------------------- The page

  class Page {
    constructor(trace) {
      this.trace = trace;
      this.position = -1;
      this.filter = new Filter();
      this.view = new PassView(trace, (position) => this.select(position));
      this.sidebar = new Sidebar(trace, this.filter, (position) => this.select(position));
      document.title = visible(trace.data.title);
      appendText(byId("title"), trace.data.title);
      byId("title").title = visible(trace.data.title);
      this.#showState();
      this.#showFacts();
      this.#buildSummary();
      this.#buildPhases();
      this.#listen();
      this.#filtered();
      this.#follow();
    }

    #showState() {
      const { kind, message } = this.trace.data.state;
      if (kind === "clean") return;
      const banner = byId("banner");
      banner.hidden = false;
      banner.classList.add(kind === "damaged" ? "damaged" : "early");
      banner.append(h("b", {}, kind === "damaged" ? "The journal is damaged. " : "The journal ended early. "));
      appendText(banner, message, true);
    }

    #showFacts() {
      const list = byId("facts").querySelector("dl");
      for (const [label, value] of this.trace.data.facts) {
        list.append(h("dt", {}, String(label)));
        const what = h("dd");
        appendText(what, String(value), true);
        list.append(what);
      }
      byId("facts").hidden = this.trace.data.facts.length === 0;
    }

    #buildSummary() {
      const counts = { changed: 0, noop: 0, failed: 0, codegen: 0 };
      for (const pass of this.trace.passes) counts[this.trace.kind(pass)] += 1;
      for (const kind of Object.keys(KINDS)) {
        byId("summary").append(h("button", {
          type: "button", class: counts[kind] ? "badge" : "badge empty", "data-kind": kind, "aria-pressed": "false",
          onclick: () => this.#toggleKind(kind),
        }, h("span", { class: `dot s-${kind}`, "aria-hidden": "true" }, KINDS[kind].dot), h("b", {}, String(counts[kind])), KINDS[kind].word));
      }
    }

    #toggleKind(kind) {
      const { kinds } = this.filter;
      if (!kinds.delete(kind)) kinds.add(kind);
      this.#filtered();
    }

    #buildPhases() {
      const counts = new Map();
      for (const { phase } of this.trace.passes) counts.set(phase, (counts.get(phase) ?? 0) + 1);
      const tab = (phase, label, n) => h("button", {
        type: "button", class: "tab", role: "tab", "aria-controls": "pass-scroll", "data-phase": phase,
        onclick: () => this.#choosePhase(phase),
      }, label, h("span", { class: "count" }, String(n)));
      this.tabs = [tab(null, "All phases", this.trace.passes.length), ...[...counts].map(([phase, n]) => tab(phase, phase || "no phase", n))];
      this.phaseOf = new Map([[this.tabs[0], null], ...[...counts.keys()].map((phase, i) => [this.tabs[i + 1], phase])]);
      byId("phases").append(...this.tabs);
      byId("phases").addEventListener("keydown", (event) => this.#tabKey(event));
    }

    #choosePhase(phase) {
      this.filter.phase = phase;
      this.#filtered();
    }

    #tabKey(event) {
      const at = this.tabs.indexOf(event.target.closest(".tab"));
      const last = this.tabs.length - 1;
      const to = { ArrowLeft: at === 0 ? last : at - 1, ArrowRight: at === last ? 0 : at + 1, Home: 0, End: last }[event.key];
      if (at < 0 || to === undefined) return;
      event.preventDefault();
      this.tabs[to].focus();
      this.#choosePhase(this.phaseOf.get(this.tabs[to]));
    }

    #filtered() {
      for (const tab of this.tabs) {
        const chosen = this.phaseOf.get(tab) === this.filter.phase;
        tab.setAttribute("aria-selected", String(chosen));
        tab.tabIndex = chosen ? 0 : -1;
      }
      for (const badge of byId("summary").children) {
        badge.setAttribute("aria-pressed", String(this.filter.kinds.has(badge.dataset.kind)));
      }
      this.sidebar.refresh();
      if (this.position >= 0) this.sidebar.select(this.position);
      if (this.filter.active) announce(`${count(this.sidebar.shown.length, "pass").replace(/passs$/, "passes")} shown`);
    }

    // ---- Going from pass to pass

    select(position) {
      if (position === this.position) return;
      this.#show(position);
      location.hash = `#${this.trace.passes[position].index}`;
    }

    #show(position) {
      this.position = position;
      this.sidebar.select(position);
      this.view.show(position);
      const pass = this.trace.passes[position];
      announce(`Pass ${pass.index}, ${visible(pass.name)}, ${KINDS[this.trace.kind(pass)].word}`);
    }

    /** Shows the pass that the address names, or else the one worth seeing first. */
    #follow() {
      const named = /^#(\d+)$/.exec(location.hash);
      const position = (named && this.trace.positions.get(Number(named[1]))) ?? this.#first();
      if (position >= 0 && position !== this.position) this.#show(position);
    }

    #first() {
      const { trace } = this;
      const of = (kind) => trace.passes.findIndex((pass) => trace.kind(pass) === kind);
      if (trace.passes.length === 0) {
        byId("pass").append(h("p", { class: "emptypane" }, "No pass was recorded."));
        return -1;
      }
      return [of("failed"), of("changed"), 0].find((position) => position >= 0);
    }

    #step(direction) {
      const { shown } = this.sidebar;
      const next = direction > 0
        ? shown.find((i) => i > this.position)
        : shown.findLast((i) => i < this.position);
      if (next !== undefined) this.select(next);
    }

    // ---- Keys and the frame

    #listen() {
      window.addEventListener("hashchange", () => this.#follow());
      document.addEventListener("keydown", (event) => this.#key(event));
      byId("skip").addEventListener("click", (event) => {
        event.preventDefault(); // its address would count as a pass's
        byId("pass").focus();
      });
      byId("filter-clear").addEventListener("click", () => { this.filter.clear(); this.#filtered(); });
      byId("sidebar-toggle").addEventListener("click", () => toggleSidebar());
      byId("help-open").addEventListener("click", () => toggleHelp());
      byId("theme-toggle").addEventListener("click", () => toggleTheme());
      document.addEventListener("pointerdown", (event) => {
        if (!byId("facts").contains(event.target)) byId("facts").open = false;
      });
      listenToResizer();
    }

    #key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
      if (event.key === "?") {
        toggleHelp();
        event.preventDefault();
        return;
      }
      if (byId("help").open || this.view.key(event)) return;
      const action = {
        j: () => this.#step(1),
        k: () => this.#step(-1),
        n: () => this.view.toChange(1),
        p: () => this.view.toChange(-1),
        E: () => this.view.toggleAll(),
        F7: () => this.view.align(), // and not the browser's own F7, caret browsing
        b: () => toggleSidebar(),
        t: () => toggleTheme(),
        Escape: () => closeFacts(),
      }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    }
  }

  function closeFacts() {
    if (!byId("facts").open) return;
    byId("facts").open = false;
    byId("facts").querySelector("summary").focus();
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

  async function start() {
    const loading = byId("loading");
    showTheme(theme());
    const refuse = (text) => {
      loading.classList.add("failed");
      loading.textContent = text;
    };
    if (typeof DecompressionStream === "undefined") {
      refuse("This browser cannot unpack the report: open it with Chrome 123, Firefox 121, Safari 17.5 or later.");
      return;
    }
    let data;
    try {
      data = await unpack();
    } catch {
      refuse("The data in this report cannot be read: the file is cut short or altered. Render it again.");
      return;
    }
    loading.hidden = true;
    byId("app").hidden = false;
    new Page(new Trace(data));
  }

  start();
})();
