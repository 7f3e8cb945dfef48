"""Prints the lowest versions that setup.py allows, for pip to be held to."""

import pathlib
import re
import runpy

ROOT = pathlib.Path(__file__).parents[1]


def lowest(requirements):
    """The lower bound of each requirement that has one, as lines."""
    found = (
        re.match(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", line)
        for line in requirements
    )
    return sorted(
        {f"{match[1]}~={_three(match[2])}" for match in found if match}
    )


def _three(version):
    """A version with three numbers: ~=2.20.0 is any 2.20."""
    numbers = version.split(".")
    return ".".join([*numbers, "0", "0"][:3])


if __name__ == "__main__":
    names = runpy.run_path(str(ROOT / "setup.py"))
    print(*lowest([*names["REQUIRED"], *names["TRAINERS"]]), sep="\n")
