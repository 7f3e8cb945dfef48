"""SavedModels loaded and run by a C program, as a server does, for tests."""

import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

_SOURCE = pathlib.Path(__file__).with_suffix(".c")

COMPILER = shutil.which("cc") or shutil.which("gcc")


def build(folder):
    """Compiles the program for the TensorFlow that is installed.

    Args:
        folder: `pathlib.Path` to write to.

    Returns:
        The `pathlib.Path` of the program.
    """
    program = folder / _SOURCE.stem
    libraries = pathlib.Path(tf.sysconfig.get_lib())
    stubs = [
        _stub(folder, path.name)
        for path in sorted(libraries.glob("libtensorflow_*.so.*"))
    ]
    _compile(
        *("-Wall", "-Wextra", "-Werror", f"-I{tf.sysconfig.get_include()}"),
        *(_SOURCE, *stubs, f"-Wl,-rpath,{libraries}"),
        *("-o", program),
    )
    return program


def _stub(folder, name):
    """A library of a name, with empty functions that the program calls.

    The linker would read all of the real one, a gigabyte, to find them. The
    program loads the real one by its name.
    """
    called = sorted(set(re.findall(r"\bTF_\w+(?=\()", _SOURCE.read_text())))
    code = folder / f"{name}.c"
    code.write_text("".join(f"void {each}(void) {{}}\n" for each in called))
    stub = folder / f"{name}.stub.so"
    _compile("-shared", "-fPIC", f"-Wl,-soname,{name}", code, "-o", stub)
    return stub


def _compile(*arguments):
    subprocess.run([COMPILER, "-std=c99", *arguments], check=True)


def run(program, export, requests):
    """Answers to some requests, all by one process.

    Args:
        program: what `build` gives.
        export: `pathlib.Path` of the SavedModel.
        requests: list of pairs of a signature's name and a dict of arrays.

    Returns:
        A list with a dict of arrays for each request, or the message of its
        error, a str.
    """
    served = signatures(export)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        commands = []
        for number, (name, inputs) in enumerate(requests):
            prefix = str(folder / str(number))
            commands += _commands(served[name], inputs, prefix)
        process = subprocess.run(
            [program, export],
            input="\n".join(commands),
            capture_output=True,
            text=True,
        )
        if process.returncode:
            raise RuntimeError(process.stderr)
        lines = process.stdout.splitlines()
        return [
            _answer(line, served[name], folder / str(number))
            for number, (line, (name, _)) in enumerate(
                zip(lines, requests, strict=True)
            )
        ]


def signatures(export):
    """The signatures of a SavedModel as they are stored, a dict."""
    stored = (export / "saved_model.pb").read_bytes()
    return (
        saved_model_pb2.SavedModel.FromString(stored)
        .meta_graphs[0]
        .signature_def
    )


def _commands(signature, inputs, prefix):
    for name, value in inputs.items():
        value = np.asarray(value)
        path = f"{prefix}.{name}"
        value.tofile(path)
        tensor = _tensor(signature.inputs[name])
        kind = tf.as_dtype(value.dtype).as_datatype_enum
        sizes = " ".join(map(str, value.shape))
        yield f"feed {tensor} {kind} {path} {value.ndim} {sizes}"
    for name in sorted(signature.outputs):
        tensor = _tensor(signature.outputs[name])
        yield f"fetch {tensor} {prefix}.{name}"
    yield "run"


def _tensor(info):
    """Operation and index of a tensor, as two words."""
    return info.name.replace(":", " ")


def _answer(line, signature, prefix):
    if line.startswith("error: "):
        return line
    answer = {}
    descriptions = line.split(": ")[1:]
    for name, description in zip(
        sorted(signature.outputs), descriptions, strict=True
    ):
        kind, _, *shape = map(int, description.split())
        values = np.fromfile(
            f"{prefix}.{name}", tf.as_dtype(kind).as_numpy_dtype
        )
        answer[name] = values.reshape(shape)
    return answer
