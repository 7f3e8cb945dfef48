"""Flagfiles that include others, from whatever folder a program runs."""

import pathlib
import re

from absl import flags

_FLAGFILE = re.compile(r"--?flagfile(?:=(.*))?")


def expanded(arguments, within=()):
    """Puts the flags of flagfiles in the place of `--flagfile`.

    absl does the same, but looks for a flagfile that is named in another one
    from the current folder. Here it is first looked for beside the one that
    names it.

    Args:
        arguments: iterable of str.
        within: tuple of `pathlib.Path`, the flagfiles that led to these
            arguments, none for a command line.

    Returns:
        A list of str. A flagfile that is not there is left to absl.
    """
    found, arguments = [], iter(arguments)
    for argument in arguments:
        if argument == "--":
            return [*found, argument, *arguments]
        match = _FLAGFILE.fullmatch(argument)
        if match is None:
            found.append(argument)
            continue
        name = next(arguments, "") if match[1] is None else match[1]
        path = _path(name, within)
        if path.is_file():
            found += expanded(_lines(path), (*within, path))
        else:
            found.append(f"--flagfile={name}")
    return found


def _path(name, within):
    path = pathlib.Path(name.strip()).expanduser()
    if within:
        path = within[-1].parent / path
    if path in within:
        raise flags.Error(f"The flagfile {path} includes itself.")
    return path


def _lines(path):
    lines = map(str.strip, path.read_text().splitlines())
    return [x for x in lines if x and not x.startswith(("#", "//"))]
