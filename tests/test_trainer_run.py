"""Whole runs from the command line: killed, resumed, and what they leave."""

import json
import signal

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing import event_accumulator

from helpers import trainer_runs
from tf_vlae import datasets
from tf_vlae.evaluation import importance
from trainers.common import results_file
from trainers.training.storage import flags_file

# It starts programs, or trains for many steps.
pytestmark = pytest.mark.slow

FLAGS = [
    "--hidden=8",
    "--latent=2",
    "--T=2",
    "--batch_size=128",
    # Large enough for the validation ELBO to go up and down.
    "--learning_rate=0.4",
    "--schedule=cosine",
    "--warmup_steps=0",
    "--final_rate=0.9",
    "--epochs=5",
    "--num_samples=5",
    "--image_epochs=2",
]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The folder of a run in one go."""
    workdir = tmp_path_factory.mktemp("undisturbed")
    trainer_runs.run(*FLAGS, f"--workdir={workdir}")
    return workdir


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of a run that was killed twice and resumed twice."""
    workdir = tmp_path_factory.mktemp("killed")
    arguments = [*FLAGS, f"--workdir={workdir}"]
    checkpoints = workdir / "checkpoints"
    process = trainer_runs.start(*arguments)
    # In the middle of an epoch, or of what is written after one.
    output = trainer_runs.kill_after(
        checkpoints / "epoch-000002.npz", process, signal.SIGTERM
    )
    assert process.returncode == 143, output
    assert "Traceback" not in output
    last = output.splitlines()[-1]
    assert last.startswith("Interrupted by SIGTERM, saved after epoch ")
    command = f"--flagfile={workdir}/flags.txt --workdir={workdir}"
    assert last.endswith(f". To go on: python trainers/main.py {command}")
    # In the middle of writing a checkpoint.
    trainer_runs.kill_within_write("epoch-000004.npz", *arguments)
    assert list(checkpoints.glob(".tmp-*/epoch-000004.npz"))
    assert not (checkpoints / "epoch-000004.npz").exists()
    process = trainer_runs.start(*arguments)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert "Resuming after epoch 3." in output
    assert output.strip().endswith("nats per image.")
    return workdir


@pytest.fixture(scope="module")
def results(killed):
    return json.loads((killed / "results.json").read_text())


@pytest.fixture(scope="module")
def model(killed):
    return keras.saving.load_model(killed / "model.keras")


@pytest.fixture(scope="module")
def events(killed):
    def read(split):
        folder = str(killed / "tensorboard" / split)
        events = event_accumulator.EventAccumulator(
            folder, size_guidance={"tensors": 0}
        )
        return events.Reload()

    return {split: read(split) for split in ("train", "validation")}


def stored(workdir):
    """The arrays of all checkpoints, without the time that was spent."""
    found = {}
    for path in (workdir / "checkpoints").glob("*.npz"):
        with np.load(path) as arrays:
            for name in arrays.files:
                if name not in ("state", "checksum"):
                    found[path.name, name] = arrays[name]
    return found


class TestResume:
    def test_history_is_that_of_an_undisturbed_run(self, killed, undisturbed):
        text = (killed / "history.csv").read_text()
        assert text == (undisturbed / "history.csv").read_text()
        assert len(text.splitlines()) == 6

    def test_weights_and_optimizer_are_too(self, killed, undisturbed):
        found, expected = stored(killed), stored(undisturbed)
        assert found.keys() == expected.keys()
        for name, array in expected.items():
            np.testing.assert_array_equal(found[name], array)

    def test_results_are_too(self, killed, undisturbed):
        found, expected = (
            json.loads((workdir / "results.json").read_text())
            for workdir in (killed, undisturbed)
        )
        for name in ("test", "best", "best_epoch", "epochs", "stopped"):
            assert found[name] == expected[name]

    def test_a_finished_run_is_only_reported(self, undisturbed, capsys):
        before = (undisturbed / "results.json").stat().st_mtime_ns
        trainer_runs.run(*FLAGS, f"--workdir={undisturbed}")
        assert "nats per image" in capsys.readouterr().out
        assert (undisturbed / "results.json").stat().st_mtime_ns == before

    def test_other_flags_are_refused(self, undisturbed):
        with pytest.raises(SystemExit, match="--latent=3, was 2"):
            trainer_runs.run(*FLAGS, "--latent=3", f"--workdir={undisturbed}")


class TestResults:
    def test_values_are_those_of_the_saved_model(self, results, model):
        test = datasets.load("digits", batch_size=128).test
        expected = model.evaluate(test, return_dict=True, verbose=0)
        values = [
            model.log_likelihood(batch, 5, seed=step)
            for step, batch in enumerate(test)
        ]
        values = np.concatenate(values)
        found = results["test"]
        for name in ("elbo", "reconstruction", "kl"):
            assert found[name] == pytest.approx(expected[name], rel=1e-5)
        assert found["log_likelihood"] == pytest.approx(values.mean(), rel=1e-5)
        error = values.std() / np.sqrt(359)
        assert found["own"]["standard_error"] == pytest.approx(error, rel=1e-4)
        assert found["own"]["log_likelihood"] == found["log_likelihood"]

    def test_the_same_by_the_laplace_posterior(self, results, model):
        test = datasets.load("digits", batch_size=128).test
        found = results["test"]["laplace"]
        values = [
            model.importance_sample(
                batch,
                5,
                seed=step,
                proposal=importance.laplace_proposal(model),
            )
            for step, batch in enumerate(test)
        ]
        expected = importance.concatenate(values)
        for name in ("log_likelihood", "half", "effective_samples"):
            value = np.mean(getattr(expected, name))
            assert found[name] == pytest.approx(value, rel=1e-5)
        assert 1 <= found["effective_samples"] <= 5
        assert "bits_per_dimension" not in found

    def test_the_model_is_that_of_the_best_epoch(self, results, model, killed):
        history = np.genfromtxt(
            killed / "history.csv", delimiter=",", names=True
        )
        best = np.argmax(history["val_elbo"])
        # Otherwise this would not tell the best epoch from the latest.
        assert best != 4
        assert results["best_epoch"] == best + 1
        assert results["best"]["val_elbo"] == history["val_elbo"][best]
        validation = datasets.load("digits", batch_size=128).validation
        found = model.evaluate(validation, return_dict=True, verbose=0)
        assert found["elbo"] == pytest.approx(
            history["val_elbo"][best], rel=1e-5
        )

    def test_the_rest_is_there(self, results):
        assert results["epochs"] == 5
        assert results["stopped"] == "all 5 epochs are done"
        assert results["num_samples"] == 5
        # 64 pixels, 8 hidden units, latent size 2; center, variance, flag.
        encoder = 64 * 8 + 8 + 8 * 2 + 2
        decoder = 2 * 8 + 8 + 8 * 64 + 64
        assert results["parameters"] == encoder + decoder + 64 + 1 + 1
        assert min(results["seconds"].values()) > 0
        seconds = results["seconds"]
        # The first epoch traces, and all of them make up the training.
        first, others = seconds["first_epoch_cpu"], results["epochs"] - 1
        assert first > seconds["epoch_cpu"]
        least = first + others * seconds["epoch_cpu"]
        assert least <= seconds["training_cpu"] * 1.0001
        assert min(results["steps_per_second"].values()) > 0
        assert results["versions"]["keras"] == keras.__version__

    def test_saved_model_reconstructs(self, model, killed):
        x = next(iter(datasets.load("digits").test))
        served = tf.saved_model.load(str(killed / "saved_model" / "1"))
        outputs = served.signatures["serving_default"](x=x)
        (found,) = outputs.values()
        np.testing.assert_allclose(found, model.reconstruct(x), atol=1e-5)

    def test_export_is_done_again_if_there_are_no_results(self, undisturbed):
        base = undisturbed / "saved_model"
        before = (base / "1").stat().st_ino
        (undisturbed / "results.json").unlink()
        trainer_runs.run(*FLAGS, f"--workdir={undisturbed}")
        assert [path.name for path in base.iterdir()] == ["1"]
        assert (base / "1").stat().st_ino != before
        metadata = base / "1" / "assets.extra" / "metadata.json"
        found = json.loads(metadata.read_text())
        results = results_file.read(undisturbed)
        assert found["metrics"] == results
        assert found["versions"] == results["versions"]
        assert found["flags"] == flags_file.read(undisturbed)
        assert found["flags"]["learning_rate"] == "0.4"

    def test_nothing_temporary_is_left(self, killed):
        assert not [path for path in killed.rglob("*") if "tmp" in path.name]


class TestTensorBoard:
    @pytest.mark.parametrize("split", ["train", "validation"])
    @pytest.mark.parametrize("name", ["elbo", "reconstruction", "kl"])
    def test_curves_are_those_of_the_history(self, events, killed, split, name):
        history = np.genfromtxt(
            killed / "history.csv", delimiter=",", names=True
        )
        prefix = "val_" if split == "validation" else ""
        found = {
            event.step: float(tf.make_ndarray(event.tensor_proto))
            for event in events[split].Tensors(name)
        }
        expected = dict(enumerate(history[prefix + name], 1))
        assert found == pytest.approx(expected, rel=1e-6)

    @pytest.mark.parametrize(
        ("name", "shape"),
        [
            # 8 images in a row.
            ("data", (8, 64, 1)),
            # After 0, 1 and 2 updates, and the data.
            ("reconstructions", (64, 32, 1)),
            ("prior_samples", (64, 64, 1)),
            ("covariance", (2, 16, 1)),
            # Two latent dimensions with seven values, seven pairs.
            ("traversals", (16, 56, 1)),
            ("interpolations", (56, 64, 1)),
        ],
    )
    def test_images(self, events, name, shape):
        found = events["validation"].Tensors(name)
        assert {event.step for event in found} == {2, 4}
        width, height, image = tf.make_ndarray(found[-1].tensor_proto)
        image = tf.io.decode_png(image)
        assert image.shape == shape
        assert (int(height), int(width)) == shape[:2]
        assert np.ptp(image) > 0

    def test_data_is_the_data(self, events):
        event = events["validation"].Tensors("data")[0]
        image = tf.io.decode_png(tf.make_ndarray(event.tensor_proto)[2])
        examples = next(iter(datasets.load("digits").validation))[:8]
        expected = np.concatenate(np.asarray(examples), axis=1)
        np.testing.assert_allclose(image / 255, expected, atol=1 / 255)
        event = events["validation"].Tensors("reconstructions")[0]
        image = tf.io.decode_png(tf.make_ndarray(event.tensor_proto)[2])
        expected = np.concatenate(np.asarray(examples), axis=0)
        np.testing.assert_allclose(image[:, -8:] / 255, expected, atol=1 / 255)
