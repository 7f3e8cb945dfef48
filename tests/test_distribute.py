"""Several replicas, in one process and in two, do what one device does."""

import json
import pathlib
import socket

import numpy as np
import pytest

from helpers import trainer_runs

# It starts programs, or trains for many steps.
pytestmark = pytest.mark.slow

FLAGS = [
    "--hidden=8",
    "--latent=2",
    "--batch_size=128",
    "--learning_rate=0.01",
    "--epochs=3",
    "--num_samples=3",
    # It has all that the full one has, and shows more in training.
    "--covariance=implicit",
]


@pytest.fixture(scope="module")
def replicas():
    """What two_replicas.py reports."""
    script = pathlib.Path(__file__).parent / "helpers" / "two_replicas.py"
    process = trainer_runs.call(script, *FLAGS)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])


class TestMirrored:
    def test_losses_are_those_of_one_device(self, replicas):
        found = [logs["elbo"] for logs in replicas["mirrored"]]
        np.testing.assert_allclose(found, replicas["by_hand"], rtol=1e-4)
        # It is training that is compared.
        assert found[2] > found[0] + 1

    def test_weights_are_too(self, replicas):
        assert replicas["difference"] < 1e-4

    def test_images_that_cannot_be_shared_evenly_count_alike(self, replicas):
        found, expected = replicas["odd"]
        assert found == pytest.approx(expected, rel=1e-4)

    def test_what_is_not_finite_on_one_is_skipped_on_both(self, replicas):
        assert replicas["spoiled"] == {"skipped": [1], "changed": []}


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def start_workers(workdir):
    """Two workers of one job, the chief first."""
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    return [
        trainer_runs.start(
            *FLAGS,
            "--strategy=multi_worker",
            f"--workdir={workdir}",
            TF_CONFIG=json.dumps(
                {
                    "cluster": {"worker": addresses},
                    "task": {"type": "worker", "index": index},
                }
            ),
        )
        for index in range(2)
    ]


class TestMultiWorker:
    @pytest.fixture(scope="class")
    @classmethod
    def workdir(cls, tmp_path_factory):
        """The folder of a job whose second worker died once."""
        workdir = tmp_path_factory.mktemp("workers")
        chief, worker = start_workers(workdir)
        first = workdir / "checkpoints" / "epoch-000001.npz"
        trainer_runs.kill_after(first, worker)
        output, _ = chief.communicate()
        assert chief.returncode != 0, output
        assert not (workdir / "results.json").exists()
        for process in start_workers(workdir):
            output, _ = process.communicate()
            assert process.returncode == 0, output
            assert output.strip().endswith("nats per image.")
        return workdir

    def test_losses_are_those_of_one_device(self, workdir, replicas):
        history = np.genfromtxt(
            workdir / "history.csv", delimiter=",", names=True
        )
        np.testing.assert_allclose(
            history["elbo"], replicas["by_hand"], rtol=1e-4
        )
        expected = [logs["val_elbo"] for logs in replicas["mirrored"]]
        np.testing.assert_allclose(history["val_elbo"], expected, rtol=1e-4)

    def test_the_run_is_finished(self, workdir):
        results = json.loads((workdir / "results.json").read_text())
        assert results["epochs"] == 3
        assert np.isfinite(results["test"]["log_likelihood"])
        assert (workdir / "saved_model" / "1" / "saved_model.pb").exists()
