import typing

import numpy as np


class Record(typing.NamedTuple):
    """An input: its image, or the reason why there is none.

    Attributes:
        id: str. Says where it is from.
        raw: bytes as they were stored, where there are such.
        image: array, ready for the model, or None.
        reason: str. Empty if the record is good.
    """

    id: str
    raw: bytes = b""
    image: np.ndarray | None = None
    reason: str = ""
