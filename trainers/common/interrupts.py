"""SIGTERM and Ctrl-C end a program in one line, without a traceback.

It exits with 128 plus the number of the signal, as shells have it: 143 and 130.
Only a program that was started from a command line changes what signals do.
"""

import contextlib
import os
import signal

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# What to say of a program that is interrupted.
_advice = [""]


class Interrupted(SystemExit):
    """A signal has come, and what had to be saved is saved.

    Args:
        number: int, that of the signal.
    """

    def __init__(self, number):
        super().__init__(128 + number)


class Pending:
    """A signal that has come and waits.

    Attributes:
        number: int, that of the signal, or None if there is none.
        saved: str. What was saved because of it.
    """

    number = None
    saved = ""

    def __bool__(self):
        return self.number is not None

    def note(self, number, frame):
        # Whoever presses Ctrl-C again does not want to wait.
        if number == self.number == signal.SIGINT:
            _end(number, frame)
        self.number = self.number or number


def install():
    """From now on a signal ends the process, as a kill would, in words."""
    for number in _SIGNALS:
        signal.signal(number, _end)


def uninstall():
    """From now on a signal ends the process whatever it waits for."""
    for number in _installed():
        signal.signal(number, signal.SIG_DFL)


def advise(text):
    """Sets what to say of a program that is interrupted.

    Args:
        text: str. How to go on.
    """
    _advice[0] = text


@contextlib.contextmanager
def deferred():
    """A context at whose end a signal raises `Interrupted`, and not before.

    Yields:
        A `Pending`, true once a signal has come.
    """
    pending, installed = Pending(), _installed()
    for number in installed:
        signal.signal(number, pending.note)
    try:
        yield pending
    finally:
        for number in installed:
            signal.signal(number, _end)
    if pending:
        _say(pending.number, pending.saved)
        raise Interrupted(pending.number)


def _installed():
    return [n for n in _SIGNALS if signal.getsignal(n) is _end]


def _end(number, frame):
    # Not an error: C++ between here and the program would make another of it.
    _say(number)
    os._exit(128 + number)


def _say(number, saved=""):
    name = signal.Signals(number).name
    what = f"Interrupted by {name}{saved and ', '}{saved}."
    # Not by print, within which the signal may have come.
    os.write(1, f"{what} {_advice[0]}".rstrip().encode() + b"\n")
