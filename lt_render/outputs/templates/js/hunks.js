"use strict";
/* Finds which lines of two texts differ: blocks of a recorded diff, and new diffs around lines that
   the reader aligned. */

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
