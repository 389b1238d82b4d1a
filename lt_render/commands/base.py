"""What a command is, and what commands that read journals share."""

from __future__ import annotations

import abc
import argparse
import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..condition import Condition, State
from ..journals import newest_journal
from ..load import load
from ..model import Trace
from ..reader import MEMORY_LIMIT
from ..terminal import complain

#: Exit code for a journal that is damaged inside.
DAMAGED = 3


class Command(abc.ABC):
    """One verb of ``lt-render``. The class's docstring is its help."""

    #: Whether the overview leaves it out: for programs, not for people.
    hidden = False

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


def add_journal_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the journals and what reading them takes."""
    parser.add_argument(
        "journals",
        nargs="+",
        type=Path,
        metavar="JOURNAL",
        help="a journal, or a directory for every journal below it",
    )
    add_reading_arguments(parser)


def add_journal_argument(parser: argparse.ArgumentParser, name: str = "journal") -> None:
    """Declare one journal, for :func:`open_trace`."""
    parser.add_argument(
        name,
        metavar=name.upper(),
        help="a journal, or a directory for the newest journal below it",
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
        complain(f"{path}: {trace.state_message}.")
    return trace


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


def _mebibytes(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError
    return number << 20
