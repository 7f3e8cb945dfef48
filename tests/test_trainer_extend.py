"""A finished run goes on with more epochs, as if it had had them before."""

import shutil

import numpy as np
import pytest

from helpers import trainer_runs
from trainers.common import results_file
from trainers.training.storage import flags_file

# It starts programs, or trains for many steps.
pytestmark = pytest.mark.slow

FLAGS = [
    "--model=vae",
    "--hidden=4",
    "--latent=2",
    "--batch_size=200",
    "--learning_rate=0.01",
    "--notest",
    "--noexport",
]


def run(workdir, epochs, *more):
    arguments = [*FLAGS, f"--epochs={epochs}", f"--workdir={workdir}", *more]
    trainer_runs.run(*arguments)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run of two epochs."""
    workdir = tmp_path_factory.mktemp("finished")
    run(workdir, 2)
    return workdir


@pytest.fixture
def workdir(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


def arrays(path):
    with np.load(path) as stored:
        own = set(stored.files) - {"state", "checksum"}
        return {name: stored[name] for name in own}


def test_is_that_of_a_run_in_one_go(workdir, tmp_path, capsys):
    run(tmp_path / "one_go", 3)
    capsys.readouterr()
    run(workdir, 3)
    assert "Resuming after epoch 2." in capsys.readouterr().out
    results = results_file.read(workdir)
    expected = results_file.read(tmp_path / "one_go")
    for name in ("epochs", "stopped", "best", "best_epoch"):
        assert results[name] == expected[name]
    assert results["epochs"] == 3
    history = (workdir / "history.csv").read_text()
    assert history == (tmp_path / "one_go" / "history.csv").read_text()
    last = "checkpoints/epoch-000003.npz"
    found = arrays(workdir / last)
    for name, array in arrays(tmp_path / "one_go" / last).items():
        np.testing.assert_array_equal(found[name], array)
    # It is a run of three epochs now.
    assert flags_file.read(workdir)["epochs"] == "3"
    before = (workdir / "results.json").stat().st_mtime_ns
    run(workdir, 3)
    assert (workdir / "results.json").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("epochs", "more", "words"),
    [
        (1, [], "--epochs=1, was 2"),
        (3, ["--latent=3"], "--epochs=3, was 2; --latent=3, was 2"),
        (3, ["--schedule=cosine"], "--schedule=cosine, was constant"),
    ],
)
def test_other_flags_are_refused(workdir, epochs, more, words):
    with pytest.raises(SystemExit, match=words):
        run(workdir, epochs, *more)
    assert flags_file.read(workdir)["epochs"] == "2"


@pytest.mark.parametrize(
    ("name", "text"), [("schedule", "cosine"), ("warm_start", "50%")]
)
def test_what_depends_on_the_epochs_is_named(tmp_path, name, text):
    flags = {"model": "vlae", name: text, "epochs": "2"}
    flags_file.write(tmp_path, flags)
    words = f"--epochs=3, was 2. With --{name}={text} .* cannot be extended"
    with pytest.raises(ValueError, match=words):
        flags_file.compare(tmp_path, {**flags, "epochs": "3"}, {})


def test_a_recipe_is_no_reason_for_another_message(tmp_path):
    # With more epochs it has a lower peak.
    flags = {"learning_rate": "0.004", "schedule": "cosine", "epochs": "250"}
    flags_file.write(tmp_path, flags)
    words = "--learning_rate=0.0028, was 0.004.* cannot be extended"
    longer = {**flags, "learning_rate": "0.0028", "epochs": "500"}
    with pytest.raises(ValueError, match=words):
        flags_file.compare(tmp_path, longer, {})
    # This one could be, but for its schedule that is another.
    flags_file.path(tmp_path).unlink()
    flags_file.write(tmp_path, {**flags, "schedule": "constant"})
    with pytest.raises(ValueError) as error:
        flags_file.compare(tmp_path, longer, {})
    assert "cannot be extended" not in str(error.value)


def test_flags_of_vlae_do_not_matter_to_others(tmp_path):
    flags = {"model": "vae", "warm_start": "90%", "epochs": "2"}
    flags_file.write(tmp_path, flags)
    other = {**flags, "warm_start": "95%", "step": "0.8"}
    flags_file.compare(tmp_path, other, {})
    with pytest.raises(ValueError, match="--model=vlae, was vae"):
        flags_file.compare(tmp_path, {**other, "model": "vlae"}, {})
    with pytest.raises(ValueError, match="flags: --epochs=1, was 2"):
        flags_file.compare(tmp_path, {**other, "epochs": "1"}, {})


def test_damaged_results_are_made_anew(workdir, capsys):
    path = workdir / "results.json"
    expected = results_file.read(workdir)
    path.write_bytes(path.read_bytes()[:-100])
    run(workdir, 2)
    found = results_file.read(workdir)
    assert found["best"] == expected["best"]
    output = capsys.readouterr().out
    assert f"{path} is damaged" in output
    assert output.endswith("nats per image.\n")


def test_no_whole_checkpoint_is_one_message(workdir):
    (workdir / "results.json").unlink()
    for path in (workdir / "checkpoints").iterdir():
        path.write_bytes(b"")
    with pytest.raises(SystemExit, match=r"epoch-000002.npz is damaged .*no o"):
        run(workdir, 2)
