"""Programs in processes of their own, which start at once."""

import multiprocessing
import os
import runpy
import sys

# A process with the slow imports done, of which the others are copies. It
# never starts TensorFlow itself, whose threads a copy would not have.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["keras", "matplotlib.figure", "tensorflow_probability"]
)


def start(script, arguments, stdout, stderr=None, environment=None):
    """Starts a script, as `python script arguments` does.

    Args:
        script: `pathlib.Path`.
        arguments: sequence of str.
        stdout: path of a file, to which the output is added.
        stderr: path of another for the errors, by default the same.
        environment: dict of its environment, by default that of this process.

    Returns:
        A `multiprocessing.Process`.
    """
    process = CONTEXT.Process(
        target=_run,
        args=(
            str(script),
            [str(argument) for argument in arguments],
            stdout,
            stderr,
            dict(os.environ if environment is None else environment),
        ),
    )
    process.start()
    return process


def _run(script, arguments, stdout, stderr, environment):
    """What the new process does."""
    _write_to(stdout, 1)
    if stderr is None:
        os.dup2(1, 2)
    else:
        _write_to(stderr, 2)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(script))
    runpy.run_path(script, run_name="__main__")


def _write_to(path, descriptor):
    """Has a descriptor of this process write to the end of a file."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(file, descriptor)
    os.close(file)
