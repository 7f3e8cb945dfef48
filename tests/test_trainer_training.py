"""The parts of a run, called as the trainer calls them."""

import functools
import json

import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers import trainer_runs
from tf_vlae.datasets import readers
from tf_vlae.datasets.image_data import ImageData
from tf_vlae.optimizers import EncoderDecayAdam
from tf_vlae.optimizers import ScalarRateAdam
from trainers.common import terminal
from trainers.training import distribution
from trainers.training import experiment
from trainers.training import loop
from trainers.training.display.summaries import Summaries
from trainers.training.storage.workdir import Workdir

TINY = ["--hidden=4", "--latent=2", "--batch_size=10", "--num_samples=3"]


def tiny_data(logit=False, channels=1):
    """Twenty images of 3x3."""
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 256, (20, 3, 3, channels), dtype=np.uint8)
    read, likelihood = readers.grey, "gaussian"
    if logit:
        read, likelihood = readers.dequantised_logit, "logit_gaussian"
    read = functools.partial(read, white=255)
    return ImageData(pixels, pixels[:5], read, likelihood, 9, seed=0)


def train(tmp_path, *arguments):
    settings, resolved = trainer_runs.parse(*TINY, *arguments)
    data = tiny_data()
    model = experiment.make_model(settings, data)
    workdir = Workdir(tmp_path, resolved)
    return settings, loop.train(model, data, workdir, settings)


class TestTrain:
    @pytest.mark.slow
    def test_adapts_to_the_data_first(self, tmp_path):
        settings, resolved = trainer_runs.parse(*TINY, "--epochs=1")
        data = tiny_data()
        model = experiment.make_model(settings, data)
        loop.train(model, data, Workdir(tmp_path, resolved), settings)
        images = np.concatenate(list(data.epoch(0).as_numpy_iterator()))
        expected = images.mean(axis=0).ravel()
        np.testing.assert_allclose(model.encoder.center, expected, rtol=1e-5)

    @pytest.mark.slow
    def test_early_stopping_leaves_a_finished_run(self, tmp_path):
        # With steps this long no epoch is better than the first for long.
        arguments = ["--patience=2", "--epochs=50", "--learning_rate=1"]
        settings, state = train(tmp_path, *arguments)
        assert state.epoch == state.best_epoch + 2 < 50
        assert "no better validation ELBO" in state.stops(settings)
        assert len(list((tmp_path / "checkpoints").iterdir())) == 3

    @pytest.mark.slow
    def test_time_limit_leaves_a_finished_run(self, tmp_path, capsys):
        arguments = ["--max_hours=1e-9", f"--workdir={tmp_path}", *TINY]
        trainer_runs.run(*arguments, "--batch_size=500", "--noexport")
        results = json.loads((tmp_path / "results.json").read_text())
        assert results["epochs"] == 1
        assert "--max_hours" in results["stopped"]
        assert np.isfinite(results["test"]["log_likelihood"])
        assert not (tmp_path / "saved_model").exists()
        assert "nats per image" in capsys.readouterr().out

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore:.*changed nothing")
    def test_divergence_tells_the_good_checkpoint(self, tmp_path):
        settings, resolved = trainer_runs.parse(*TINY, "--epochs=9")
        data, workdir = tiny_data(), Workdir(tmp_path, resolved)
        model = experiment.make_model(settings, data)
        saves = workdir.checkpoints.save

        def save_and_spoil(*args):
            saves(*args)
            model.likelihood.log_variance.assign(-1e3)

        workdir.checkpoints.save = save_and_spoil
        with pytest.raises(ValueError, match=r"checkpoint of epoch 1 "):
            loop.train(model, data, workdir, settings)

    @pytest.mark.slow
    def test_bar_on_a_terminal(self, tmp_path, monkeypatch, capsys):
        monkeypatch.setattr(terminal, "is_there", lambda: True)
        train(tmp_path, "--epochs=2")
        output = capsys.readouterr().out
        assert "Epoch 2/2" in output
        for name in ("elbo", "reconstruction", "kl"):
            assert f"{name}: " in output


class TestExperiment:
    @pytest.mark.parametrize("name", sorted(experiment.MODELS))
    def test_models_get_their_flags(self, name):
        arguments = [f"--model={name}", "--T=3", "--seed=5"]
        arguments += ["--learning_rate=0.003"]
        settings, _ = trainer_runs.parse(*TINY, *arguments)
        model = experiment.make_model(settings, tiny_data())
        assert type(model).__name__ == name.upper()
        assert (model.latent, model.hidden, model.seed) == (2, (4,), 5)
        assert getattr(model, "T", 3) == 3
        assert model.optimizer.built
        rate = float(model.optimizer.learning_rate.numpy())
        assert rate == pytest.approx(0.003)

    def test_schedule_is_a_rise_and_a_cosine_over_the_whole_run(self):
        arguments = ["--schedule=cosine", "--warmup_steps=4", "--epochs=10"]
        arguments += ["--learning_rate=0.2", "--final_rate=0.1"]
        settings, _ = trainer_runs.parse(*TINY, *arguments)
        data = tiny_data()
        optimizer = experiment.make_model(settings, data).optimizer
        steps = 10 * data.steps_per_epoch
        found = []
        for step in range(steps + 1):
            optimizer.iterations.assign(step)
            found.append(float(optimizer.learning_rate))
        np.testing.assert_allclose(
            found[:5], [0, 0.05, 0.1, 0.15, 0.2], atol=1e-7
        )
        share = np.arange(steps - 3) / (steps - 4)
        expected = 0.02 + 0.18 * 0.5 * (1 + np.cos(np.pi * share))
        np.testing.assert_allclose(found[4:], expected, rtol=1e-5)

    def test_gradients_are_clipped_by_their_global_norm(self):
        settings, _ = trainer_runs.parse(*TINY, "--clip_norm=3")
        optimizer = experiment.make_model(settings, tiny_data()).optimizer
        assert optimizer.global_clipnorm == 3.0

    def test_weights_of_the_encoder_decay(self):
        settings, _ = trainer_runs.parse(*TINY, "--weight_decay=4")
        data = tiny_data()
        optimizer = experiment.make_model(settings, data).optimizer
        assert isinstance(optimizer, EncoderDecayAdam)
        # An epoch takes it off, whatever the number of its steps.
        assert data.steps_per_epoch == 2
        assert optimizer.weight_decay == 2
        settings, _ = trainer_runs.parse(*TINY, "--weight_decay=0")
        optimizer = experiment.make_model(settings, tiny_data()).optimizer
        assert type(optimizer) is ScalarRateAdam

    @pytest.mark.parametrize("decay", [0, 4])
    def test_scalars_have_a_rate(self, decay):
        flags = f"--weight_decay={decay}", "--scalar_rate=3"
        settings, _ = trainer_runs.parse(*TINY, *flags)
        optimizer = experiment.make_model(settings, tiny_data()).optimizer
        assert optimizer.scalar_rate == 3

    def test_vlae_has_flags_of_its_own(self):
        arguments = ["--mode=cg", "--covariance=low_rank", "--step=0.7"]
        settings, _ = trainer_runs.parse(*TINY, *arguments)
        model = experiment.make_model(settings, tiny_data())
        assert type(model.mode).__name__ == "ConjugateGradient"
        assert model.mode.step == 0.7
        assert type(model.covariance).__name__ == "LowRank"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(experiment.MODELS))
def test_path_leads_from_the_encoder_to_the_mean(name):
    settings, _ = trainer_runs.parse(*TINY, f"--model={name}", "--T=2")
    data = tiny_data()
    model = experiment.make_model(settings, data)
    x = next(iter(data.test))
    path = model.path(x)
    assert path.shape == (3 if name in ("vlae", "savae") else 1, 5, 2)
    np.testing.assert_allclose(path[-1], model.encode(x), rtol=1e-5)
    if len(path) > 1:
        np.testing.assert_allclose(path[0], model.encoder(x)[0], rtol=1e-5)
        assert np.abs(path[1] - path[0]).max() > 1e-4


class TestSummaries:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", sorted(experiment.MODELS))
    def test_images_of_every_model(self, tmp_path, name):
        settings, _ = trainer_runs.parse(*TINY, f"--model={name}", "--T=2")
        data = tiny_data(channels=3)
        model = experiment.make_model(settings, data)
        Summaries(tmp_path, model, data).write_images(1)
        images = self.read(tmp_path)
        # Two validation images; only some models update their posterior.
        updates = 2 if name in ("vlae", "savae") else 0
        assert images["reconstructions"].shape == (6, 3 * (updates + 2), 3)
        assert images["covariance"].shape == (2, 4, 1)
        assert images["prior_samples"].shape == (24, 24, 3)

    def test_covariance(self, tmp_path):
        settings, _ = trainer_runs.parse(*TINY, "--model=vlae")
        data = tiny_data()
        model = experiment.make_model(settings, data)
        Summaries(tmp_path, model, data).write_images(1)
        examples = next(iter(data.validation))
        covariance = model.posterior(examples).covariance().numpy()
        grey = 0.5 + 0.5 * covariance / np.abs(covariance).max()
        expected = np.concatenate(grey, axis=1)[..., None]
        found = self.read(tmp_path)["covariance"] / 255
        np.testing.assert_allclose(found, expected, atol=1 / 255)

    @pytest.mark.slow
    def test_logits_are_shown_as_pixels(self, tmp_path):
        data = tiny_data(logit=True)
        model = tf_vlae.VAE(2, (4,), likelihood=data.likelihood, seed=0)
        model.adapt(data.epoch(0))
        Summaries(tmp_path, model, data).write_images(1)
        found = self.read(tmp_path)["data"] / 255
        expected = np.concatenate(
            np.asarray(next(iter(tiny_data().validation))), axis=1
        )
        np.testing.assert_allclose(found, expected, atol=2 / 255)

    def read(self, folder):
        """The images in the event files, by their tags."""
        images = {}
        for path in (folder / "validation").iterdir():
            for record in tf.data.TFRecordDataset(str(path)):
                event = tf.compat.v1.Event.FromString(record.numpy())
                for value in event.summary.value:
                    png = tf.make_ndarray(value.tensor)[2]
                    images[value.tag] = tf.io.decode_png(png).numpy()
        return images


class TestDistribution:
    def test_one_device_needs_no_strategy(self):
        strategy = distribution.make_strategy("auto", batch_size=7)
        assert strategy is tf.distribute.get_strategy()
        assert distribution.is_chief(strategy)
        assert distribution.mean_over_replicas(strategy, 0.25) == 0.25
        distribution.require_same(strategy, 3, "the epoch")

    def test_workers_need_a_cluster(self, monkeypatch):
        monkeypatch.delenv("TF_CONFIG", raising=False)
        with pytest.raises(ValueError, match=r"--strategy.*TF_CONFIG"):
            distribution.make_strategy("multi_worker", batch_size=8)


@pytest.mark.slow
def test_missing_data_is_one_message(tmp_path, monkeypatch):
    def offline(*args, **kwargs):
        raise OSError("Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", offline)
    arguments = ["--dataset=mnist", f"--data_dir={tmp_path}"]
    with pytest.raises(SystemExit, match="--dataset=digits"):
        trainer_runs.run(*arguments, f"--workdir={tmp_path / 'run'}")
    # The folder can be used for the next try, with other flags.
    assert not (tmp_path / "run").exists()
