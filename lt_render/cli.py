"""The command line: a verb and its arguments; rendering where no verb is named."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from .commands import COMMANDS, Command
from .commands.base import parser_of
from .commands.render import RenderCommand
from .errors import RenderError
from .pager import paged
from .terminal import complain
from .version import GENERATOR


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``lt-render``; return its exit code.

    0: done, a journal that ended early included. 2: bad usage, or a file that
    is no journal. 3: a damaged journal.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:
        # Closed by the caller: the exit code may be all that is wanted.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except RenderError as error:
        complain(str(error))
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has gone (| head); nothing is left to tell it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        complain(f"{error.strerror or error}{place}")
        return 2
    except KeyboardInterrupt:
        return 130


def _run(arguments: list[str]) -> int:
    verbs = {command.verb(): command for command in COMMANDS}
    command_type: type[Command] = RenderCommand
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    if arguments and arguments[0] in verbs:
        command_type = verbs[arguments.pop(0)]
    elif not arguments or arguments[0] in ("-h", "--help"):
        print(_overview(verbs))
        return 0 if arguments else 2
    elif arguments[0] in ("-V", "--version"):
        print(GENERATOR)
        return 0
    parsed = parser_of(command_type).parse_args(arguments)
    if not command_type.paged:
        return command_type().run(parsed)
    code = 0
    with paged(not parsed.no_pager):
        code = command_type().run(parsed)
    return code


def _overview(verbs: dict[str, type[Command]]) -> str:
    lines = [
        "usage: lt-render [VERB] JOURNAL… [options]",
        "",
        "Shows and renders journals of lowering traces. Without a verb it renders.",
    ]
    groups: dict[str, list[str]] = {}
    for verb, command in verbs.items():
        if not command.hidden:
            groups.setdefault(command.group, []).append(f"  {verb:10} {command.summary()}")
    for group, verb_lines in groups.items():
        lines += ["", f"{group}:", *verb_lines]
    lines += ["", "lt-render VERB --help tells more about one; --version tells the version."]
    return "\n".join(lines)
