"""SIGTERM and Ctrl-C: a program ends without a traceback, and without harm.

It exits with 128 plus the number of the signal, as shells have it: 143 and 130.
Only a program that was started from a command line changes what signals do.
"""

import contextlib
import signal

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Interrupted(SystemExit):
    """A signal has come.

    Args:
        number: int, that of the signal.
        saved: str. What was saved because of it.
    """

    def __init__(self, number, saved=""):
        super().__init__(128 + number)
        self.number = number
        self.saved = saved

    def __str__(self):
        name = signal.Signals(self.number).name
        return f"Interrupted by {name}{self.saved and ', '}{self.saved}."


def install():
    """From now on a signal raises `Interrupted`."""
    for number in _SIGNALS:
        signal.signal(number, _raise)


def uninstall():
    """From now on a signal ends the process at once, whatever it waits for."""
    for number in _SIGNALS:
        if signal.getsignal(number) is _raise:
            signal.signal(number, signal.SIG_DFL)


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
            raise Interrupted(number)
        self.number = self.number or number


@contextlib.contextmanager
def deferred():
    """A context at whose end a signal raises `Interrupted`, and not before.

    Yields:
        A `Pending`, true once a signal has come.
    """
    pending = Pending()
    installed = [n for n in _SIGNALS if signal.getsignal(n) is _raise]
    for number in installed:
        signal.signal(number, pending.note)
    try:
        yield pending
    finally:
        for number in installed:
            signal.signal(number, _raise)
    if pending:
        raise Interrupted(pending.number, pending.saved)


def _raise(number, frame):
    raise Interrupted(number)
