"""The viewer's end of the socket that joins it with the recorder that started it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time

from lt_record.viewer import BUSY, DONE, FINISH, PID, SHOW, SHOWN

#: Seconds between two words of being busy.
_BUSY_EVERY = 0.2


class RecorderLink:
    """Tells the recorder what has been shown, when it asks.

    The recorder may be gone, or never listen: nothing here waits for it or raises.
    """

    def __init__(self, pid: int, descriptor: int) -> None:
        #: The recorder's process.
        self.pid = pid
        self._asked: int | None = None
        self._finishing = False
        self._received = b""
        self._told_busy = 0.0
        self._socket: socket.socket | None = None
        # Ctrl-C is for the script; this process ends because that one ends.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with contextlib.suppress(OSError):
            self._socket = socket.socket(fileno=descriptor)
            self._socket.setblocking(False)
        self._send(f"{PID} {os.getpid()}")

    @classmethod
    def of(cls, named: str | None) -> RecorderLink | None:
        """Return the link that ``PID:DESCRIPTOR`` names; ``None`` for none."""
        pid, _, descriptor = (named or "").partition(":")
        return cls(int(pid), int(descriptor)) if named else None

    def has_shown(self, size: int) -> None:
        """Answer the recorder, now that the journal's first ``size`` bytes have been shown."""
        self._receive()
        if self._asked is not None and size >= self._asked and self._send(f"{SHOWN} {size}"):
            self._asked = None

    def is_busy(self) -> None:
        """Let a recorder that waits know that there is progress."""
        now = time.monotonic()
        if now - self._told_busy > _BUSY_EVERY:
            self._told_busy = now
            self._receive()
            if self._asked is not None or self._finishing:
                self._send(BUSY)

    def is_done(self) -> None:
        """Tell the recorder that everything has been done."""
        self._send(DONE)

    def wait(self, seconds: float) -> None:
        """Sleep, until the recorder asks for something."""
        if self._socket is None:
            time.sleep(seconds)
        else:
            select.select([self._socket], [], [], seconds)

    def close(self) -> None:
        """Leave the socket, in a process forked off the viewer."""
        ours, self._socket = self._socket, None
        if ours is not None:
            ours.close()

    def _receive(self) -> None:
        if self._socket is None:
            return
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            word, _, number = line.decode("ascii", "replace").partition(" ")
            if word == SHOW and number.isdigit():
                self._asked = int(number)
            self._finishing = self._finishing or word == FINISH

    def _send(self, line: str) -> bool:
        """Send a line; return whether there is nothing more to be done about it."""
        if self._socket is None:
            return True
        try:
            self._socket.send(f"{line}\n".encode())
        except BlockingIOError:
            return False
        except OSError:
            self.close()
        return True
