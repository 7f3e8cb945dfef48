from trainers import terminal


class StatusLine:
    """A line that is shown again and again: in one place on a terminal."""

    def __init__(self):
        self._last = None

    def show(self, text, note=""):
        """Shows the line.

        Args:
            text: str.
            note: str. What follows, and is no reason to print the line again
                where there is no terminal.
        """
        if terminal.is_there():
            print(f"\r\033[K{text}{note}", end="", flush=True)
        elif text != self._last:
            print(text + note, flush=True)
        self._last = text

    def end(self):
        """Leaves the line."""
        if terminal.is_there() and self._last is not None:
            print(flush=True)
