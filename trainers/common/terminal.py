"""What people read while a program works."""

import sys


def is_there():
    """Whether someone is watching, and progress bars make sense."""
    return sys.stdout.isatty()


def duration(seconds):
    """A time as people say it, such as 2 h 5 min."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
