"""Every file of the project has a target in BUILD."""

import collections
import glob
import pathlib

ROOT = pathlib.Path(__file__).parents[1]
RULES = ("py_library", "py_binary", "py_test", "filegroup")


def _targets():
    """The calls of each rule in BUILD, which is Python as far as it goes."""
    targets = collections.defaultdict(list)

    def find(include, exclude=()):
        found = set()
        for pattern in include:
            found.update(glob.glob(pattern, root_dir=ROOT, recursive=True))
        return sorted(found - set(exclude))

    def ignore(*args, **kwargs):
        pass

    names = dict.fromkeys(("load", "package", "licenses", "exports_files"))
    scope = {name: ignore for name in names}
    scope["glob"] = find
    for rule in RULES:
        scope[rule] = lambda rule=rule, **kw: targets[rule].append(kw)
    exec((ROOT / "BUILD").read_text(), scope)
    return targets


def _sources(targets, rule):
    return {source for target in targets[rule] for source in target["srcs"]}


def _files(pattern):
    found = ROOT.glob(pattern)
    return {str(path.relative_to(ROOT)) for path in found}


def test_every_source_has_a_target():
    targets = _targets()
    covered = set().union(*(_sources(targets, rule) for rule in RULES))
    expected = set().union(
        *(_files(f"{folder}/**/*.py") for folder in ("tf_vlae", "trainers")),
        _files("tests/*.py"),
        _files("configs/*"),
    )
    assert expected <= covered


def test_every_test_is_a_test_target():
    assert _files("tests/test_*.py") <= _sources(_targets(), "py_test")


def test_every_program_is_a_binary_target():
    programs = {
        path
        for path in _files("trainers/*.py")
        if '__name__ == "__main__"' in (ROOT / path).read_text()
    }
    assert programs == _sources(_targets(), "py_binary")


def test_dependencies_within_the_project_exist():
    targets = _targets()
    every = [target for rule in RULES for target in targets[rule]]
    names = [target["name"] for target in every]
    assert len(names) == len(set(names))
    for target in every:
        local = [d for d in target.get("deps", ()) if d.startswith(":")]
        assert {label[1:] for label in local} <= set(names)
