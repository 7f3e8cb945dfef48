"""Runs a program that kills itself just before a file would get its name.

python killed_before_rename.py NAME PROGRAM [FLAG ...]
"""

import os
import runpy
import signal
import sys

_, name, *sys.argv = sys.argv
replace = os.replace


def kill_or_replace(source, target):
    if str(target).endswith(name):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target)


os.replace = kill_or_replace
runpy.run_path(sys.argv[0], run_name="__main__")
