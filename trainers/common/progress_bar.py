import sys

import tqdm

from trainers.common import terminal


class ProgressBar(tqdm.tqdm):
    """A bar on a terminal, and elsewhere a line for each tenth and the end.

    Args:
        iterable: what to iterate over, or None.
        **options: as of `tqdm.tqdm`, which needs a `total` if there is no
            iterable of known length.

    Example:
    >>> for batch in ProgressBar(batches, desc="Test"):
    ...     model.test_on_batch(batch)
    """

    # Without the thread that redraws bars which are slow to move.
    monitor_interval = 0

    def __init__(self, iterable=None, **options):
        self._printed = None
        if not terminal.is_there():
            # Each step may be the one that completes a tenth.
            options.update(mininterval=0, miniters=1)
        super().__init__(
            iterable, file=sys.stdout, dynamic_ncols=True, **options
        )

    def show(self, n, text):
        """Shows that `n` steps are done, and a text.

        Args:
            n: int.
            text: str.
        """
        self.n = n
        self.set_postfix_str(text)

    def display(self, msg=None, pos=None):
        if terminal.is_there():
            return super().display(msg, pos)
        if self._printed is None or self._tenth(self.n) > self._tenth(
            self._printed[0]
        ):
            self._print()
        return True

    def close(self):
        if not terminal.is_there() and not self.disable:
            if self._printed != (self.n, self.postfix):
                self._print()
            # Nothing to leave or to clear.
            self.sp = None
        super().close()

    def _tenth(self, n):
        return 10 * n // (self.total or 1)

    def _print(self):
        self._printed = self.n, self.postfix
        print(self, flush=True)
