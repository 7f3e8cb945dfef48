import typing


class Counts(typing.NamedTuple):
    """How many inputs of a shard were scored, and how many could not be."""

    scored: int = 0
    bad: int = 0
