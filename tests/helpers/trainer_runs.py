"""Runs of the trainer, for tests."""

import os
import pathlib
import signal
import subprocess
import sys
import time

from trainers.training import flags
from trainers.training import program

TRAINERS = pathlib.Path(__file__).parents[2] / "trainers"
MAIN = TRAINERS / "main.py"

# Runs main.py, and kills itself just before a file would get its name.
_KILLED = """
import os, runpy, signal, sys
_, name, *sys.argv = sys.argv
replace = os.replace
def kill_or_replace(source, target):
    if str(target).endswith(name):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target)
os.replace = kill_or_replace
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def parse(*arguments):
    """Settings and resolved flags of a command line.

    Args:
        *arguments: str, as after `python trainers/main.py`.

    Returns:
        What `flags.settings` and `flags.resolved` give.
    """
    values = program.main.parse(arguments)
    return flags.settings(values), flags.resolved(values)


def run(*arguments):
    """Runs the trainer in this process."""
    program.main(arguments)


def call(script, *arguments):
    """Runs a program from the command line, until it ends.

    Args:
        script: str, its file in trainers/.
        *arguments: str.

    Returns:
        A `subprocess.CompletedProcess`, with its output as text.
    """
    return subprocess.run(
        [sys.executable, TRAINERS / script, *arguments],
        capture_output=True,
        text=True,
    )


def start(*arguments, **environment):
    """Starts the trainer in a process of its own, a `subprocess.Popen`."""
    return subprocess.Popen(
        [sys.executable, MAIN, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill_after(path, process, number=signal.SIGKILL, seconds=120):
    """Kills a process as soon as a file is there.

    Args:
        path: `pathlib.Path`.
        process: a `subprocess.Popen`.
        number: int. The signal.
        seconds: float. How long to wait for the file.

    Returns:
        A str, the output of the process.
    """
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < end, f"{path} was not written"
        time.sleep(0.001)
    process.send_signal(number)
    output, _ = process.communicate()
    return output


def kill_within_write(name, *arguments):
    """Runs the trainer until it is about to rename a file to that name."""
    process = subprocess.run(
        [sys.executable, "-c", _KILLED, name, MAIN, *arguments],
        capture_output=True,
        text=True,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr
