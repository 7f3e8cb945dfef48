"""What is installed, with and without extras, and what is distributed."""

import email
import functools
import http.server
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from typing import ClassVar

import markdown_it
import numpy as np
import packaging.requirements
import packaging.utils
import pytest
import tensorflow as tf
import tensorflow_datasets as tfds

import tf_vlae
from tf_vlae.datasets import prepared

ROOT = pathlib.Path(__file__).parents[1]
BUILD = """
from setuptools import build_meta
build_meta.build_sdist("dist")
build_meta.build_wheel("dist")
"""


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The folder of a wheel and an sdist, built from a copy of the project."""
    project = tmp_path_factory.mktemp("packaging") / "project"
    ignored = (ROOT / ".gitignore").read_text().split()
    patterns = [pattern.rstrip("/") for pattern in ignored]
    ignore = shutil.ignore_patterns(".git", *patterns)
    shutil.copytree(ROOT, project, ignore=ignore)
    command = [sys.executable, "-c", BUILD]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    return project / "dist"


@pytest.fixture(scope="module")
def wheel(distributions):
    (path,) = distributions.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


@pytest.fixture(scope="module")
def metadata(wheel):
    (name,) = [n for n in wheel.namelist() if n.endswith("/METADATA")]
    return email.message_from_bytes(wheel.read(name))


def requirements(metadata, extra=""):
    """What an extra requires, or the library alone: a dict by names."""
    lines = metadata.get_all("Requires-Dist")
    parsed = [packaging.requirements.Requirement(line) for line in lines]
    chosen = [
        requirement
        for requirement in parsed
        if bool(requirement.marker) == bool(extra)
        and (not extra or requirement.marker.evaluate({"extra": extra}))
    ]
    return {packaging.utils.canonicalize_name(r.name): r for r in chosen}


class TestDistributions:
    @pytest.mark.slow
    def test_the_wheel_is_the_library_alone(self, wheel):
        sources = {
            str(path.relative_to(ROOT))
            for path in (ROOT / "tf_vlae").rglob("*")
            if path.suffix in (".py", ".typed")
        }
        installed = {n for n in wheel.namelist() if ".dist-info/" not in n}
        assert "tf_vlae/py.typed" in installed
        assert installed == sources

    @pytest.mark.slow
    def test_the_wheel_has_the_licence(self, wheel):
        (name,) = [n for n in wheel.namelist() if n.endswith("/LICENSE")]
        assert wheel.read(name) == (ROOT / "LICENSE").read_bytes()

    @pytest.mark.skipif(
        not (ROOT / ".git").exists(), reason="not a checkout of git"
    )
    def test_the_sdist_is_the_whole_project(self, distributions):
        listed = subprocess.run(
            ["git", "ls-files"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        (path,) = distributions.glob("*.tar.gz")
        with tarfile.open(path) as archive:
            stored = {n.partition("/")[2] for n in archive.getnames()}
        tracked = {f for f in listed.stdout.split() if (ROOT / f).exists()}
        assert len(tracked) > 100
        assert tracked <= stored


class TestRequirements:
    def test_the_library_needs_little(self, metadata):
        assert set(requirements(metadata)) == {
            "absl-py",
            "importlib-resources",
            "keras",
            "tensorflow",
            "tensorflow-datasets",
            "tensorflow-probability",
        }

    def test_extras_have_what_their_users_need(self, metadata):
        extras = {
            extra: set(requirements(metadata, extra))
            for extra in metadata.get_all("Provides-Extra")
        }
        assert extras["serving"] == {"tensorflow-serving-api"}
        assert extras["beam"] == {"apache-beam"}
        assert extras["serving"] < extras["trainers"]
        assert set().union(*extras.values()) == extras["test"]

    def test_the_lock_of_bazel_has_versions_that_fit(self, metadata):
        lines = (ROOT / "requirements_lock.txt").read_text().split()
        pairs = [line.split("==") for line in lines]
        locked = {packaging.utils.canonicalize_name(n): v for n, v in pairs}
        for extra in ("", *metadata.get_all("Provides-Extra")):
            for name, requirement in requirements(metadata, extra).items():
                assert requirement.specifier.contains(locked[name])


class TestDescription:
    @pytest.mark.parametrize(
        ("markdown", "expected"),
        [
            ("see [how](docs/a.md#why).", "see how (docs/a.md)."),
            ("[docs/a.md](docs/a.md) has it", "docs/a.md has it"),
            ("a ([speed](#speed)) b", "a (speed) b"),
            ("![A plot](docs/b.png)", "A plot (docs/b.png)"),
            ("[`serving`](docs/a.md)", "`serving` (docs/a.md)"),
            ("[paper](https://a.org/b#c)", "[paper](https://a.org/b#c)"),
            ("call `f[0](x)`", "call `f[0](x)`"),
            ("    f[0](x)", "    f[0](x)"),
            ("```\nf[0](x)\n```\n[a](b)", "```\nf[0](x)\n```\na (b)"),
        ],
    )
    def test_relative_links_become_text(self, markdown, expected):
        names = runpy.run_path(str(ROOT / "setup.py"))
        assert names["without_relative_links"](markdown) == expected

    def test_all_links_of_the_description_are_absolute(self, metadata):
        tokens = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).parse(
            metadata.get_payload()
        )
        inline = [child for token in tokens for child in token.children or ()]
        assert len(inline) > 100
        targets = [
            token.attrs.get("href") or token.attrs["src"]
            for token in inline
            if token.type in ("link_open", "image")
        ]
        assert [t for t in targets if not t.startswith("https://")] == []
        html = [t.content for t in (*tokens, *inline) if "html" in t.type]
        assert not re.findall(r'(?:src|href)="(?!https:)', "".join(html))


@pytest.mark.slow
def test_the_import_is_light():
    code = """
import sys
# They import some of the extras where these are installed.
import keras, tensorflow, tensorflow_probability
before = set(sys.modules)
import tf_vlae
print(*{name.partition(".")[0] for name in set(sys.modules) - before})
"""
    output = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(output.stdout.split())
    assert "tf_vlae" in loaded
    assert not loaded & {
        "apache_beam",
        "matplotlib",
        "sklearn",
        "tensorboard",
        "tensorflow_datasets",
        "tensorflow_serving",
        "tqdm",
    }


class TestMissingExtras:
    """Modules that are None in `sys.modules` are missing to Python."""

    def test_digits_say_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
        message = re.escape('"digits" needs packages that are not installed: ')
        with pytest.raises(ImportError, match=message) as error:
            tf_vlae.datasets.load("digits")
        assert str(error.value).endswith("pip install 'tf_vlae[trainers]'")

    def test_downloads_say_what_to_install(self, tmp_path, server):
        class NeedsMore(tfds.core.GeneratorBasedBuilder):
            VERSION = tfds.core.Version("1.0.0")
            url_infos: ClassVar = {server: None}

            def _info(self):
                features = {"image": tfds.features.Image(shape=(2, 2, 1))}
                return tfds.core.DatasetInfo(
                    builder=self, features=tfds.features.FeaturesDict(features)
                )

            def _split_generators(self, dl_manager):
                import no_such_package  # noqa: F401

            def _generate_examples(self):
                yield

        with pytest.raises(ImportError, match=r"'tf_vlae\[trainers\]'$"):
            prepared.builder(NeedsMore.name, tmp_path)

    @pytest.mark.slow
    def test_exports_do_without_warm_up_requests(self, monkeypatch, tmp_path):
        monkeypatch.setitem(sys.modules, "tensorflow_serving.apis", None)
        model = tf_vlae.VAE(latent=2, hidden=3, seed=0)
        x = np.ones([4, 2, 2, 1], np.float32)
        model.adapt(x)
        message = r"no warm-up requests.*pip install 'tf_vlae\[serving\]'$"
        with pytest.warns(UserWarning, match=message) as caught:
            path = tf_vlae.export(model, tmp_path)
        assert [w.filename for w in caught] == [__file__]
        extra = [file.name for file in (path / "assets.extra").iterdir()]
        assert extra == ["metadata.json"]
        served = tf.saved_model.load(path).signatures["serving_default"]
        np.testing.assert_allclose(
            served(x=x)["reconstruction"], model.reconstruct(x), rtol=1e-5
        )

    @pytest.fixture
    def server(self, tmp_path):
        """The address of a server that answers."""
        handler = functools.partial(
            http.server.SimpleHTTPRequestHandler, directory=tmp_path
        )
        with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            yield f"http://127.0.0.1:{server.server_port}/"
            server.shutdown()
            thread.join()
