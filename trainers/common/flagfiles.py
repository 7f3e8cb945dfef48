"""Flagfiles that include others, from whatever folder a program runs."""

import pathlib
import re

_FLAGFILE = re.compile(r"--?flagfile(?:=(.*))?")


def expanded(arguments, folder=None):
    """Puts the flags of flagfiles in the place of `--flagfile`.

    absl does the same, but looks for a flagfile that is named in another one
    from the current folder. Here it is beside the one that names it.

    Args:
        arguments: iterable of str.
        folder: `pathlib.Path` of the flagfile that has them, None for the
            command line.

    Returns:
        A list of str. A flagfile that is not there is left to absl, which
        says so.
    """
    found, arguments = [], iter(arguments)
    for argument in arguments:
        if argument == "--":
            return [*found, argument, *arguments]
        match = _FLAGFILE.fullmatch(argument)
        if match is None:
            found.append(argument)
            continue
        name = match[1] if match[1] is not None else next(arguments, "")
        path = pathlib.Path(folder or "", name.strip()).expanduser()
        if path.is_file():
            found += expanded(_lines(path), path.parent)
        else:
            found.append(f"--flagfile={path}")
    return found


def _lines(path):
    lines = map(str.strip, path.read_text().splitlines())
    return [x for x in lines if x and not x.startswith(("#", "//"))]
