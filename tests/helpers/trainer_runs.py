"""Runs of the trainer, for tests."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from trainers.common import programs
from trainers.training import flags
from trainers.training import program

TRAINERS = pathlib.Path(__file__).parents[2] / "trainers"
MAIN = TRAINERS / "main.py"
KILLED = pathlib.Path(__file__).parent / "killed_before_rename.py"


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


def command(script, *arguments):
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


def start_command(*arguments):
    """Starts the trainer from the command line, a `subprocess.Popen`."""
    return subprocess.Popen(
        [sys.executable, MAIN, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def call(script, *arguments):
    """`command`, without the seconds in which Python imports TensorFlow.

    Args:
        script: str or path, relative to trainers/.
        *arguments: str.

    Returns:
        A `subprocess.CompletedProcess`, with its output as text.
    """
    with tempfile.TemporaryDirectory() as folder:
        outputs = [pathlib.Path(folder, name) for name in ("out", "err")]
        process = programs.start(TRAINERS / script, arguments, *outputs)
        process.join()
        texts = [path.read_text() for path in outputs]
    return subprocess.CompletedProcess(arguments, process.exitcode, *texts)


class Started:
    """A program that runs as by `call`, with the names of a `Popen`.

    Args:
        script: str or path, relative to trainers/.
        *arguments: str.
        **environment: str, what to add to that of this process.
    """

    def __init__(self, script, *arguments, **environment):
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder, "output")
            os.mkfifo(pipe)
            self._process = programs.start(
                TRAINERS / script,
                arguments,
                pipe,
                environment={**os.environ, **environment},
            )
            # Waits for the program to open its end.
            self.stdout = pipe.open()

    @property
    def returncode(self):
        return self._process.exitcode

    def poll(self):
        return self._process.exitcode

    def send_signal(self, number):
        os.kill(self._process.pid, number)

    def communicate(self):
        with self.stdout:
            output = self.stdout.read()
        self._process.join()
        return output, None


def start(*arguments, **environment):
    """Starts the trainer, see `Started`."""
    return Started(MAIN, *arguments, **environment)


def kill_after(path, process, number=signal.SIGKILL, seconds=120):
    """Kills a process as soon as a file is there.

    Args:
        path: `pathlib.Path`.
        process: a `Started` or a `subprocess.Popen`.
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
    process = call(KILLED, name, MAIN, *arguments)
    assert process.returncode == -signal.SIGKILL, process.stderr
