"""``lt-render compare``: two journals, or many against a stored baseline."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from ..comparison.gate import Gate, compare_to_baseline
from ..comparison.kernels import kernels_of, labels, match_kernels
from ..comparison.texts import Ignored, Texts
from ..comparison.verdict import Comparison, compare
from ..comparison.words import pairing, releases
from ..condition import State
from ..errors import NotFound, RenderError
from ..journals import find_journals, newest_journal
from ..model import Trace
from ..outputs import compare_html, compare_json, compare_markdown
from ..outputs.compare_markdown import Part
from ..outputs.compare_terminal import TerminalComparison
from ..outputs.html_report import facts
from ..paint import Painter
from ..terminal import complain
from .base import (
    Command,
    add_context_argument,
    add_json_argument,
    add_reading_arguments,
    open_trace,
    print_json,
    state_code,
)

#: The file to which a step of a GitHub workflow appends its summary.
_SUMMARY = "GITHUB_STEP_SUMMARY"


class CompareCommand(Command):
    """Compare two journals, or many with a stored baseline.

    A and B are journals, or directories for the newest journal in each: before and
    after an upgrade, a commit, on another target. Kernels are matched by name, target
    and what they were given; passes by name, order and texts, whatever their phases
    are called. For each kernel that differs it tells the first pass whose output
    differs although its input was the same, with the diff of the two outputs; what
    differed from the start; passes that one side only has, that moved, or that have
    another name.

      =  the same          ≠  same input, other output      ~  differed already
      ≈  other input, same output      −  +  only in A, only in B
      …  the other side failed or died before it      ?  something is missing

    With --baseline every kernel of the CURRENT journals is compared with the one of
    the same script, name and target below DIR, and the result is Markdown for a pull
    request; it is appended to $GITHUB_STEP_SUMMARY, too, where that is set. Of
    several runs of a script with the same arguments the last counts.

    Exit codes: 0 all the same, 1 something differs, 2 misuse or a file that is no
    journal, 3 a damaged journal, for what is lost may be the same or not. A journal
    that ended early is compared as far as it goes. Times never count.

    Examples:
      lt-render compare traces-0.1.14/gemm traces-0.1.15/gemm
      lt-render compare --only-code --baseline stored/ traces/ > summary.md
    """

    group = "Journals against each other"
    paged = True

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.usage = "\n       ".join(
            (f"{parser.prog} A B [options]", f"{parser.prog} --baseline DIR CURRENT… [options]")
        )
        parser.add_argument(
            "journals",
            nargs="+",
            metavar="JOURNAL",
            help="a journal, or a directory, pattern or URL: of two journals for the newest one "
            "there, against a baseline for all of them",
        )
        parser.add_argument(
            "--baseline",
            metavar="DIR",
            help="compare all kernels with those of the journals in DIR",
        )
        parser.add_argument("--kernel", metavar="NAME", help="compare only kernels of that name")
        parser.add_argument(
            "--only-code",
            action="store_true",
            help="count only generated code as different, not how it came about",
        )
        ignoring = parser.add_argument_group("what does not count as a difference")
        ignoring.add_argument(
            "-w", "--ignore-whitespace", action="store_true", help="whitespace within lines"
        )
        ignoring.add_argument(
            "--ignore-renumbering",
            action="store_true",
            help="names of variables (v_1, v_2), as long as each stands for the same throughout",
        )
        ignoring.add_argument(
            "--ignore-line-directives",
            action="store_true",
            help="#line, and comments that name a line of a file",
        )
        showing = parser.add_argument_group("what is shown")
        showing.add_argument("--all", action="store_true", help="list each kernel and each pass")
        showing.add_argument("--markdown", action="store_true", help="print Markdown")
        showing.add_argument(
            "--timing", action="store_true", help="times in Markdown and JSON, too"
        )
        showing.add_argument(
            "--html", type=Path, metavar="FILE", help="write a page with all diffs side by side"
        )
        add_context_argument(parser)
        add_json_argument(parser)
        add_reading_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> int:
        if arguments.baseline is not None:
            if arguments.html is not None:
                raise RenderError("--html takes two journals; leave out --baseline.")
            return _gate(arguments)
        if len(arguments.journals) != 2:
            raise RenderError(
                f"compare takes two journals, and there are {len(arguments.journals)}; "
                "for many of them: compare --baseline DIR CURRENT…"
            )
        return _two(arguments)


def _two(arguments: argparse.Namespace) -> int:
    names = [_newest(journal) for journal in arguments.journals]
    a, b = (open_trace(name, arguments) for name in names)
    texts = Texts(_ignored(arguments))
    pairs = match_kernels(kernels_of(a), kernels_of(b), texts)
    kernels = compare(pairs, texts, kernel=arguments.kernel)
    _require_kernel(arguments, bool(kernels), labels(pairs))
    comparison = Comparison(kernels, texts, arguments.only_code)
    if arguments.html is not None:
        compare_html.write(comparison, arguments.html, title=pairing(a, b), facts=_facts(a, b))
    if arguments.json:
        print_json(compare_json.of_comparison(comparison, with_times=arguments.timing))
    elif arguments.markdown:
        sys.stdout.write(_markdown(arguments, [Part("", comparison)], []))
    else:
        shown = TerminalComparison(
            comparison, Painter(sys.stdout), context=arguments.context, each=arguments.all
        )
        sys.stdout.writelines(shown.lines((a, names[0]), (b, names[1])))
    states = [state_code(one.condition, strict=arguments.strict) for one in (a, b)]
    return max(int(comparison.differs), *states)


def _gate(arguments: argparse.Namespace) -> int:
    gate = compare_to_baseline(
        find_journals([arguments.baseline]),
        find_journals(arguments.journals),
        lambda: Texts(_ignored(arguments)),
        only_code=arguments.only_code,
        kernel=arguments.kernel,
        memory_limit=arguments.memory_limit,
    )
    _require_kernel(arguments, bool(gate.scripts), [])
    if arguments.json:
        print_json(_gate_json(gate, arguments))
    else:
        parts = [Part(one.script, one.comparison) for one in gate.scripts]
        summary = _markdown(arguments, parts, _notes(gate))
        sys.stdout.write(summary)
        if os.environ.get(_SUMMARY):
            with Path(os.environ[_SUMMARY]).open("a", encoding="utf-8", newline="\n") as file:
                file.write(summary)
    states = [state_code(one, strict=arguments.strict) for _, one, _ in gate.conditions]
    return max(int(gate.differs), 2 * bool(gate.unreadable), *states)


def _markdown(arguments: argparse.Namespace, parts: list[Part], notes: list[str]) -> str:
    notes = [*notes, *releases([kernel for part in parts for kernel in part.comparison.kernels])]
    return "".join(
        compare_markdown.lines(parts, notes, context=arguments.context, with_times=arguments.timing)
    )


def _gate_json(gate: Gate, arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "same": not gate.differs,
        "scripts": [
            {
                "script": one.script,
                **compare_json.of_comparison(one.comparison, with_times=arguments.timing),
            }
            for one in gate.scripts
        ],
        "unreadable": [{"journal": str(path), "why": why} for path, why in gate.unreadable],
    }


def _notes(gate: Gate) -> list[str]:
    """What is to be known of the journals; said on stderr, too."""
    notes = [why for _, why in gate.unreadable]
    for path, condition, message in gate.conditions:
        if condition.state is not State.CLEAN:
            notes.append(f"{path}: {message}.")
    for note in notes:
        complain(note)
    return notes


def _facts(a: Trace, b: Trace) -> list[tuple[str, str]]:
    of_a, of_b = dict(facts(a)), dict(facts(b))
    found = []
    for label in dict.fromkeys((*of_a, *of_b)):
        one, other = of_a.get(label, "–"), of_b.get(label, "–")
        found += [(label, one)] if one == other else [(f"{label}, A", one), (f"{label}, B", other)]
    return found


def _newest(journal: str) -> str:
    """The journal itself, or the one that a directory stands for."""
    return str(newest_journal(journal))


def _ignored(arguments: argparse.Namespace) -> Ignored:
    return Ignored(
        whitespace=arguments.ignore_whitespace,
        renumbering=arguments.ignore_renumbering,
        line_directives=arguments.ignore_line_directives,
    )


def _require_kernel(arguments: argparse.Namespace, found: bool, known: list[str]) -> None:
    if arguments.kernel is not None and not found:
        there = f"; there are: {', '.join(known)}" if known else ""
        raise NotFound(f"there is no kernel {arguments.kernel!r}{there}.")
