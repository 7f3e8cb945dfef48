"""The flags of the trainer and the flagfiles."""

import os
import pathlib

import pytest

from helpers import trainer_runs
from tf_vlae.models import MODELS

CONFIGS = pathlib.Path(__file__).parents[1] / "configs"

DATASETS = ["mnist", "omniglot", "fashion_mnist", "svhn", "cifar"]
DATASETS.append("binary_mnist")
DEFAULTS = {
    "dataset": "digits",
    "logit": "False",
    "model": "vlae",
    "latent": "16",
    "hidden": "256",
    "T": "1",
    "mode": "newton",
    "covariance": "full",
    "batch_size": "32",
    "learning_rate": "0.002",
    "scalar_rate": "1.0",
    "schedule": "cosine",
    "warmup_steps": "100",
    "final_rate": "0.05",
    "epochs": "70",
    "warm_start": "0",
    "kl_warmup": "0",
    "patience": "0",
    "seed": "0",
    "strategy": "auto",
    "num_samples": "100",
    "image_epochs": "10",
    "keep_every": "0",
    "test": "True",
    "export": "True",
}
PAPER = {
    "batch_size": "128",
    "learning_rate": "0.0005",
    "schedule": "constant",
    "warmup_steps": "300",
    "epochs": "2000",
    "image_epochs": "50",
}
BIG = {
    **PAPER,
    "hidden": "500,500",
    "latent": "50",
    "covariance": "implicit",
    "num_samples": "5000",
}
CONV = {**PAPER, "hidden": "conv"}
COLOR = {**PAPER, "hidden": "512", "latent": "32"}
# What the flagfiles say, apart from the defaults.
RESOLVED = {
    "digits": {},
    "mnist_small": {**PAPER, "dataset": "mnist"},
    "binary_mnist_big": {**BIG, "dataset": "binary_mnist"},
    "binary_mnist_200": {
        **BIG,
        "dataset": "binary_mnist",
        "hidden": "200,200",
        "epochs": "100",
        "learning_rate": "0.001",
        "schedule": "cosine",
        "clip_norm": "200.0",
        "covariance": "diagonal",
        "warm_start": "98%",
        "step": "0.8",
    },
    "omniglot_big": {**BIG, "dataset": "omniglot"},
    "svhn_small": {**COLOR, "dataset": "svhn"},
    "cifar_small": {**COLOR, "dataset": "cifar10"},
    "mnist_conv": {**CONV, "dataset": "mnist"},
    "cifar_conv": {**CONV, "dataset": "cifar10", "latent": "32"},
    "cifar_big": {**BIG, "dataset": "cifar10"},
}


def config(name, *more):
    path = CONFIGS / f"{name}.flags"
    return trainer_runs.parse(f"--flagfile={path}", *more)[0]


class TestFlagfiles:
    def test_there_is_one_for_each_experiment(self):
        expected = {
            f"{name}_{s}" for name in DATASETS for s in ("small", "big")
        }
        found = {path.stem for path in CONFIGS.glob("*.flags")}
        others = {"digits", "mnist_conv", "cifar_conv", "binary_mnist_200"}
        assert found == expected | others

    @pytest.mark.parametrize("name", DATASETS)
    @pytest.mark.parametrize("size", ["small", "big"])
    def test_networks_are_those_of_the_paper(self, name, size):
        settings = config(f"{name}_{size}")
        double = 2 if name in ("svhn", "cifar") else 1
        network = settings.hidden, settings.latent, settings.num_samples
        if size == "big":
            assert network == ((500, 500), 50, 5000)
        else:
            assert network == ((256 * double,), 16 * double, 100)
        assert settings.dataset == ("cifar10" if name == "cifar" else name)
        training = settings.batch_size, settings.learning_rate, settings.epochs
        assert training == (128, 5e-4, 2000)

    def test_digits_has_the_defaults(self):
        assert config("digits") == trainer_runs.parse()[0]

    @pytest.mark.parametrize(("name", "expected"), RESOLVED.items())
    def test_all_values(self, name, expected):
        path = CONFIGS / f"{name}.flags"
        _, resolved = trainer_runs.parse(f"--flagfile={path}")
        assert resolved == {**DEFAULTS, **expected}

    @pytest.mark.parametrize("folder", [".", "configs", "tests"])
    def test_they_are_found_from_any_folder(self, folder, monkeypatch):
        monkeypatch.chdir(CONFIGS.parent / folder)
        path = os.path.relpath(CONFIGS / "cifar_small.flags")
        for arguments in ([f"--flagfile={path}"], ["--flagfile", path]):
            settings, _ = trainer_runs.parse(*arguments, "--latent=3")
            assert (settings.hidden, settings.latent) == ((512,), 3)

    @pytest.mark.parametrize("path", sorted(CONFIGS.rglob("*.flags")))
    def test_each_value_has_a_comment(self, path):
        above = ""
        for line in path.read_text().splitlines():
            if line.startswith("--"):
                # Its own comment, or one that it shares with its neighbour.
                assert above.startswith("#"), line
            else:
                above = line

    def test_the_last_value_wins(self):
        settings = config("mnist_big", "--T=4", "--model=vae")
        assert (settings.T, settings.model) == (4, "vae")
        assert settings.latent == 50


class TestRecipes:
    def test_fast_has_a_peak_for_each_model(self):
        for model in MODELS:
            settings = config(
                "mnist_small", "--recipe=fast", f"--model={model}"
            )
            assert settings.schedule == "cosine"
            assert settings.clip_norm == 200
            assert 1e-3 < settings.learning_rate < 1e-2

    def test_fast_is_slower_where_it_would_diverge(self):
        settings = config("svhn_small", "--recipe=fast", "--epochs=20")
        assert settings.learning_rate == 2e-3

    @pytest.mark.parametrize(
        ("name", "model", "peak"),
        [
            ("mnist_small", "vae", 4e-3),
            ("mnist_big", "vae", 1e-3),
            ("mnist_small", "vlae", 5e-3),
            ("mnist_big", "vlae", 1e-3),
            ("mnist_conv", "vlae", 5e-3),
            ("cifar_big", "vae", 1e-3),
        ],
    )
    def test_deep_networks_have_lower_peaks(self, name, model, peak):
        settings = config(
            name, "--recipe=fast", f"--model={model}", "--epochs=150"
        )
        assert settings.learning_rate == peak

    @pytest.mark.parametrize(
        ("name", "model", "epochs", "peak"),
        [
            ("mnist_small", "vae", 250, 4e-3),
            ("mnist_small", "vae", 1000, 2e-3),
            ("mnist_small", "vlae", 1, 5e-3),
            ("mnist_small", "vlae", 155, 5e-3),
            ("mnist_small", "vlae", 198, 4.5e-3),
            ("mnist_small", "vlae", 1000, 2e-3),
            ("mnist_conv", "vlae", 1000, 2e-3),
            ("mnist_big", "vlae", 1000, 1e-3),
            ("svhn_small", "vae", 250, 2e-3),
            ("svhn_small", "vae", 4000, 1e-3),
        ],
    )
    def test_long_runs_have_lower_peaks(self, name, model, epochs, peak):
        settings = config(
            name, "--recipe=fast", f"--model={model}", f"--epochs={epochs}"
        )
        assert settings.learning_rate == peak

    @pytest.mark.parametrize(
        ("name", "decay"),
        [("mnist_small", 50), ("cifar_big", None), ("mnist_conv", None)],
    )
    def test_encoders_of_one_hidden_layer_decay(self, name, decay):
        assert config(name, "--recipe=fast").weight_decay == decay
        assert config(name).weight_decay is None

    @pytest.mark.parametrize(
        ("name", "rate"),
        [("mnist_small", 1), ("svhn_small", 3), ("cifar_big", 3)],
    )
    def test_the_variance_of_colour_images_has_a_rate_of_its_own(
        self, name, rate
    ):
        assert config(name, "--recipe=fast").scalar_rate == rate
        assert config(name).scalar_rate == 1

    @pytest.mark.parametrize(
        ("name", "epochs"),
        [("mnist_small", 36), ("mnist_big", 39), ("mnist_conv", 36)],
    )
    def test_fast_refines_late(self, name, epochs):
        settings = config(name, "--recipe=fast", "--epochs=40")
        assert settings.covariance == "diagonal"
        assert settings.warm_start == epochs
        assert settings.step == 0.8

    def test_a_linear_decoder_is_not_deep(self):
        settings = config(
            "mnist_big", "--hidden=", "--epochs=40", "--recipe=fast"
        )
        assert settings.warm_start == 36

    @pytest.mark.parametrize(
        ("name", "epochs"),
        [("omniglot_big", 3), ("omniglot_small", 0), ("mnist_big", 0)],
    )
    def test_the_kl_term_grows_where_the_posterior_collapses(
        self, name, epochs
    ):
        assert config(name, "--recipe=fast").kl_warmup == epochs
        assert config(name).kl_warmup == 0

    def test_steps_are_those_of_the_paper_otherwise(self):
        assert config("mnist_big").step is None
        assert trainer_runs.parse()[0].step is None

    @pytest.mark.parametrize(
        ("mode", "step"), [("newton_cg", 0.8), ("cg", None), ("gradient", None)]
    )
    def test_other_mode_seekers_keep_their_steps(self, mode, step):
        settings = config("mnist_small", "--recipe=fast", f"--mode={mode}")
        assert settings.step == step

    def test_what_is_given_wins(self):
        settings = config("mnist_big", "--recipe=fast", "--clip_norm=3")
        assert (settings.clip_norm, settings.schedule) == (3, "cosine")

    @pytest.mark.parametrize("more", [[], ["--recipe=none"]])
    def test_a_rate_alone_is_constant(self, more):
        settings, resolved = trainer_runs.parse("--learning_rate=0.01", *more)
        assert settings.learning_rate == 0.01
        assert settings.schedule == "constant"
        assert settings.clip_norm is None
        assert settings.warm_start is None
        assert "recipe" not in resolved

    def test_flags_of_a_run_are_its_own(self, tmp_path):
        # They have all that the recipe said, whatever it says later.
        _, resolved = trainer_runs.parse("--dataset=mnist", "--model=vae")
        path = tmp_path / "flags.txt"
        path.write_text("".join(f"--{k}={v}\n" for k, v in resolved.items()))
        assert trainer_runs.parse(f"--flagfile={path}")[1] == resolved


class TestErrors:
    @pytest.mark.parametrize(
        "argument",
        [
            "--dataset=imagenet",
            "--model=gan",
            "--latent=0",
            "--hidden=500,x",
            "--hidden=0",
            "--T=-1",
            "--mode=luck",
            "--covariance=none",
            "--step=0",
            "--batch_size=0",
            "--learning_rate=0",
            "--learning_rate=-1",
            "--clip_norm=0",
            "--final_rate=2",
            "--schedule=linear",
            "--epochs=0",
            "--patience=-1",
            "--max_hours=0",
            "--seed=-1",
            "--strategy=tpu",
            "--num_samples=0",
            "--image_epochs=0",
        ],
    )
    def test_message_names_the_flag(self, argument):
        name = argument.split("=")[0]
        with pytest.raises(SystemExit, match=name):
            trainer_runs.parse(argument)

    def test_message_lists_what_is_known(self):
        with pytest.raises(SystemExit, match=r"newton.*cg"):
            trainer_runs.parse("--mode=luck")

    def test_unknown_flag(self):
        with pytest.raises(SystemExit, match="latents"):
            trainer_runs.parse("--latents=3")

    def test_missing_flagfile(self, tmp_path):
        path = tmp_path / "none.flags"
        with pytest.raises(SystemExit, match=f"open flagfile.*{path}"):
            trainer_runs.parse(f"--flagfile={path}")

    def test_logit_of_binary_images(self):
        with pytest.raises(SystemExit, match="--logit"):
            trainer_runs.parse("--dataset=binary_mnist", "--logit")

    def test_workers_need_a_common_folder(self):
        with pytest.raises(SystemExit, match="--workdir"):
            trainer_runs.parse("--strategy=multi_worker")


class TestValues:
    def test_resolved_flags_are_a_flagfile(self, tmp_path):
        arguments = ["--hidden=", "--logit", "--noexport", "--max_hours=0.5"]
        arguments += ["--learning_rate=0.1", "--data_dir=some where"]
        settings, resolved = trainer_runs.parse(*arguments)
        path = tmp_path / "flags.txt"
        path.write_text("".join(f"--{k}={v}\n" for k, v in resolved.items()))
        again, _ = trainer_runs.parse(f"--flagfile={path}")
        assert again == settings
        assert again.hidden == () and again.logit and not again.export

    def test_hidden_layers(self):
        assert trainer_runs.parse("--hidden=7,5")[0].hidden == (7, 5)
        assert trainer_runs.parse("--hidden=7")[0].hidden == (7,)
        assert trainer_runs.parse("--hidden=conv")[0].hidden == "conv"
