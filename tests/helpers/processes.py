"""Processes that stay where they are until they are killed."""

import os
import signal
import time


def start(context, folder):
    """Starts a process that stays in a context of a folder.

    Args:
        context: function of a folder that gives the context.
        folder: `pathlib.Path`.

    Returns:
        The id of the process, once it is in the context.
    """
    there, here = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            with context(folder):
                os.write(here, b"!")
                time.sleep(600)
        finally:
            os._exit(1)
    os.read(there, 1)
    os.close(there)
    os.close(here)
    return pid


def kill(pid, number=signal.SIGKILL):
    """Sends a signal to a process that was started here, until it ends."""
    os.kill(pid, number)
    os.waitpid(pid, 0)
