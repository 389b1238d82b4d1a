"""The viewer: a process of its own that shows the journal while it is being written.

It runs ``lt-render follow`` and is no child of this process, so that nobody who
waits for his children meets it, and none is left behind as a zombie. A socket
joins the two: lines of text, the first word of which is one of those below. Both
ends see by it when the other has gone.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from . import console
from .settings import CODEGEN_VARIABLE, MODE_VARIABLE, Settings
from .signals import reraise_a_signals

# From the recorder: "show SIZE" asks to be told once the journal's first SIZE
# bytes have been shown; "finish" that the journal is closed.
SHOW: Final = "show"
FINISH: Final = "finish"
# From the viewer: "pid PID" when it starts, "shown SIZE", "busy" for as long as it
# has something to do for what was asked, "done" once it has done everything.
PID: Final = "pid"
SHOWN: Final = "shown"
BUSY: Final = "busy"
DONE: Final = "done"

#: Seconds to wait for a viewer that does not come any further: for what a compile
#: has brought, for its start, and at the end.
_PATIENCE = 2.0
_START_PATIENCE = 10.0
_END_PATIENCE = 10.0

_PYTHON = re.compile(r"python|pypy", re.IGNORECASE)

# The shell leaves the viewer to itself at once, and immune to Ctrl-C.
_IN_BACKGROUND = '"$@" &'


class Viewer:
    """The recorder's hold on one journal's viewer. Only ever says what goes wrong."""

    def __init__(self, journal: str, settings: Settings) -> None:
        self._journal = journal
        self._in_order = settings.mode != "html"
        self._renders = settings.mode != "terminal"
        self._lock = threading.RLock()
        self._socket: socket.socket | None = None
        self._identity: tuple[int, int] | None = None
        self._received = b""
        self._pid = 0
        self._shown = 0
        self._done = False
        self._on_terminal = False
        #: It has not come any further while it was waited for.
        self._stalled = False
        self._output: _Output | None = None
        self.flush()
        try:
            self._start(settings)
        except (OSError, ValueError) as error:
            self.abandon()
            self._say_missing(str(error))

    @property
    def has_rendered(self) -> bool:
        """Whether the report is there."""
        return self._done and self._renders

    def flush(self) -> None:
        """Let what the script has printed come before what the viewer prints next."""
        try:
            # Never for the order's sake would we wait for a reader that there is not.
            if not self._stalled and _has_room(sys.stdout):
                sys.stdout.flush()
        except Exception as error:
            reraise_a_signals(error)
            # The script will meet the same fault where it prints.

    def show(self, size: int) -> None:
        """Wait until the journal's first ``size`` bytes have been shown, if they soon are."""
        if not self._in_order:
            return
        with self._lock:
            self._receive(0)
            if self._socket is None or self._stalled:
                return
            self.flush()
            self._send(f"{SHOW} {size}")
            self._stalled = not (
                self._wait(lambda: self._pid > 0, _START_PATIENCE)
                and self._wait(lambda: self._shown >= size, _PATIENCE)
            )
            self._drain()

    def finish(self) -> None:
        """Wait until everything has been shown; give up on a viewer that makes no progress."""
        with self._lock:
            self.flush()
            self._send(FINISH)
            try:
                self._wait(lambda: False, _END_PATIENCE)
            except BaseException:
                self._stop()  # Ctrl-C, while it was waited for
                raise
            if self._socket is not None:
                self._give_up()
            self._drain()
            self.abandon()

    def abandon(self) -> None:
        """Let go of the viewer: it belongs to the parent process, or has ended."""
        ours, self._socket = self._socket, None
        if ours is not None:
            if self._is_ours(ours):
                ours.close()
            else:
                ours.detach()
        if self._output is not None:
            self._output.abandon()
            self._output = None

    # --- its life -----------------------------------------------------------------

    def _start(self, settings: Settings) -> None:
        if not _PYTHON.search(os.path.basename(sys.executable or "")):
            # A server or a frozen program: it would start all over again.
            raise OSError(f"{sys.executable or 'sys.executable'} is no Python")
        ours, theirs = socket.socketpair()
        status = os.fstat(ours.fileno())
        self._socket, self._identity = ours, (status.st_dev, status.st_ino)
        target = _stdout_descriptor()
        self._on_terminal = target is not None and target >= 0 and os.isatty(target)
        with theirs:
            shell = subprocess.Popen(
                ["/bin/sh", "-c", _IN_BACKGROUND, "sh", *self._command(settings, theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if target is None else target,
                env=_environ(),
                pass_fds=[theirs.fileno()],
            )
            shell.wait()
        if shell.stdout is not None:
            self._output = _Output(os.dup(shell.stdout.fileno()))
            shell.stdout.close()

    def _command(self, settings: Settings, descriptor: int) -> list[str]:
        command = [sys.executable, "-m", "lt_render", "follow", self._journal]
        command += ["--mode", settings.mode, "--recorder", f"{os.getpid()}:{descriptor}"]
        if settings.codegen is None:
            command.append("--no-sync")
        elif settings.codegen:
            command += ["--codegen-output", settings.codegen]
        return command

    def _ended(self) -> None:
        """It has closed its end of the socket: it is no more."""
        self._drain()
        self.abandon()
        if not self._pid:
            self._say_missing("lt_render did not start")
        elif not self._done:
            console.say_once(
                "viewer",
                "the live view has ended early; recording goes on. "
                f"Render it: lt-render {self._journal}",
            )

    def _give_up(self) -> None:
        if self._on_terminal:
            # Nothing is to be printed once the shell's prompt is back.
            self._stop()
            what = "was stopped"
        else:
            what = "goes on by itself"
        console.say_once(
            "viewer",
            f"the live view makes no progress and {what}; nobody may be reading its output. "
            f"Render it: lt-render {self._journal}",
        )

    def _stop(self) -> None:
        if self._pid:
            with contextlib.suppress(OSError):
                os.kill(self._pid, signal.SIGTERM)

    def _say_missing(self, why: str) -> None:
        console.say_once(
            "viewer",
            f"no live view: {why}. Recording goes on; render it: lt-render {self._journal}",
        )

    # --- the socket ---------------------------------------------------------------

    def _wait(self, reached: Callable[[], bool], patience: float) -> bool:
        """Wait until ``reached``, at most ``patience`` seconds without a word from it."""
        until = time.monotonic() + patience
        while self._socket is not None and not reached():
            if self._receive(max(0.0, until - time.monotonic())):
                until = time.monotonic() + patience
            elif time.monotonic() >= until:
                return False
        return True

    def _send(self, line: str) -> None:
        ours = self._socket
        if ours is None:
            return
        if not self._is_ours(ours):
            self.abandon()
            return
        try:
            # No signal: the script may have given SIGPIPE back its deadly meaning.
            flags = getattr(socket, "MSG_NOSIGNAL", 0) | getattr(socket, "MSG_DONTWAIT", 0)
            ours.send(f"{line}\n".encode(), flags)
        except BlockingIOError:
            pass
        except OSError:
            self._receive(0)

    def _receive(self, seconds: float) -> bool:
        """Take what has come, after at most ``seconds``; return whether anything has."""
        ours = self._socket
        if ours is None:
            return False
        if not self._is_ours(ours):
            self.abandon()
            return False
        try:
            if not _readable(ours.fileno(), seconds):
                return False
            data = ours.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self._ended()
            return False
        self._stalled = False
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            word, _, number = line.decode("utf-8", "replace").partition(" ")
            if word == PID:
                self._pid = int(number)
            elif word == SHOWN:
                self._shown = max(self._shown, int(number))
            elif word == DONE:
                self._done = True
        return True

    def _is_ours(self, ours: socket.socket) -> bool:
        """Whether the descriptor is still the socket's.

        A program that closes all descriptors (to become a daemon) closes ours
        as well, and its next file may get the number.
        """
        try:
            status = os.fstat(ours.fileno())
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._identity

    def _drain(self) -> None:
        if self._output is not None:
            self._output.drain()


class _Output:
    """Brings what the viewer prints to a ``sys.stdout`` that is no file: a notebook's."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._process = os.getpid()
        self._printing = threading.Lock()
        self._over = threading.Event()
        threading.Thread(target=self._run, name="lower-trace viewer", daemon=True).start()

    def drain(self) -> None:
        """Wait until what has come is printed, a little while."""
        until = time.monotonic() + _PATIENCE
        while not self._over.is_set() and _readable(self._descriptor, 0):
            if time.monotonic() > until:
                return
            time.sleep(0.001)
        # It has been taken out of the pipe: the lock is free once it is printed.
        if self._printing.acquire(timeout=_PATIENCE):
            self._printing.release()

    def abandon(self) -> None:
        """In a forked child: close its end of the pipe, which has no thread here."""
        if os.getpid() != self._process:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                _readable(self._descriptor, None)
                with self._printing:
                    data = os.read(self._descriptor, 1 << 16)
                    if not data:
                        break
                    with contextlib.suppress(Exception):
                        sys.stdout.write(data.decode("utf-8", "replace"))
                        sys.stdout.flush()
        self._over.set()
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


def _stdout_descriptor() -> int | None:
    """Where the viewer is to print; ``None`` where only Python can: a notebook, a capture."""
    stream = sys.stdout
    if stream is None:
        return subprocess.DEVNULL
    try:
        if isinstance(stream, io.TextIOWrapper):
            return stream.fileno()
    except (OSError, ValueError):
        pass
    return None


def _has_room(stream: Any) -> bool:
    """Whether writing to a stream's file would not block; true where there is none."""
    if not isinstance(stream, io.TextIOWrapper) or not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(stream.fileno(), select.POLLOUT)
    return bool(poll.poll(0))


def _environ() -> dict[str, str]:
    environ = dict(os.environ)
    for name in (MODE_VARIABLE, CODEGEN_VARIABLE):
        environ.pop(name, None)
    # Where the script runs there may be a file with the name of a module.
    environ["PYTHONSAFEPATH"] = "1"
    return environ


def _readable(descriptor: int, seconds: float | None) -> bool:
    if hasattr(select, "poll"):  # select() knows no descriptor beyond 1023
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(None if seconds is None else seconds * 1000))
    return bool(select.select([descriptor], [], [], seconds)[0])
