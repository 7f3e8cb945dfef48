"""Figures of runs and of tiny models, and the files of the projector."""

import matplotlib.figure
import matplotlib.image
import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorboard.plugins import projector

import tf_vlae
from trainers.analysis import finished_run
from trainers.analysis.finished_run import FinishedRun
from trainers.drawing import figures
from trainers.drawing import program as drawing_program
from trainers.drawing import tiny_models

# It trains, in its own process.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def few_epochs():
    """Tiny models that are trained for an epoch, once for all tests."""
    kept = (tiny_models.toy_model, tiny_models.digit_models)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny_models, "_TOY_EPOCHS", 1)
        patch.setattr(tiny_models, "_DIGIT_EPOCHS", 1)
        for models in kept:
            models.cache_clear()
        yield
    for models in kept:
        models.cache_clear()


def cut(figure, rows, columns, size=8):
    """The images of a grid, cut out of what is drawn."""
    assert isinstance(figure, matplotlib.figure.Figure)
    canvas = figure.axes[0].images[0].get_array()
    rows = np.split(np.pad(canvas, ((0, 1), (0, 1))), rows)
    found = np.asarray([np.split(row, columns, axis=1) for row in rows])
    return found[:, :, :size, :size]


class TestFinishedRun:
    def test_images_are_the_first_of_the_test_set(self, runs):
        test = tf_vlae.datasets.load("digits", batch_size=7).test
        x = np.concatenate(list(test.as_numpy_iterator()))
        np.testing.assert_array_equal(runs[0].test_images(5), x[:5])
        assert len(runs[0].test_images(10**6)) == len(x)

    def test_labels_tell_runs_apart(self, folders, runs, tmp_path):
        assert finished_run.named(runs) == {
            "VLAE, T=1": runs[0],
            "VAE": runs[1],
        }
        twin = tmp_path / "vlae"
        twin.mkdir()
        (twin / "flags.txt").write_text("--model=vlae\n--T=1\n")
        named = finished_run.named([runs[0], FinishedRun(twin, None)])
        assert list(named) == [
            f"VLAE, T=1 ({folders[0]})",
            f"VLAE, T=1 ({twin})",
        ]


class TestProjector:
    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, folders):
        return folders[0] / "tensorboard" / "validation"

    @pytest.fixture(scope="class")
    @classmethod
    def embedding(cls, folder):
        # TensorBoard looks for it where events are.
        assert list(folder.glob("events.out.tfevents.*"))
        config = projector.ProjectorConfig()
        text_format.Parse(
            (folder / "projector_config.pbtxt").read_text(), config
        )
        (found,) = config.embeddings
        return found

    def test_latents_are_means(self, folder, embedding, runs):
        x = np.concatenate(list(tf_vlae.datasets.load("digits").validation))
        z = np.loadtxt(folder / embedding.tensor_path)
        np.testing.assert_allclose(
            z, runs[0].model.encode(x), rtol=1e-4, atol=1e-5
        )
        rows = (folder / embedding.metadata_path).read_text().splitlines()
        assert rows[0] == "image\telbo" and len(rows) == len(z) + 1
        values = [float(row.split("\t")[1]) for row in rows[1:]]
        # A sample for each image.
        mean = float(np.mean(runs[0].model.elbo(x, 0)))
        assert np.mean(values) == pytest.approx(mean, abs=1)

    def test_sprites_are_the_images(self, folder, embedding):
        x = np.concatenate(list(tf_vlae.datasets.load("digits").validation))
        sprite = (folder / embedding.sprite.image_path).read_bytes()
        pixels = tf.io.decode_png(sprite).numpy()
        assert list(embedding.sprite.single_image_dim) == [8, 8]
        # 143 images in a square.
        assert len(x) == 143 and pixels.shape == (96, 96, 1)
        found = pixels[8:16, 16:24] / 255
        np.testing.assert_allclose(found, x[12 + 2], atol=1 / 255)
        assert not np.any(pixels[-8:, -8:])


class TestFigures:
    def test_toy_figures(self, few_epochs, capsys):
        data = tiny_models.toy_data()
        tiny_models.toy_model.cache_clear()
        axes = figures.manifold([]).axes[0]
        assert "Trains a tiny model" in capsys.readouterr().out
        np.testing.assert_array_equal(axes.lines[0].get_xydata(), data)
        # The same model.
        drawn = figures.mode_update([])
        assert capsys.readouterr().out == ""
        *_, end, star = drawn.axes[-1].lines
        model = tiny_models.toy_model()
        path = model.path(star.get_xydata().astype(np.float32), 3)
        np.testing.assert_allclose(end.get_xydata(), model.decode(path[-1]))

    def test_update_paths_of_tiny_models(self, few_epochs, runs):
        # The second run has no plane.
        drawn = figures.update_paths(runs[1:])
        names = [axes.get_title() for axes in drawn.axes]
        assert names == ["VAE", "SA-VAE, T=4", "VLAE, T=4"]
        lengths = [len(axes.lines[0].get_xdata()) for axes in drawn.axes]
        assert lengths == [1, 6, 6]

    def test_update_paths_of_runs(self, runs):
        (axes,) = figures.update_paths(runs).axes
        assert axes.get_title() == "VLAE, T=1"
        x = runs[0].test_images(1)
        np.testing.assert_allclose(
            axes.lines[0].get_xydata(), runs[0].model.path(x, 5)[:, 0]
        )

    def test_covariances(self, runs):
        *panels, _ = figures.covariances(runs).axes
        assert [axes.get_title() for axes in panels] == ["VLAE, T=1", "VAE"]
        x = runs[0].test_images(1)
        for axes, run in zip(panels, runs, strict=True):
            expected = run.model.posterior(x).covariance()[0]
            np.testing.assert_allclose(
                axes.images[0].get_array(), expected, rtol=1e-4, atol=1e-7
            )

    def test_updates(self, runs):
        x = runs[0].test_images(8)
        found = cut(figures.updates(runs[0]), 8, 7)
        for t in (0, 5):
            expected = runs[0].model.reconstruct(x, T=t)[..., 0]
            np.testing.assert_allclose(found[:, t], expected, rtol=1e-5)
        np.testing.assert_array_equal(found[:, 6], x[..., 0])
        with pytest.raises(figures.NotShownError, match="VAE does not refine"):
            figures.updates(runs[1])

    def test_reconstructions(self, runs):
        x = runs[0].test_images(12)
        data, means = cut(figures.reconstructions(runs[0]), 2, 12)
        np.testing.assert_array_equal(data, x[..., 0])
        expected = runs[0].model.reconstruct(x)[..., 0]
        np.testing.assert_allclose(means, expected, rtol=1e-6)

    def test_walks_and_samples(self, runs):
        model, x = runs[1].model, runs[1].test_images(8)
        found = cut(figures.interpolations(runs[1]), 4, 10)
        np.testing.assert_array_equal(found[:, 0], x[:4, ..., 0])
        np.testing.assert_array_equal(found[:, -1], x[4:, ..., 0])
        found = cut(figures.traversals(runs[1]), 3, 7)
        expected = model.traverse(x[:1], 2)[:, 0, ..., 0]
        np.testing.assert_allclose(found[2], expected, rtol=1e-5)
        found = cut(figures.samples(runs[1]), 8, 8).reshape(64, 8, 8)
        np.testing.assert_allclose(
            found, model.sample(64, seed=0)[..., 0], rtol=1e-5
        )

    def test_different_data_are_not_compared(self, runs, tmp_path):
        (tmp_path / "flags.txt").write_text("--dataset=mnist\n")
        other = FinishedRun(tmp_path, None)
        with pytest.raises(figures.NotShownError, match="different data"):
            figures.covariances([runs[0], other])


class TestFiguresProgram:
    def test_all_that_a_run_can_show(self, few_epochs, folders, capsys):
        drawing_program.main([f"--workdir={folders[1]}"])
        names = set(figures.NAMES) - {"updates"}
        assert {path.name for path in (folders[1] / "figures").iterdir()} == {
            f"{name}.{ending}" for name in names for ending in ("png", "pdf")
        }
        for name in names:
            path = folders[1] / "figures" / name
            assert np.ptp(matplotlib.image.imread(f"{path}.png")) > 0.5
            assert path.with_suffix(".pdf").read_bytes()[:5] == b"%PDF-"
        assert (
            "updates is not drawn: VAE does not refine its posterior."
            in capsys.readouterr().out
        )

    def test_what_is_asked_for_must_be_shown(self, folders, tmp_path):
        flags = ["--figure=updates", f"--output={tmp_path}"]
        with pytest.raises(SystemExit, match="VAE does not refine"):
            drawing_program.main([f"--workdir={folders[1]}", *flags])
        for name in ("samples", "covariances"):
            with pytest.raises(SystemExit, match="no --workdir"):
                drawing_program.main([f"--figure={name}", *flags[1:]])
        with pytest.raises(SystemExit, match="--figure"):
            drawing_program.main(["--figure=nothing"])

    def test_files_of_several_runs(self, folders, tmp_path):
        workdir = ",".join(map(str, folders))
        drawing_program.main(
            [f"--workdir={workdir}", "--figure=samples", f"--output={tmp_path}"]
        )
        names = {path.name for path in tmp_path.glob("*.png")}
        assert names == {"samples_vlae.png", "samples_vae.png"}
