"""A search for training recipes."""

import csv
import functools
import json
import math

import matplotlib.image
import pytest

from helpers import trainer_runs
from helpers.may_collapse import may_collapse
from trainers.training import command_line
from trainers.tuning import program
from trainers.tuning import search
from trainers.tuning import space
from trainers.tuning.trial import Trial

COMMON = ("--hidden=8", "--latent=2")


class TestSpace:
    def test_trials_are_within_it_and_differ(self):
        found = [space.settings("vae", number) for number in range(200)]
        rates = [each["learning_rate"] for each in found]
        assert 1e-3 <= min(rates) < 1.2e-3
        assert 1.3e-2 < max(rates) <= 1.6e-2
        # Evenly on a scale of logarithms.
        assert 0.4 < sum(rate < 4e-3 for rate in rates) / 200 < 0.6
        assert {each["clip_norm"] for each in found} == {None, 100, 200, 400}
        assert len({tuple(each.values()) for each in found}) > 150

    def test_models_share_what_they_all_have(self):
        for number in range(20):
            vae = space.settings("vae", number)
            vlae = space.settings("vlae", number)
            assert vlae.pop("warm_start") in {"0", "50%", "80%", "90%"}
            assert vlae.pop("step") in {0.5, 0.8}
            assert vae == vlae

    def test_are_flags_of_the_trainer(self, tmp_path):
        trial = Trial("vlae", 3, 20, tmp_path, COMMON)
        settings, resolved = trainer_runs.parse(*trial.flags)
        assert settings.schedule == "cosine"
        assert settings.learning_rate == trial.settings["learning_rate"]
        assert settings.clip_norm == trial.settings["clip_norm"]
        assert settings.hidden == (8,)
        assert not settings.test
        assert resolved["warm_start"] == trial.settings["warm_start"]
        share = float(trial.settings["warm_start"].rstrip("%")) / 100
        assert command_line.warm_share(trial.flags) == share

    def test_rates_alone_are_tried_with_the_fast_recipe(self, tmp_path):
        common = ("--dataset=mnist", "--recipe=paper", *COMMON)
        for model, share in (("vae", 0.0), ("vlae", 0.9)):
            trials = [
                Trial(model, number, 20, tmp_path, common, rates=(1e-3, 5e-2))
                for number in range(2)
            ]
            assert trials[0].name == f"{model}_0.001_20epochs"
            assert trials[0].log.name == f"{model}_0.001_20epochs.log"
            for trial, rate in zip(trials, (1e-3, 5e-2), strict=True):
                settings, _ = trainer_runs.parse(*trial.flags)
                assert settings.learning_rate == rate
                assert settings.schedule == "cosine"
                assert settings.clip_norm == 200
                found = command_line.warm_share(trial.flags)
                assert found == pytest.approx(share)
            # What an epoch costs does not depend on the rate.
            for runs in (trial.timed() for trial in trials):
                assert [run.epochs for run in runs] == [3, 3]
                folders = [run.folder for run in runs]
                assert folders == [run.folder for run in trials[0].timed()]
                assert len({*folders}) == 2
                assert not command_line.warm_share(runs[0].flags)
            if model == "vlae":
                warm = trials[0].timed(warm=True)[0]
                assert command_line.warm_share(warm.flags) == 1
                assert warm.folder != folders[0]


@pytest.mark.parametrize(
    ("trials", "rounds", "expected"),
    [
        (1, None, [9.0]),
        (3, None, [3.0, 9.0]),
        (4, None, [1.0, 3.0, 9.0]),
        (9, None, [1.0, 3.0, 9.0]),
        (9, 1, [9.0]),
        (9, 2, [3.0, 9.0]),
        (3, 5, [3.0, 9.0]),
    ],
)
def test_the_last_budget_is_the_whole_one(trials, rounds, expected):
    assert search.budgets(trials, 9.0, rounds) == pytest.approx(expected)


def start_here(trials, started):
    """What the scheduler does, in this process.

    How long epochs take is made up: 0.1 s, and 0.3 s more for the first.
    """
    for trial in trials:
        if trial.results() is not None:
            continue
        started.append(trial)
        if "timed" not in trial.folder.parts:
            trainer_runs.run(*trial.flags)
            continue
        seconds = {"first_epoch_cpu": 0.4, "epoch_cpu": 0.1}
        trial.folder.mkdir(parents=True)
        text = json.dumps({"seconds": seconds})
        (trial.folder / "results.json").write_text(text)


@may_collapse
@pytest.mark.slow
class TestSearch:
    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory):
        return tmp_path_factory.mktemp("tune")

    @pytest.fixture(scope="class")
    @classmethod
    def rungs(cls, folder):
        started = []
        start = functools.partial(start_here, started=started)
        trials = [Trial("vae", i, 1, folder, COMMON) for i in range(3)]
        arguments = trials, 0.06, start
        rungs = search.search(*arguments)
        count = len(started)
        # Nothing is trained twice.
        assert search.search(*arguments) == rungs
        assert len(started) == count
        return rungs

    def test_the_best_goes_on(self, rungs):
        assert [len(rung) for rung in rungs] == [3, 1]
        for rung in rungs:
            scores = [trial.score for trial in rung]
            assert scores == sorted(scores, reverse=True)
        assert rungs[1][0].number == rungs[0][0].number

    def test_it_has_three_times_the_budget(self, rungs):
        # 1.2 s for all, and 3.6 s for the best.
        assert [trial.epochs for trial in rungs[0]] == [9, 9, 9]
        assert [trial.epochs for trial in rungs[1]] == [33]

    def test_no_trial_saw_the_test_set(self, rungs):
        for trial in rungs[0]:
            assert trial.results()["test"] is None
            assert math.isfinite(trial.score)

    def test_what_it_leaves(self, rungs, folder, capsys):
        # All the trials are there already.
        program.main(
            [
                "--models=vae",
                "--trials=3",
                "--minutes=0.06",
                f"--workdir={folder}",
                *COMMON,
            ]
        )
        with open(folder / "table.csv") as file:
            rows = list(csv.DictReader(file))
        best = rungs[1][0]
        assert len(rows) == 4
        assert float(rows[0]["validation ELBO"]) == best.score
        assert f"| {best.score:.2f} |" in capsys.readouterr().out
        assert matplotlib.image.imread(folder / "table.png").ndim == 3
        settings, _ = trainer_runs.parse(f"--flagfile={folder}/vae.flags")
        for name, value in best.settings.items():
            assert getattr(settings, name) == value
        assert settings.epochs == best.epochs


def test_a_search_without_results_is_an_error(tmp_path):
    with pytest.raises(RuntimeError, match=r"vae failed.*timed"):
        trial = Trial("vae", 0, 1, tmp_path, COMMON)
        search.search([trial], 1.0, lambda trials: None)


@pytest.mark.parametrize(
    "flag",
    ["--minutes=0", "--models=vea", "--latents=3", "--rates=0", "--rounds=0"],
)
def test_bad_flags_are_told_at_once(flag, tmp_path):
    with pytest.raises(SystemExit, match=flag[2:8]):
        program.main([flag, f"--workdir={tmp_path}/tune"])
    assert not (tmp_path / "tune").exists()
