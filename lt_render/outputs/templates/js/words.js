"use strict";
/* Finds which words of two lines differ, and which lines are alike. */

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
