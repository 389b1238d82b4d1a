"use strict";
/* Tells the tokens of a line of TVMScript or of C and its kin apart, for their colours. */

// One line at a time: a comment or string that goes on over lines is not known as such on the next.
const STRING = /(?:[rbfuRBFUL]{0,2})(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/u.source;
const NUMBER = /\b(?:0[xX][\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)[uUlLfFhH]*\b/u.source;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/u.source;
const KINDS_OF_TOKEN = [null, "comment", "string", "number", "keyword"]; // by group of the pattern

// Names are told apart in tokens(): as alternatives of the pattern they made it twice as slow.
const language = (comment, keywords, special) => ({
  pattern: new RegExp(`(${comment})|(${STRING})|(${NUMBER})|(${special})|(${NAME})`, "gu"),
  keywords: new Set(keywords.split(" ")),
});

const LANGUAGES = {
  python: language("#.*", "and as assert break class continue def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield", "@[\\p{L}_][\\p{L}\\p{N}_.]*"),
  c: language("//.*|/\\*.*?(?:\\*/|$)", "auto bool break case char class const constexpr continue default do double else enum extern false float for goto half if inline int long namespace nullptr return short signed sizeof static struct switch template this true typedef typename uint union unsigned using virtual void volatile while __device__ __forceinline__ __global__ __host__ __launch_bounds__ __restrict__ __shared__ asm", "^\\s*#\\s*\\w+"),
};

const tokenCache = new Map();

/** The tokens of a line that have a colour: [{start, end, kind}, …]. */
function tokens(line, of) {
  const key = `${of} ${line}`;
  let found = tokenCache.get(key);
  if (!found) {
    found = [];
    const { pattern, keywords } = LANGUAGES[of];
    pattern.lastIndex = 0;
    for (let match; (match = pattern.exec(line));) {
      const start = match.index;
      const end = pattern.lastIndex;
      const kind = match[5] === undefined ? KINDS_OF_TOKEN[match.indexOf(match[0], 1)]
        : keywords.has(match[5]) ? "keyword" : line[end] === "(" ? "called" : null;
      if (kind) found.push({ start, end, kind });
    }
    if (tokenCache.size > 4000) tokenCache.clear();
    tokenCache.set(key, found);
  }
  return found;
}
