"""What batch scoring is made of: images, folders, flags."""

import re
import subprocess
import sys

import numpy as np
import pytest
from absl import app

from helpers import scoring
from helpers.scoring import encodings
from helpers.scoring import image_format
from helpers.scoring import MAIN
from trainers.scoring import beam_options
from trainers.scoring import saved_models
from trainers.scoring.inputs.record import Record
from trainers.scoring.outputs.score_folder import ScoreFolder
from trainers.scoring.outputs.shard_files import ShardFiles
from trainers.scoring.program import main
from trainers.scoring.settings import Settings


@pytest.fixture(scope="module")
def pixels():
    return scoring.digits()


class TestImageFormat:
    @pytest.mark.parametrize("encoding", range(3))
    def test_integers_for_a_model_of_integers(self, pixels, encoding):
        found = image_format((8, 8, 1), np.uint8).of_example(
            encodings(pixels[0])[encoding]
        )
        assert found.dtype == np.uint8
        np.testing.assert_array_equal(found, pixels[0])

    def test_floats_are_refused_by_a_model_of_integers(self, pixels):
        raw = encodings(pixels[0])[3]
        with pytest.raises(ValueError, match=r"float32\. Expected int"):
            image_format((8, 8, 1), np.uint8).of_example(raw)

    @pytest.mark.parametrize("shape", [(64,), (8, 8), (1, 8, 8)])
    def test_as_many_pixels_in_another_shape(self, pixels, shape):
        raw = encodings(pixels[0])[0]
        found = image_format(shape).of_example(raw)
        np.testing.assert_allclose(found, pixels[0].reshape(shape) / 255)

    def test_transposed_images_do_not_fit(self):
        assert not image_format((4, 16)).fits((16, 4))


class TestFolder:
    def test_counts_must_be_those_of_the_inputs(self, tmp_path):
        folder = ScoreFolder(str(tmp_path), 1, "tfrecord")
        with (
            pytest.raises(RuntimeError, match="3 inputs"),
            ShardFiles(folder, 0, ["elbo"], "input") as files,
        ):
            files.write_scores(["a"], {"elbo": np.ones(1)})
            files.write_bad([Record("b", reason="none")])
            files.require(3)
        assert not folder.finished()
        assert not list(tmp_path.iterdir())

    def test_the_newest_version_is_used(self, tmp_path):
        with pytest.raises(ValueError, match="no SavedModel in"):
            saved_models.newest(str(tmp_path))
        for version in ("2", "10", "9"):
            (tmp_path / version).mkdir()
            (tmp_path / version / "saved_model.pb").touch()
        newest = str(tmp_path / "10")
        assert saved_models.newest(str(tmp_path)) == newest
        assert saved_models.newest(newest) == newest


class TestFlags:
    FLAGS = ("--saved_model=a", "--output=b", "--dataset=digits")

    @pytest.mark.parametrize("name", ["shard_size", "unit_size"])
    def test_size_of_a_shard_by_both_of_its_names(self, name):
        values = main.parse([*self.FLAGS, f"--{name}=7"])
        assert values["shard_size"].value == 7

    def test_manifest_has_the_names_of_earlier_ones(self):
        values = main.parse(self.FLAGS)
        settings = Settings(*(values[name].value for name in Settings._fields))
        manifest = settings.manifest()
        assert manifest["unit_size"] == 1024
        # Where things are does not matter to the results.
        assert not {"shard_size", "output", "data_dir"} & manifest.keys()

    def test_earlier_exports_can_answer_the_default(self):
        assert "regret" not in main.parse(self.FLAGS).quantities
        flags = [*self.FLAGS, "--quantities=regret,mean"]
        assert main.parse(flags).quantities == ["regret", "mean"]

    @pytest.mark.parametrize(
        ("flags", "words"),
        [
            (["--dataset=digits"], "--saved_model must have a value"),
            ([*FLAGS, "--tfrecord=c"], "Exactly one of (dataset, tfrecord)"),
            ([*FLAGS, "--quantities=mean,mode"], "--quantities="),
        ],
    )
    def test_bad_flags_are_named(self, flags, words):
        with pytest.raises(SystemExit, match=re.escape(words)):
            main.parse(flags)

    def test_flags_of_nobody_are_refused(self):
        with pytest.raises(app.UsageError, match="--quantitys=mean"):
            main([*self.FLAGS, "--quantitys=mean"])


class TestOptions:
    def test_other_runners_are_beams_business(self):
        options = beam_options.parse(["--runner=FlinkRunner", "--new=1"])
        assert options.get_all_options()["runner"] == "FlinkRunner"

    def test_without_beam_it_says_what_to_install(self):
        code = "import runpy, sys; sys.modules['apache_beam'] = None; "
        code += f"runpy.run_path({str(MAIN)!r})"
        process = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True
        )
        assert process.returncode == 1
        assert process.stderr.endswith("pip install -e '.[beam]'\n")
