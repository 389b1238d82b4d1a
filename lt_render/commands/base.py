"""What a command is, and what commands that read journals share."""

from __future__ import annotations

import abc
import argparse
import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..condition import Condition, State
from ..journals import newest_journal
from ..load import load
from ..model import Pass, Trace
from ..pass_names import find_pass
from ..reader import MEMORY_LIMIT
from ..selection import of_kernel
from ..sources import shown
from ..stream import PassStream
from ..terminal import complain

#: What help calls an argument that names a pass.
PASS = "PASS"

#: Exit code for a journal that is damaged inside.
DAMAGED = 3


class Command(abc.ABC):
    """One verb of ``lt-render``. The class's docstring is its help."""

    #: Whether the overview leaves it out: for programs, not for people.
    hidden = False
    #: The heading under which the overview lists it.
    group = "Journals and reports"
    #: Whether a pager is used for what it prints at a terminal.
    paged = False

    @classmethod
    def verb(cls) -> str:
        """The word on the command line, out of the class's name."""
        return cls.__name__.removesuffix("Command").lower()

    @classmethod
    def help_text(cls) -> str:
        """The whole help."""
        return inspect.cleandoc(cls.__doc__ or "")

    @classmethod
    def summary(cls) -> str:
        """The help's first line."""
        return cls.help_text().partition("\n")[0]

    @abc.abstractmethod
    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    @abc.abstractmethod
    def run(self, arguments: argparse.Namespace) -> int:
        """Run; return the exit code. Raises :class:`RenderError`."""


def parser_of(command: type[Command]) -> argparse.ArgumentParser:
    """Return a parser for the arguments of a verb."""
    parser = argparse.ArgumentParser(
        prog=f"lt-render {command.verb()}",
        description=command.help_text(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command().prepare_parser(parser)
    if command.paged:
        parser.add_argument("--no-pager", action="store_true", help="use no pager at a terminal")
    return parser


def add_journal_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the journals and what reading them takes."""
    parser.add_argument(
        "journals",
        nargs="+",
        metavar="JOURNAL",
        help="a journal, a directory for every journal below it, a pattern as in 'runs/**', "
        "or a URL for any of these (with fsspec: s3://…, https://…, zip://…::…)",
    )
    parser.add_argument(
        "--latest", action="store_true", help="of each script only the run that was begun last"
    )
    add_reading_arguments(parser)


def add_journal_argument(parser: argparse.ArgumentParser, name: str = "journal") -> None:
    """Declare one journal, for :func:`open_trace`."""
    parser.add_argument(
        name,
        metavar=name.upper(),
        help="a journal, or a directory, pattern or URL for the newest of several",
    )


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """Declare ``--json``, for :func:`print_json`."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object a line, for programs"
    )


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on one line, with its keys in the order given."""
    # A lone surrogate, which no UTF-8 has, stays an escape.
    print(json.dumps(value, ensure_ascii=True))


def open_trace(journal: str, arguments: argparse.Namespace) -> Trace:
    """Read the journal that ``journal`` stands for; say on stderr if it is not whole.

    ``arguments`` are those of :func:`add_reading_arguments`. Raises
    :class:`RenderError`.
    """
    path = newest_journal(journal)
    trace = load(path, memory_limit=arguments.memory_limit)
    if trace.condition.state is not State.CLEAN:
        complain(f"{shown(path)}: {trace.state_message}.")
    return trace


class Reading:
    """One journal whose passes are looked at one after another, and not kept.

    Takes and raises what :func:`open_trace` does.
    """

    def __init__(self, journal: str, arguments: argparse.Namespace) -> None:
        self.path = newest_journal(journal)
        self._strict = arguments.strict
        self._stream = PassStream(self.path, memory_limit=arguments.memory_limit)

    def passes(self) -> Iterator[Pass]:
        """Yield each pass when it has ended; then say on stderr if the journal is not whole."""
        yield from self._stream.passes()
        trace = self._stream.trace
        if trace.condition.state is not State.CLEAN:
            complain(f"{shown(self.path)}: {trace.state_message}.")

    @property
    def code(self) -> int:
        """Exit code for the journal's state; known after the last pass."""
        return state_code(self._stream.trace.condition, strict=self._strict)


def add_pass_argument(
    parser: argparse.ArgumentParser, name: str, meaning: str, *, optional: bool = False
) -> None:
    """Declare a pass, for :func:`pass_of`."""
    parser.add_argument(
        name,
        metavar=PASS,
        nargs="?" if optional else None,
        help=f"{meaning}: a number, a name, phase/name, LowerTileOp@2 for the second of a name, "
        "@last for the last of all",
    )


def add_context_argument(parser: argparse.ArgumentParser) -> None:
    """Declare ``-U``, the lines around each change."""
    parser.add_argument(
        "-U",
        "--context",
        type=natural,
        default=3,
        metavar="N",
        help="lines around each change (default: 3)",
    )


def add_kernel_argument(parser: argparse.ArgumentParser) -> None:
    """Declare ``--kernel``."""
    parser.add_argument("--kernel", metavar="NAME", help="only passes that ran for this kernel")


def add_query_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what all take that ask one journal for its passes."""
    add_kernel_argument(parser)
    add_json_argument(parser)
    add_reading_arguments(parser)


def pass_of(trace: Trace, wanted: str, arguments: argparse.Namespace) -> Pass:
    """Return the pass that ``wanted`` names, of those that ran for ``--kernel``.

    Raises :class:`~lt_render.errors.NotFound`.
    """
    return find_pass(of_kernel(trace.passes, arguments.kernel), wanted)


def facts_of(one: Pass) -> dict[str, Any]:
    """What ``--json`` tells of a pass, without texts; times are in microseconds."""
    return {
        "index": one.index,
        "phase": one.phase,
        "name": one.name,
        "full_name": one.full_name,
        "kernel": one.unit.kernel,
        "depth": one.depth,
        "parent": None if one.parent is None else one.parent.index,
        "status": one.status,
        "changed": one.changed,
        "duration": one.duration,
        "error": one.error_msg,
        "note": one.note,
    }


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what reading journals takes."""
    parser.add_argument(
        "--memory-limit",
        type=_mebibytes,
        default=MEMORY_LIMIT,
        metavar="MIB",
        help="memory that a journal's records may take, in MiB "
        f"(default: {MEMORY_LIMIT >> 20}); a journal may come from a stranger",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help=f"exit with {DAMAGED} unless every journal was closed cleanly",
    )


def state_code(condition: Condition, *, strict: bool) -> int:
    """Exit code for a journal's state."""
    allowed = (State.CLEAN,) if strict else (State.CLEAN, State.ENDED_EARLY)
    return 0 if condition.state in allowed else DAMAGED


def natural(value: str) -> int:
    """Take an argument that is a number, 0 or more."""
    number = int(value)
    if number < 0:
        raise ValueError
    return number


def _mebibytes(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError
    return number << 20
