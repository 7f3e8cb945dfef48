"""Runs of the trainer, for tests."""

import os
import pathlib
import signal
import subprocess
import sys
import time

from absl import flags as absl_flags
from absl.testing import flagsaver

from trainers.training import flags
from trainers import main

MAIN = pathlib.Path(main.__file__)

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
    with flagsaver.flagsaver():
        absl_flags.FLAGS(["main.py", *arguments])
        return flags.settings(), flags.resolved()


def run(*arguments):
    """Runs the trainer in this process."""
    with flagsaver.flagsaver():
        absl_flags.FLAGS(["main.py", *arguments])
        main.main(["main.py"])


def start(*arguments, **environment):
    """Starts the trainer in a process of its own, a `subprocess.Popen`."""
    return subprocess.Popen(
        [sys.executable, MAIN, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill_after(path, process, seconds=120):
    """Kills a process as soon as a file is there.

    Args:
        path: `pathlib.Path`.
        process: a `subprocess.Popen`.
        seconds: float. How long to wait for the file.
    """
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < end, f"{path} was not written"
        time.sleep(0.001)
    process.kill()
    process.communicate()


def kill_within_write(name, *arguments):
    """Runs the trainer until it is about to rename a file to that name."""
    process = subprocess.run(
        [sys.executable, "-c", _KILLED, name, MAIN, *arguments],
        capture_output=True,
        text=True,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr
