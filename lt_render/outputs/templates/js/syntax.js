"use strict";
/* Tells the tokens of a line of TVMScript or of C and its kin apart, for their colours. */

// One line at a time; what goes on over lines in C, a comment, startsInComment() knows.
const STRING = /(?:[rbfuRBFUL]{0,2})(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/u.source;
const NUMBER = /\b(?:0[xX][\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)[uUlLfFhH]*\b/u.source;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/u.source;
const KINDS_OF_TOKEN = [null, "comment", "string", "number", "keyword"]; // by group of the pattern

// Names are told apart in tokens(): as alternatives of the pattern they made it twice as slow.
const language = (comment, keywords, special) => ({
  pattern: new RegExp(`(${comment})|(${STRING})|(${NUMBER})|(${special})|(${NAME})`, "gu"),
  keywords: new Set(keywords.split(" ")),
});

const C_WORDS = "alignas asm auto bool break case char class const constexpr continue decltype default delete do double else enum explicit extern false float for friend goto if inline int int8_t int16_t int32_t int64_t long namespace new noexcept nullptr operator private protected public return short signed size_t sizeof static static_assert static_cast struct switch template this true typedef typename uint uint8_t uint16_t uint32_t uint64_t union unsigned using virtual void volatile while";
const GPU_WORDS = "__constant__ __device__ __forceinline__ __global__ __grid_constant__ __host__ __launch_bounds__ __managed__ __noinline__ __restrict__ __shared__";
// CUDA's, HIP's and TileLang's names for the same few sizes.
const GPU_TYPES = "half half2 half_t __half __half2 float16_t float16x2 float16x4 bfloat16 bfloat16_t __nv_bfloat16 __nv_bfloat162 hip_bfloat16 __hip_bfloat16 fp8_e4_t fp8_e5_t float2 float4 int2 int4 uint2 uint4 longlong4 uchar dim3";

const LANGUAGES = {
  python: language("#.*", "and as assert break class continue def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield", "@[\\p{L}_][\\p{L}\\p{N}_.]*"),
  c: language("//.*|/\\*.*?(?:\\*/|$)", [C_WORDS, GPU_WORDS, GPU_TYPES].join(" "), "^\\s*#\\s*\\w+"),
};

const tokenCache = new Map();

/** The tokens of a line that have a colour: [{start, end, kind}, …]; `within` for a line of C that
    begins inside of a comment. */
function tokens(line, of, within = false) {
  const key = `${of}${within ? "*" : ""} ${line}`;
  let found = tokenCache.get(key);
  if (!found) {
    found = [];
    const { pattern, keywords } = LANGUAGES[of];
    pattern.lastIndex = 0;
    if (within) {
      const end = line.indexOf("*/");
      pattern.lastIndex = end < 0 ? line.length : end + 2;
      found.push({ start: 0, end: pattern.lastIndex, kind: "comment" });
    }
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

const linesInComments = new WeakMap(); // by ids of a text in C, the lines that begin inside of a comment

/** Whether a line of a text in C begins inside of a comment. */
function startsInComment(trace, ids, line) {
  let lines = linesInComments.get(ids);
  if (!lines) {
    lines = new Set();
    let within = false;
    ids.forEach((id, at) => {
      if (within) lines.add(at);
      const text = trace.lines[id];
      if (within ? text.includes("*/") : text.includes("/*")) within = endsInComment(text, within);
    });
    linesInComments.set(ids, lines);
  }
  return lines.has(line);
}

function endsInComment(text, within) {
  if (within) {
    const end = text.indexOf("*/");
    return end < 0 || endsInComment(text.slice(end + 2), false);
  }
  const last = tokens(text, "c").at(-1);
  const comment = last?.kind === "comment" && last.end === text.length ? text.slice(last.start) : "";
  return comment.startsWith("/*") && !(comment.length > 3 && comment.endsWith("*/")); // "/*/" does not close itself
}
