"""BUILD and MODULE.bazel name all that is there, and nothing else.

Both files are Python as far as they go: they are run with functions that write
down their arguments.
"""

import collections
import glob
import pathlib
import types

import pytest

ROOT = pathlib.Path(__file__).parents[1]
RULES = ("py_library", "py_binary", "py_test", "filegroup")


def run(file, functions):
    """Calls of each of the functions in a file, a dict of lists.

    A call is its arguments by name; those without are `args`.
    """
    calls = collections.defaultdict(list)

    def recorder(name):
        def record(*args, **kwargs):
            calls[name].append({"args": args, **kwargs})
            # A module extension: `pip.parse` is recorded as parse.
            return types.SimpleNamespace(
                parse=recorder("parse"), toolchain=recorder("toolchain")
            )

        return record

    scope = {name: recorder(name) for name in functions}
    exec((ROOT / file).read_text(), {**scope, "glob": find})
    return calls


def find(include, exclude=()):
    """`glob` of BUILD."""
    found = set()
    for pattern in include:
        found.update(
            glob.glob(
                pattern, root_dir=ROOT, recursive=True, include_hidden=True
            )
        )
    return sorted(
        path for path in found - set(exclude) if (ROOT / path).is_file()
    )


@pytest.fixture(scope="module")
def build():
    others = ("load", "package", "licenses", "exports_files")
    return run("BUILD", (*RULES, *others))


@pytest.fixture(scope="module")
def module():
    names = ("module", "bazel_dep", "use_extension", "use_repo")
    return run("MODULE.bazel", names)


def every_target(build):
    return [target for rule in RULES for target in build[rule]]


def dependencies(build):
    """Labels that targets depend on."""
    return {
        label
        for target in every_target(build)
        for label in (*target.get("deps", ()), *target.get("data", ()))
    }


def sources(targets):
    return {source for target in targets for source in target["srcs"]}


def files(*patterns):
    return set(find([*patterns]))


def runfiles(build, name):
    """All the files of the project that come with a target."""
    targets = {target["name"]: target for target in every_target(build)}
    target = targets[name]
    found = set(target["srcs"])
    for label in (*target.get("deps", ()), *target.get("data", ())):
        if label.startswith(":"):
            found |= runfiles(build, label[1:])
        elif not label.startswith("@"):
            found.add(label)
    return found


def test_every_source_has_a_target(build):
    expected = files(
        "tf_vlae/**/*.py", "trainers/**/*.py", "tests/**/*.py", "configs/*"
    )
    assert len(expected) > 100
    assert expected <= sources(every_target(build))


def test_every_test_is_a_test_target_that_runs_it(build):
    targets = build["py_test"]
    assert len(targets) == len(files("tests/**/test_*.py")) > 0
    for target in targets:
        test = f"tests/{target['name']}.py"
        assert target["args"] == [f"$(rootpath {test})"]
        assert {target["main"], test} == set(target["srcs"])


def test_every_program_is_a_binary_target(build):
    programs = {
        path
        for path in files("trainers/*.py")
        if '__name__ == "__main__"' in (ROOT / path).read_text()
    }
    assert programs
    assert programs == sources(build["py_binary"])


def test_what_tests_read_comes_with_them(build):
    expected = files(
        "*.md", "*.ini", "docs/**", "configs/*", "tests/data/**", "tests/*.py"
    ) - files("tests/test_*.py")
    expected |= files("tests/helpers/*", "trainers/**/*.py", "tf_vlae/**/*.py")
    for target in build["py_test"]:
        assert expected <= runfiles(build, target["name"])


def test_names_are_unique_and_local_dependencies_exist(build):
    names = [target["name"] for target in every_target(build)]
    assert len(names) == len(set(names))
    for label in dependencies(build):
        if label.startswith(":"):
            assert label[1:] in names
        elif not label.startswith("@"):
            assert (ROOT / label).is_file()


def test_the_module_has_the_repositories_of_the_targets(build, module):
    (hub,) = module["parse"]
    rules = {dep["name"] for dep in module["bazel_dep"]}
    packages = {d for d in dependencies(build) if d.startswith("@")}
    assert {label.split("//")[0] for label in packages} == {
        f"@{hub['hub_name']}"
    }
    assert module["use_repo"][0]["args"][1:] == (hub["hub_name"],)
    loaded = {load["args"][0].split("//")[0] for load in build["load"]}
    assert loaded == {f"@{name}" for name in rules}


def test_the_lock_has_the_packages_of_the_targets(build, module):
    lock = module["parse"][0]["requirements_lock"].removeprefix("//:")
    locked = {
        line.split("==")[0].lower().replace("-", "_")
        for line in (ROOT / lock).read_text().splitlines()
    }
    for label in dependencies(build):
        if label.startswith("@"):
            assert label.split("//")[1] in locked
