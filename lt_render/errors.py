"""Failures that are told to the user in one sentence."""

from __future__ import annotations


class RenderError(Exception):
    """A user's mistake or a file that cannot be used: told in one sentence, without traceback."""

    #: Exit code of the command that raises it.
    exit_code = 2


class NotAJournal(RenderError):
    """The file is something else."""


class NewerFormat(RenderError):
    """The journal was written by a newer major version of the format."""


class LimitExceeded(RenderError):
    """A journal asks for more memory than is allowed; journals may come from strangers."""
