"""The commands, one module each; the verb is the module's name."""

from .base import Command
from .follow import FollowCommand
from .render import RenderCommand
from .steps import StepsCommand
from .verify import VerifyCommand

#: All commands, in the order in which help lists them.
COMMANDS: tuple[type[Command], ...] = (RenderCommand, FollowCommand, VerifyCommand, StepsCommand)

__all__ = ["COMMANDS", "Command"]
