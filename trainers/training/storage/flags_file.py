"""flags.txt, the resolved flags of a run, which is a flagfile too."""

from tf_vlae import atomic
from trainers.common import checksums
from trainers.common import differences
from trainers.common.checksums import DamagedFileError

# Where the files are does not matter to the experiment.
_FREE = ("workdir", "data_dir")
# Nor do these, to runs of other models.
_OF_VLAE = ("covariance", "mode", "step", "warm_start")
# A comment in a flagfile, before the flags: what breaks off is noticed.
_CHECKSUM = "# checksum: "


def path(folder):
    """The `pathlib.Path` of the flags of a run."""
    return folder / "flags.txt"


def write(folder, flags):
    """Writes the flags of a run, if they are not there.

    Args:
        folder: `pathlib.Path` of the run.
        flags: dict from names to texts.
    """
    kept = _kept(flags)
    if path(folder).exists() and read(folder) == kept:
        return
    lines = [f"--{name}={text}\n" for name, text in kept.items()]
    checksum = f"{_CHECKSUM}{checksums.of_json(kept)}\n"
    atomic.write(path(folder), "".join([checksum, *lines]))


def read(folder):
    """Reads the flags of a run, or raises a `DamagedFileError`.

    Args:
        folder: `pathlib.Path` of the run.

    Returns:
        A dict from names to texts.
    """
    try:
        lines = path(folder).read_text().splitlines()
        flags = dict(
            line.removeprefix("--").split("=", 1)
            for line in lines
            if not line.startswith(_CHECKSUM)
        )
    except ValueError as error:
        raise _damaged(folder, error) from error
    expected = f"{_CHECKSUM}{checksums.of_json(flags)}"
    # Those of earlier revisions have no checksum.
    if not flags or (lines[0].startswith("#") and lines[0] != expected):
        raise _damaged(folder, "its checksum is another")
    return flags


def compare(folder, flags, defaults):
    """Raises an error if there is a run that other flags cannot go on with.

    More epochs than a run had can, unless what it has done depends on them.

    Args:
        folder: `pathlib.Path` of the run.
        flags: dict from names to texts.
        defaults: dict from names to texts. What a flag is in a run of a
            revision that did not have it.
    """
    if not path(folder).exists():
        return
    new = _kept(flags)
    known = {name: defaults[name] for name in defaults if name in new}
    old = {**known, **read(folder)}
    if new.get("model", "vlae") != "vlae":
        old, new = _without(_OF_VLAE, old), _without(_OF_VLAE, new)
    longer, dependent = _longer(old, new), _dependent(old)
    extends = longer and {**old, "epochs": new["epochs"]} == new
    if old == new or (extends and not dependent):
        return
    reason = ""
    # Others may differ too, as the peak of a recipe does.
    if longer and dependent:
        reason = (
            f" With {dependent} what was trained depends on --epochs, so that "
            "this run cannot be extended."
        )
    raise ValueError(
        f"The run in {folder} has other flags: "
        f"{differences.named(old, new, '--')}.{reason} Resume it with its own "
        f"flags, --flagfile={path(folder)}, or choose another --workdir."
    )


def _kept(flags):
    return _without(_FREE, flags)


def _without(names, flags):
    return {name: flags[name] for name in flags if name not in names}


def _longer(old, new):
    """Whether the new flags have more epochs than the old ones."""
    if "epochs" not in old or "epochs" not in new:
        return False
    return int(new["epochs"]) > int(old["epochs"])


def _dependent(flags):
    """The flag by which every epoch depends on --epochs, or an empty str."""
    if flags.get("schedule", "constant") != "constant":
        return f"--schedule={flags['schedule']}"
    warm_start = flags.get("warm_start", "")
    return f"--warm_start={warm_start}" if "%" in warm_start else ""


def _damaged(folder, reason):
    remedy = (
        "Remove it to go on with the flags of this command: they have to be "
        "those that the run began with."
    )
    return DamagedFileError(path(folder), reason, remedy)
