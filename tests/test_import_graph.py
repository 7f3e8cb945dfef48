"""Which module imports which: no cycles, and no import against the layers."""

import ast
import graphlib
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[1]


def module_name(path):
    """`tf_vlae/layers/__init__.py` is tf_vlae.layers."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources():
    """The files of the library and of the trainers by the modules' names."""
    paths = [
        path
        for package in ("tf_vlae", "trainers")
        for path in ROOT.glob(f"{package}/**/*.py")
    ]
    return {module_name(path): path for path in paths}


def imports(tree, known):
    """The known modules that a tree imports, anywhere, inside functions too.

    `from package import name` is an import of package.name if that is a module,
    and of the package's own `__init__` if the name is something else.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "Relative imports are not resolved here."
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module for name in full]
        else:
            names = []
        yield from (name for name in names if name in known)


def graph():
    """A dict from each module to the set of those that it imports."""
    known = sources()
    return {
        module: set(imports(ast.parse(path.read_text()), known))
        for module, path in known.items()
    }


def inside(module, package):
    return f"{module}.".startswith(f"{package}.")


def imports_of(package):
    """Pairs of a module of the package and one that it imports."""
    return {
        (module, imported)
        for module, every in graph().items()
        for imported in every
        if inside(module, package)
    }


def test_imports_are_found_and_resolved():
    code = """
import a.b
from a import b, name

def function():
    from a.c import name
    import numpy
"""
    found = list(imports(ast.parse(code), {"a", "a.b", "a.c"}))
    assert found == ["a.b", "a.b", "a", "a.c"]


def test_there_are_no_cycles():
    try:
        order = list(graphlib.TopologicalSorter(graph()).static_order())
    except graphlib.CycleError as error:
        raise AssertionError(" -> ".join(error.args[1][::-1])) from error
    assert {"tf_vlae", "trainers"} <= set(order)


def test_the_library_does_not_know_the_trainers():
    pairs = imports_of("tf_vlae")
    assert pairs
    assert not {pair for pair in pairs if inside(pair[1], "trainers")}


def test_the_common_parts_of_the_trainers_know_no_others():
    allowed = ("tf_vlae", "trainers.common")
    assert not {
        (module, imported)
        for module, imported in imports_of("trainers.common")
        if not any(inside(imported, package) for package in allowed)
    }


def rows():
    """The rows of the table of folders, each a set of modules of tf_vlae."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    table = text.partition("| in `tf_vlae/` |")[2].partition("\n\n")[0]
    return [
        {
            f"tf_vlae.{name.removesuffix('.py').removesuffix('/')}"
            for name in re.findall(r"`([a-z_]+(?:\.py|/))`", line.split("|")[1])
        }
        for line in table.splitlines()[2:]
    ]


def test_every_module_is_in_the_table_of_folders():
    listed = set().union(*rows())
    there = {
        module_name(path)
        for path in (ROOT / "tf_vlae").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    } | {
        f"tf_vlae.{path.parent.name}"
        for path in (ROOT / "tf_vlae").glob("*/__init__.py")
    }
    assert listed == there - {"tf_vlae"}


def test_imports_go_up_the_table_of_folders():
    height = {name: index for index, row in enumerate(rows()) for name in row}

    def level(module):
        return height[".".join(module.split(".")[:2])]

    pairs = imports_of("tf_vlae") - imports_of_the_package_itself()
    assert pairs
    assert not {pair for pair in pairs if level(pair[0]) < level(pair[1])}


def imports_of_the_package_itself():
    """What `tf_vlae/__init__.py` imports, which is everything public."""
    return {("tf_vlae", imported) for imported in graph()["tf_vlae"]}
