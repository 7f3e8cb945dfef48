"""Scoring where a job has been, or is."""

import os

import numpy as np
import pytest

from helpers import processes
from helpers import scoring
from helpers.scoring import example
from helpers.scoring import read_scores
from helpers.scoring import score
from helpers.scoring import times
from helpers.scoring import write
from trainers.common import folder_lock

# It runs jobs.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pixels():
    return scoring.digits()


@pytest.fixture(scope="module")
def model(pixels):
    return scoring.small_model(pixels)


@pytest.fixture(scope="module")
def saved_model(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved_model")
    scoring.export_means(model, folder)
    return folder


def test_a_file_that_changes_is_scored_again(
    saved_model, model, pixels, tmp_path, capsys
):
    names = ["images-0", "images-1"]
    for name, image in zip(names, pixels, strict=False):
        write(tmp_path / name, [example(image=image.tobytes())])
    output, changed = tmp_path / "scores", tmp_path / "images-1"
    flags = {"tfrecord": f"{tmp_path}/images-?", "quantities": ["mean"]}
    summary = score(saved_model, output, **flags)
    before, stat = times(output, "part-*"), changed.stat()
    # As many bytes under the same name, and of the same time.
    write(changed, [example(image=pixels[5].tobytes())])
    assert changed.stat().st_size == stat.st_size
    os.utime(changed, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert score(saved_model, output, **flags) == summary
    assert f"{changed} has changed: it is scored" in capsys.readouterr().out
    means = model.encode(pixels[[0, 5]] / np.float32(255)).numpy()
    found = read_scores(output)
    for name, mean in zip(names, means, strict=True):
        np.testing.assert_allclose(
            found[f"{tmp_path}/{name}/0"]["mean"], mean, rtol=1e-5
        )
    first, second = sorted(before)
    after = times(output, "part-*")
    assert after[first] == before[first]
    assert after[second] != before[second]
    # And now it is what it was.
    score(saved_model, output, **flags)
    assert times(output, "part-*") == after


def test_a_second_job_is_refused(saved_model, pixels, tmp_path):
    images, output = tmp_path / "images", tmp_path / "scores"
    write(images, [example(image=pixels[0].tobytes())])
    owner = processes.start(folder_lock.held, output)
    with pytest.raises(BlockingIOError, match=f"by process {owner} on "):
        score(saved_model, output, tfrecord=str(images), quantities=["mean"])
    assert os.listdir(output) == [".lock"]
    processes.kill(owner)
