"""What a command is, and how arguments name journals."""

from __future__ import annotations

import abc
import argparse
import inspect
from collections.abc import Sequence
from pathlib import Path

from lt_record.format import JOURNAL_NAME

from ..condition import Condition, State
from ..errors import RenderError
from ..reader import MEMORY_LIMIT

#: Exit code for a journal that is damaged inside.
DAMAGED = 3


class Command(abc.ABC):
    """One verb of ``lt-render``. The class's docstring is its help."""

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


def find_journals(paths: Sequence[Path]) -> list[Path]:
    """Return the journals that ``paths`` stand for, each once, links left out."""
    found: dict[Path, Path] = {}
    for path in paths:
        if path.is_dir():
            below = [
                journal
                for journal in sorted(path.rglob(JOURNAL_NAME))
                # The link to the newest run is one of the others again.
                if not journal.is_symlink() and journal.is_file()
            ]
            if not below:
                raise RenderError(
                    f"no {JOURNAL_NAME} below {path}: was TL_LOWER_TRACE set when the script ran?"
                )
            for journal in below:
                found.setdefault(journal.resolve(), journal)
        elif path.exists():
            found.setdefault(path.resolve(), path)
        else:
            raise RenderError(f"{path} does not exist.")
    return list(found.values())


def _mebibytes(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError
    return number << 20
