"""What differs between the settings of now and those of before."""


def named(old, new, prefix=""):
    """Names the settings that differ, as "name=new, was old".

    Args:
        old: dict from names to values.
        new: dict from names to values.
        prefix: str, before each name: `"--"` if all of them are flags.

    Returns:
        A str, empty if there is no difference.
    """
    names = sorted(name for name in old | new if old.get(name) != new.get(name))
    return "; ".join(
        f"{prefix}{name}={new.get(name, '')}, was {old.get(name, 'not set')}"
        for name in names
    )
