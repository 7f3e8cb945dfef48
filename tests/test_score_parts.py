"""The parts of batch scoring: images, folders, flags."""

import subprocess
import sys

import numpy as np
import pytest
from absl import app

from helpers import scoring
from helpers.scoring import encodings
from helpers.scoring import image_format
from helpers.scoring import MAIN
from trainers.scoring import scoring_model
from trainers.scoring import beam_options
from trainers.scoring.score_folder import ScoreFolder
from trainers.scoring.image_format import Record
from trainers.scoring.shard_files import ScorePart


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
            ScorePart(folder, 0, ["elbo"]) as part,
        ):
            part.write_scores(["a"], {"elbo": np.ones(1)})
            part.write_bad([Record("b", reason="none")])
            part.finish(3)
        assert not folder.finished()
        assert not list(tmp_path.iterdir())

    def test_the_newest_version_is_used(self, tmp_path):
        with pytest.raises(ValueError, match="no SavedModel in"):
            scoring_model.newest(str(tmp_path))
        for version in ("2", "10", "9"):
            (tmp_path / version).mkdir()
            (tmp_path / version / "saved_model.pb").touch()
        newest = str(tmp_path / "10")
        assert scoring_model.newest(str(tmp_path)) == newest
        assert scoring_model.newest(newest) == newest


class TestOptions:
    def test_what_neither_knows_is_refused(self):
        with pytest.raises(app.UsageError, match="--quantitys=mean"):
            beam_options.parse(["--quantitys=mean"])

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
