"""``lt-render completion``: a script that lets a shell complete commands."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import jinja2

from .base import PASS, Command, parser_of

_TEMPLATES = Path(__file__).parent.parent / "outputs" / "templates" / "completion"


class CompletionCommand(Command):
    """Print a script that completes verbs, options, paths and passes in a shell.

    Passes are completed with the names that the journal on the line holds.

    Exit code 0.

    Examples:
      eval "$(lt-render completion bash)"       in ~/.bashrc
      eval "$(lt-render completion zsh)"        in ~/.zshrc, after compinit
      lt-render completion fish > ~/.config/fish/completions/lt-render.fish
    """

    def prepare_parser(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")

    def run(self, arguments: argparse.Namespace) -> int:
        # Here, because the list of commands has this one in it.
        from . import COMMANDS

        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_TEMPLATES), keep_trailing_newline=True
        )
        verbs = [_Verb.of(command) for command in COMMANDS if not command.hidden]
        template = environment.get_template(f"{arguments.shell}.j2")
        print(template.render(verbs=verbs), end="")
        return 0


@dataclass(frozen=True)
class _Verb:
    """What a shell is to know of a verb."""

    name: str
    summary: str
    options: list[str]
    #: Options that take a value.
    valued: list[str]
    #: How many passes may be named.
    passes: int

    @classmethod
    def of(cls, command: type[Command]) -> _Verb:
        # argparse tells it nowhere else.
        actions = parser_of(command)._actions
        shown = [action for action in actions if action.help != argparse.SUPPRESS]
        return cls(
            name=command.verb(),
            summary=command.summary().replace("'", "’"),
            options=[option for action in shown for option in action.option_strings],
            valued=[
                option for action in shown if action.nargs != 0 for option in action.option_strings
            ],
            passes=sum(action.metavar == PASS for action in shown),
        )
