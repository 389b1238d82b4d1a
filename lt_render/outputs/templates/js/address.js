"use strict";
/* Writes and reads the part of the address after "#": which pass, which two that are compared,
   which line.

     #gemm/40.LowerTileOp/R40                                line 40 on the right of a pass
     #compare/gemm/12.Simplify:out/gemm/40.LowerTileOp:in    two texts compared; a line may follow
     #40, #40R12                                             a pass by its number alone

   An address goes on to another render, of a script that has changed: what it names is looked for
   by kernel and name, too, and `note` says where that is not what it names. */

const SIDE_LETTERS = { a: "L", b: "R" };
const SIDE_PORTS = { a: "in", b: "out" }; // of a pass that is compared
const LINE = /^([LR])(\d+)$/;

const encoded = (name) => encodeURIComponent(name.toWellFormed());

function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

function passPath(trace, position) {
  const pass = trace.passes[position];
  return `${encoded(trace.unitLabels[pass.unit])}/${pass.index}.${encoded(pass.name)}`;
}

const linePart = (at) => (at ? `/${SIDE_LETTERS[at.side]}${at.line + 1}` : "");

/** The address of a pass, and of the line `at` {side, line} in it. */
function addressOf(trace, position, at = null) {
  return `#${passPath(trace, position)}${linePart(at)}`;
}

/** The address of two texts that are compared, as in compare.js, and of a line in one of them. */
function addressOfComparison(trace, { from, to }, at = null) {
  const path = ({ position, side }) => `${passPath(trace, position)}:${SIDE_PORTS[side]}`;
  return `#compare/${path(from)}/${path(to)}${linePart(at)}`;
}

/** What an address names: {position, comparison: null or {from, to}, at: null or {side, line}, note},
    the position -1 if that is nothing. */
function readAddress(trace, hash) {
  const nothing = (note) => ({ position: -1, comparison: null, at: null, note });
  if (hash.length < 2) return nothing("");
  const short = /^#(\d+)([LR]\d+)?$/.exec(hash);
  if (short) {
    const position = trace.positions.get(Number(short[1])) ?? -1;
    return position < 0 ? nothing(`This report has no pass ${short[1]}.`) : { position, comparison: null, at: lineOf(short[2]), note: "" };
  }
  const parts = hash.slice(1).split("/");
  const comparing = parts.length > 3 && parts[0] === "compare";
  const last = parts.at(-1);
  const at = lineOf(last);
  const paths = comparing ? [parts.slice(1, 3), parts.slice(3, 5)] : [parts.slice(0, 2)];
  const whole = parts.length === (comparing ? 5 : 2) + (at ? 1 : 0);
  const found = whole ? paths.map((path) => findPass(trace, path, comparing)) : [null];
  if (found.includes(null)) return nothing(`The address ${decoded(hash)} is not one of a pass.`);
  const note = found.map((one) => one.note).filter(Boolean).join(" ");
  if (found.some(({ position }) => position < 0)) return nothing(note);
  if (!comparing) return { position: found[0].position, comparison: null, at, note };
  const [from, to] = found;
  return { position: to.position, comparison: { from: { position: from.position, side: from.side }, to: { position: to.position, side: to.side } }, at, note };
}

function lineOf(part) {
  const named = LINE.exec(part ?? "");
  return named ? { side: named[1] === "L" ? "a" : "b", line: Number(named[2]) - 1 } : null;
}

/** The pass that a path names, its side if one is to be named, and a note if another stands in. */
function findPass(trace, [kernelPart, passPart], withSide) {
  const port = withSide ? /^(.*):(in|out)$/.exec(passPart ?? "") : null;
  const named = /^(\d+)\.(.*)$/su.exec(decoded((withSide ? port?.[1] : passPart) ?? ""));
  if (!named) return null;
  const kernel = decoded(kernelPart);
  const index = Number(named[1]);
  const name = named[2];
  const there = trace.positions.get(index) ?? -1;
  const fits = (pass) => pass.name.toWellFormed() === name && trace.unitLabels[pass.unit].toWellFormed() === kernel;
  const wanted = { side: port?.[2] === "in" ? "a" : "b", position: there, note: "" };
  if (there >= 0 && fits(trace.passes[there])) return withSide ? withText(trace, wanted) : wanted;
  const away = (i) => Math.abs(trace.passes[i].index - index);
  let nearest = -1;
  trace.passes.forEach((pass, i) => {
    if (fits(pass) && (nearest < 0 || away(i) < away(nearest))) nearest = i;
  });
  const missing = `This report has no ${kernel} / ${named[1].padStart(trace.data.width, "0")} ${name}`;
  if (nearest >= 0) {
    wanted.position = nearest;
    wanted.note = `${missing}. Shown is ${trace.index(trace.passes[nearest])}, the nearest pass of that name.`;
  } else if (there >= 0) {
    wanted.note = `${missing}. Shown is the pass of that number, ${passLabel(trace, there)}.`;
  } else wanted.note = `${missing}.`;
  return withSide && wanted.position >= 0 ? withText(trace, wanted) : wanted;
}

/** The same, or with the other side of its pass where only that has a text. */
function withText(trace, wanted) {
  const { side } = endOf(trace, wanted.position, wanted.side);
  if (side === wanted.side) return wanted;
  return { ...wanted, side, note: `${wanted.note} ${passLabel(trace, wanted.position)} has no such text; its other one is shown.`.trim() };
}
