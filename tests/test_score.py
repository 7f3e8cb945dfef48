"""Scores of a saved model, from the command line and by its functions."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
import tensorflow as tf

import tf_vlae
from helpers import scoring
from helpers import trainer_runs
from helpers.scoring import BATCH
from helpers.scoring import encodings
from helpers.scoring import example
from helpers.scoring import MAIN
from helpers.scoring import QUANTITIES
from helpers.scoring import read_bad
from helpers.scoring import read_scores
from helpers.scoring import SAMPLES
from helpers.scoring import score
from helpers.scoring import times
from helpers.scoring import write
from helpers.stored import store

# It starts programs, or trains for many steps.
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
    tf_vlae.export(model, folder)
    return folder


NAN = np.where(np.arange(64) == 5, np.nan, 0.5)
# Records that cannot be scored, and words of the reason.
BROKEN = [
    (b"\xff\xffjunk", "Not a tf.train.Example"),
    (example(label=np.array([3])), "No feature image, but label"),
    (example(image=b"\x89PNG\r\n\x1a\nnot"), "PNG"),
    (example(image=np.full(64, 1.5)), 'Expected data in [0, 1] for like'),
    (example(image=bytes(63)), "63 pixels. Expected 64"),
    (example(image=np.full(65, 0.5)), "65 pixels. Expected 64"),
    (example(image=np.full(64, 256)), "not in 0..255"),
    (example(image=tf.io.encode_png(np.zeros((8, 9, 1), np.uint8)).numpy()),
     "(8, 9, 1). Expected (8, 8, 1)"),
    (example(image=NAN), "not finite"),
]  # fmt: skip


@pytest.fixture(scope="module")
def inputs(pixels, tmp_path_factory):
    """Three files, and for each the images by index, None if broken."""
    folder = tmp_path_factory.mktemp("inputs")
    stored = [encodings(image)[i % 4] for i, image in enumerate(pixels)]
    good = list(pixels)
    broken = [record for record, _ in BROKEN]
    # A batch all of which is broken keeps the one that the model refuses
    # from cutting others in two, and so from changing their noise.
    files = [
        (stored[:9], good[:9]),
        (
            [*stored[9:13], *broken[:8], stored[13], broken[8], *stored[14:17]],
            [*good[9:13], *[None] * 8, good[13], None, *good[14:17]],
        ),
        (stored[17:], [*good[17:-1], None]),
    ]
    for index, (records, _) in enumerate(files):
        write(folder / f"images-{index}", records)
    # The last record is not whole.
    truncated = (folder / "images-2").read_bytes()[:-9]
    (folder / "images-2").write_bytes(truncated)
    return folder, [images for _, images in files]


def expected_scores(model, x):
    """What the Python model says of a batch, a list of dicts of arrays."""
    posterior = model.posterior(x)
    found = {
        "mean": model.encode(x),
        "covariance": posterior.covariance(),
        "elbo": model.importance_sample(x, SAMPLES, seed=0).elbo,
        "log_likelihood": model.log_likelihood(x, SAMPLES, seed=0),
        "reconstruction": model.reconstruct(x),
        "regret": model.regret(x, SAMPLES, seed=0),
    }
    return [
        {name: np.ravel(found[name][i]) for name in found}
        for i in range(len(x))
    ]


@pytest.fixture(scope="module")
def expected(model, inputs):
    """All the scores, by id, of batches as they are cut."""
    folder, files = inputs
    scores = {}
    for path, images in zip(sorted(folder.iterdir()), files, strict=True):
        for start in range(0, len(images), BATCH):
            batch = enumerate(images[start : start + BATCH], start)
            good = {f"{path}/{i}": x for i, x in batch if x is not None}
            if good:
                x = np.stack(list(good.values())) / np.float32(255)
                scores |= dict(
                    zip(good, expected_scores(model, x), strict=True)
                )
    return scores


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, quantities in expected.items():
        assert found[name].keys() == quantities.keys()
        for quantity, values in quantities.items():
            # Rounding may decide which of two steps leads higher up.
            margin = 1e-3 if quantity == "regret" else 1e-5
            np.testing.assert_allclose(
                found[name][quantity],
                values,
                rtol=margin,
                atol=margin,
                err_msg=f"{quantity} of {name}",
            )


@pytest.fixture(scope="module")
def run(saved_model, inputs, tmp_path_factory):
    """A job that is killed within its last shard, and started again."""
    folder, _ = inputs
    output = tmp_path_factory.mktemp("scores")
    arguments = [
        f"--saved_model={saved_model}",
        f"--tfrecord={folder}/images-*",
        f"--quantities={','.join(QUANTITIES)}",
        f"--num_samples={SAMPLES}",
        f"--batch_size={BATCH}",
        f"--output={output}",
    ]
    # The job waits for a pipe that nobody writes to.
    (folder / "images-2").rename(folder / "kept")
    os.mkfifo(folder / "images-2")
    process = trainer_runs.Started(MAIN, *arguments)
    trainer_runs.kill_after(output / "done-00001-of-00003.json", process)
    (folder / "kept").rename(folder / "images-2")
    assert not (output / "done-00002-of-00003.json").exists()
    before = times(output, "*-of-*[a-z]")
    # Where the code is must not help the workers.
    environment = {k: os.environ[k] for k in os.environ if k != "PYTHONPATH"}
    process = subprocess.run(
        [
            *(sys.executable, MAIN, *arguments),
            "--direct_running_mode=multi_processing",
        ],
        cwd=output,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    return output, process.stdout, before


class TestCommandLine:
    def test_every_quantity_is_that_of_the_model(self, run, expected):
        assert_same(read_scores(run[0]), expected)

    def test_nothing_is_lost(self, run, inputs):
        output, text, _ = run
        folder, files = inputs
        summary = json.loads((output / "summary.json").read_text())
        assert summary == {"scored": 23, "bad": 10, "units": 3}
        assert sum(map(len, files)) == 33
        assert re.search(r"3/3 \[.*33 images, 10 bad\]", text)
        assert "scored 23, bad 10, units 3" in text
        assert text.endswith(f"The results are in {output}.\n")
        ids = [*read_scores(output), *read_bad(output)]
        assert sorted(ids) == sorted(
            f"{folder}/images-{file}/{index}"
            for file, images in enumerate(files)
            for index in range(len(images))
        )

    def test_bad_records_have_their_reason_and_their_bytes(self, run, inputs):
        bad = read_bad(run[0])
        places = [*range(4, 12), 13]
        for place, (record, words) in zip(places, BROKEN, strict=True):
            found, reason = bad[f"{inputs[0]}/images-1/{place}"]
            assert found == record
            assert words in reason
            assert "node" not in reason
        record, reason = bad[f"{inputs[0]}/images-2/6"]
        assert record == b""
        assert "The rest is lost: truncated record" in reason

    def test_finished_shards_are_kept(self, run):
        output, _, before = run
        finished = {name for name in before if "-00002-" not in name}
        assert len(finished) == 6
        after = times(output, "*")
        assert {name: after[name] for name in finished} == {
            name: before[name] for name in finished
        }
        assert not times(output, ".tmp-*")


@pytest.fixture(scope="module")
def output(saved_model, inputs, tmp_path_factory):
    output = tmp_path_factory.mktemp("parquet")
    pattern = f"{inputs[0]}/images-*"
    score(saved_model, output, tfrecord=pattern, format="parquet")
    return output


class TestFunctions:
    def test_parquet(self, output, expected):
        assert_same(read_scores(output), expected)
        schema = pq.read_schema(output / "part-00000-of-00003.parquet")
        assert str(schema.field("covariance").type) == "list<element: float>"
        assert str(schema.field("elbo").type) == "float"

    def test_a_file_that_is_deleted_is_made_again(
        self, saved_model, inputs, output, expected
    ):
        (output / "part-00001-of-00003.parquet").unlink()
        before = times(output, "*-0000[02]-of-*")
        pattern = f"{inputs[0]}/images-*"
        summary = score(saved_model, output, tfrecord=pattern, format="parquet")
        assert summary == {"scored": 23, "bad": 10, "units": 3}
        assert times(output, "*-0000[02]-of-*") == before
        assert_same(read_scores(output), expected)

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"num_samples": 8}, "num_samples=8, was 7"),
            ({"quantities": ["mean"]}, r"quantities=\['mean'\], was"),
            ({"tfrecord": "images-[01]"}, "units="),
        ],
    )
    def test_other_settings_are_refused(
        self, saved_model, inputs, output, changes, words
    ):
        pattern = changes.get("tfrecord", "images-*")
        changes = {**changes, "tfrecord": f"{inputs[0]}/{pattern}"}
        before = times(output, "*")
        with pytest.raises(ValueError, match=f"other settings: .*{words}"):
            score(saved_model, output, format="parquet", **changes)
        assert times(output, "*") == before

    def test_only_the_image_that_is_refused_is_bad(
        self, saved_model, model, pixels, tmp_path
    ):
        records = [example(image=image / 255) for image in pixels[:7]]
        records.insert(2, example(image=np.full(64, -0.5)))
        write(tmp_path / "images", records)
        summary = score(
            saved_model,
            tmp_path / "scores",
            tfrecord=str(tmp_path / "images"),
            quantities=["mean"],
            batch_size=8,
        )
        assert summary == {"scored": 7, "bad": 1, "units": 1}
        assert list(read_bad(tmp_path / "scores")) == [f"{tmp_path}/images/2"]
        found = read_scores(tmp_path / "scores")
        del found[f"{tmp_path}/images/0"], found[f"{tmp_path}/images/1"]
        means = model.encode(pixels[2:7] / np.float32(255))
        ids = [f"{tmp_path}/images/{index}" for index in range(3, 8)]
        assert_same(
            found,
            {
                name: {"mean": mean}
                for name, mean in zip(ids, means.numpy(), strict=True)
            },
        )

    def test_every_image_of_a_data_set_is_scored(
        self, saved_model, model, pixels, tmp_path
    ):
        drawings = (pixels[:20], np.arange(20))
        store(tmp_path, "drawings", {"test": drawings})
        output = tmp_path / "scores"
        changes = {
            "dataset": "drawings",
            "data_dir": str(tmp_path),
            "quantities": ["reconstruction"],
        }
        summary = score(saved_model, output, **changes)
        assert summary == {"scored": 20, "bad": 0, "units": 3}
        before = times(output, "part-*")
        score(saved_model, output, **changes)
        assert times(output, "part-*") == before
        means = model.reconstruct(pixels[:20] / np.float32(255)).numpy()
        assert_same(
            read_scores(output),
            {
                f"test/{index}": {"reconstruction": mean.ravel()}
                for index, mean in enumerate(means)
            },
        )
