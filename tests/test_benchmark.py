"""The benchmark measures what it says; how fast a machine is, is no test."""

import csv
import math

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers import trainer_runs
from trainers.benchmarking import case
from trainers.benchmarking import grid
from trainers.benchmarking import measurements
from trainers.benchmarking import models
from trainers.benchmarking import step_report
from trainers.benchmarking.benchmark_step import BenchmarkStep
from trainers.benchmarking.case import Case
from trainers.benchmarking.direct_laplace import DirectLaplace
from trainers.benchmarking.matmul_flops import matmul_flops
from trainers.benchmarking.program import main


def flops(function, *shapes):
    specs = [tf.TensorSpec(shape, tf.float32) for shape in shapes]
    concrete = tf.function(function).get_concrete_function(*specs)
    return matmul_flops(concrete.graph)


class TestMatmulFlops:
    @pytest.mark.parametrize("transpose_a", [False, True])
    @pytest.mark.parametrize("transpose_b", [False, True])
    @pytest.mark.parametrize("batch", [[], [11]])
    def test_product(self, transpose_a, transpose_b, batch):
        def product(a, b):
            return tf.matmul(a, b, transpose_a, transpose_b)

        left = batch + ([5, 3] if transpose_a else [3, 5])
        right = batch + ([7, 5] if transpose_b else [5, 7])
        expected = 2 * 3 * 5 * 7 * math.prod(batch)
        assert flops(product, left, right) == expected

    def test_shared_factor_of_a_batch(self):
        assert flops(tf.matmul, [1, 3, 5], [11, 5, 7]) == 2 * 11 * 3 * 5 * 7

    def test_einsum(self):
        def product(a, b):
            return tf.einsum("io,bil->bol", a, b)

        assert flops(product, [3, 5], [11, 3, 7]) == 2 * 11 * 3 * 5 * 7

    @pytest.mark.parametrize("stride", [1, 2])
    def test_convolution_and_its_gradients(self, stride):
        def function(x, kernel):
            with tf.GradientTape() as tape:
                tape.watch([x, kernel])
                y = tf.nn.conv2d(x, kernel, stride, "SAME")
                loss = tf.reduce_sum(y**2)
            return tape.gradient(loss, [x, kernel])

        places = 11 * (8 // stride) * (6 // stride)
        each = 2 * places * 3 * 3 * 5 * 7
        assert flops(function, [11, 8, 6, 5], [3, 3, 5, 7]) == 3 * each

    def test_transpose_by_einsum_is_free(self):
        assert flops(lambda a: tf.einsum("ij->ji", a), [3, 5]) == 0

    def test_what_no_output_needs_is_not_run(self):
        def function(a, b):
            tf.matmul(b, b)
            return tf.matmul(a, a)

        assert flops(function, [3, 3], [5, 5]) == 2 * 3**3

    def test_what_a_variable_is_set_to_is_run(self):
        variable = tf.Variable(tf.zeros([5, 5]))

        def function(a):
            variable.assign(tf.matmul(a, a))

        assert flops(function, [5, 5]) == 2 * 5**3

    def test_loop_counts_as_often_as_it_runs(self):
        def function(a):
            def body(b):
                return (tf.matmul(a, b),)

            first = tf.matmul(a, a)
            return tf.while_loop(
                lambda _: True, body, (first,), maximum_iterations=6
            )

        assert flops(function, [5, 5]) == (6 + 1) * 2 * 5**3

    def test_called_function_counts_at_each_call(self):
        square = tf.function(lambda a: tf.matmul(a, a))
        assert flops(lambda a: square(square(a)), [5, 5]) == 2 * 2 * 5**3

    def test_gradient_of_a_product_is_two_more(self):
        def function(a, b):
            with tf.GradientTape() as tape:
                tape.watch([a, b])
                loss = tf.reduce_sum(tf.matmul(a, b) ** 2)
            return tape.gradient(loss, [a, b])

        assert flops(function, [3, 5], [5, 7]) == 3 * 2 * 3 * 5 * 7

    def test_unknown_number_of_iterations_is_an_error(self):
        def function(a):
            return tf.while_loop(
                lambda b: b[0, 0] < 1, lambda b: tf.matmul(b, b), (a,)
            )

        with pytest.raises(ValueError, match="maximum_iterations"):
            flops(function, [5, 5])

    def test_unknown_shape_is_an_error(self):
        with pytest.raises(ValueError, match="not static"):
            flops(lambda a: tf.matmul(a, a), [None, 5])


class TestSteps:
    @pytest.mark.slow
    def test_vae_has_three_products_for_each_layer(self):
        data, hidden, latent = 784, 256, 16
        layers = [
            (data, hidden),
            (hidden, latent),
            (hidden, latent),
            (latent, hidden),
            (hidden, data),
        ]
        # Forward, and backward to kernels and inputs but for the images.
        products = 3 * sum(a * b for a, b in layers) - data * hidden
        step = BenchmarkStep(Case("small", "mnist", "vae", 0))
        assert step.flops() == 2 * 128 * products

    def test_tapes_are_for_a_decoder_that_is_not_known(self):
        found = {}
        for form in ("tape", "full"):
            model = models.make_model(Case("conv", "mnist", form, 1))
            model.build((None, 28, 28, 1))
            found[form] = model.linearization
        assert found["tape"].startswith("by gradient tapes")
        assert found["full"].startswith("layer by layer")

    def test_gradient_of_a_target_makes_one_wide_product(self):
        decoder = tf_vlae.layers.PiecewiseLinearDecoder((30,), (10,))
        decoder.build((None, 2))

        def gradients(x, cotangent):
            with tf.GradientTape() as tape:
                target = decoder.linearizer().target(x)
            return tape.gradient(target, decoder.dense[-1].weights, cotangent)

        # To the kernel for all examples, to the bias and through it for one.
        products = (64 + 2) * 30 * 10
        assert flops(gradients, [64, 30], [64, 10]) == 2 * products

    @pytest.mark.slow
    def test_work_hardly_grows_with_pixels(self):
        mnist, cifar = (
            BenchmarkStep(Case("big", data, "full", 4)).flops()
            for data in ("mnist", "cifar")
        )
        assert mnist < cifar < 1.15 * mnist

    @pytest.mark.slow
    @pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli"])
    def test_yardstick_makes_the_steps_of_the_library(self, likelihood):
        x = np.random.default_rng(0).random((6, 5, 5), dtype=np.float32)
        moves = []
        for posterior in (DirectLaplace(2), tf_vlae.posteriors.Laplace(2)):
            own = tf_vlae.Autoencoder(3, (12, 8), posterior, likelihood, seed=0)
            own.adapt(x)
            own.compile(keras.optimizers.SGD(1.0))
            before = [v.numpy() for v in own.trainable_variables]
            own.train_step(tf.constant(x))
            after = [v.numpy() for v in own.trainable_variables]
            moves.append([b - a for a, b in zip(before, after, strict=True)])
        for direct, fast in zip(*moves, strict=True):
            scale = np.max(np.abs(direct))
            assert scale > 0
            np.testing.assert_allclose(fast, direct, atol=1e-4 * scale)


class TestGrid:
    def test_everything(self):
        groups = grid.cases(
            case.SIZES,
            case.SHAPES,
            grid.UPDATES,
            grid.FORMS,
        )
        # Four forms at each T and a VAE; two shapes at one size and T alone.
        counts = [len(group) for group in groups]
        assert counts == 3 * [17] + 3 * [17] + 2 * [5] + 3 * [17]
        assert all(len({c.group for c in group}) == 1 for group in groups)
        assert len({case for group in groups for case in group}) == 163

    def test_choice(self):
        groups = grid.cases(
            ["small"], ["binary", "48x48x3"], [2], ["vae", "full"]
        )
        assert groups == [
            [
                Case("small", "binary", "vae", 0),
                Case("small", "binary", "full", 2),
            ]
        ]

    @pytest.mark.parametrize(
        ("size", "data", "hidden", "latent"),
        [
            ("small", "mnist", (256,), 16),
            ("small", "cifar", (512,), 32),
            ("big", "cifar", (500, 500), 50),
            ("big", "48x48x3", (500, 500), 50),
            ("small", "binary", (256,), 16),
            ("conv", "binary", "conv", 16),
            ("conv", "cifar", "conv", 32),
        ],
    )
    def test_networks_are_those_of_the_configs(
        self, size, data, hidden, latent
    ):
        case = Case(size, data, "full", 1)
        assert (case.hidden, case.latent) == (hidden, latent)


class TestReport:
    def test_summary(self):
        times = [(0.001 * n, 0.002 * n) for n in (5, 1, 2, 4, 3)]
        summary = measurements.summary(times, flops=6e6, peak=4e9)
        expected = {
            "cpu_ms": 3,
            "cpu_ms_q1": 2,
            "cpu_ms_q3": 4,
            "wall_ms": 6,
            "steps": 5,
            "matmul_gflop": 0.006,
            "peak_gflops": 4,
            # 6e6 in 3 ms are 2e9 in a second.
            "peak_share": 0.5,
        }
        assert summary == pytest.approx(expected)

    def test_ratio_is_to_the_direct_form_of_the_same_case(self):
        rows = [
            {"threads": n, "size": "big", "data": data, "form": form, "T": T}
            for n in (1, 2)
            for data in ("mnist", "cifar")
            for form in ("direct", "full")
            for T in (1, 4)
        ]
        for index, row in enumerate(rows):
            row["cpu_ms"] = 2.0**index
        rows.append({**rows[0], "form": "vae", "T": 0, "cpu_ms": 1.0})
        step_report.add_ratios(rows)
        # The full form comes two rows after the direct one.
        ratios = [row.get("direct_ratio") for row in rows]
        assert ratios == 4 * [1, 1, 1 / 4, 1 / 4] + [None]


class TestCommandLine:
    @pytest.mark.slow
    def test_leaves_a_table_a_csv_file_and_plots(self, tmp_path):
        done = trainer_runs.call(
            "benchmark.py",
            "--sizes=big",
            "--data=mnist,14x14x1",
            "--T=4",
            "--forms=full",
            "--threads=1",
            "--repeats=1",
            "--samples=10",
            f"--output={tmp_path / 'results'}",
        )
        assert done.returncode == 0, done.stderr
        self.check_output(done.stdout)
        with open(tmp_path / "results" / "results.csv") as file:
            self.check_rows(list(csv.DictReader(file)))
        for name in ("updates.png", "pixels.png"):
            self.check_image(tmp_path / "results" / name)

    def check_output(self, output):
        assert "memory, case 2 of 2: big 14x14x1 full T=4" in output
        assert "1 thread(s), case 2 to 2 of 2: big 14x14x1" in output
        assert output.count("full     T=4") == 2
        assert "importance samples per CPU second" in output

    def check_rows(self, rows):
        cases = [(row["data"], row["form"], row["T"]) for row in rows]
        assert cases == [
            ("mnist", "full", "4"),
            ("14x14x1", "full", "4"),
            ("mnist", "evaluation", "1"),
        ]
        for row in rows:
            assert 0 < float(row["cpu_ms_q1"]) <= float(row["cpu_ms"])
            assert float(row["cpu_ms"]) <= float(row["cpu_ms_q3"])
            assert float(row["peak_share"]) > 0
        for row in rows[:-1]:
            # In MiB: the weights with Adam's moments alone are 4 or more.
            assert 4 < float(row["memory_mib"]) < 4096
        assert float(rows[-1]["samples_per_cpu_second"]) > 0

    def check_image(self, path):
        image = tf.io.decode_png(path.read_bytes())
        assert min(image.shape[:2]) > 300
        assert len(np.unique(image)) > 10

    @pytest.mark.slow
    def test_latency(self, tmp_path, capsys):
        main(
            [
                "--latency",
                "--sizes=small",
                "--data=14x14x1",
                "--threads=1",
                "--repeats=1",
                f"--output={tmp_path}",
            ]
        )
        output = capsys.readouterr().out
        assert (tmp_path / "latency.md").read_text() in output
        assert "| 1 | small | 14x14x1 | VLAE T=4 |" in output
        self.check_image(tmp_path / "latency.png")
        with open(tmp_path / "latency.csv") as file:
            rows = list(csv.DictReader(file))
        names = ("VAE", "VLAE T=0", "VLAE T=1", "VLAE T=4", "VAE, mean")
        names += ("VLAE T=1, mean", "VLAE T=1, mean, 4 CG iterations")
        assert [(row["model"], row["batch"]) for row in rows] == [
            (name, batch) for name in names for batch in ("1", "16", "128")
        ]
        assert all(float(row["wall_ms"]) > 0 for row in rows)
        ratios = [float(row["vae_ratio"]) for row in rows]
        assert ratios[:3] == [1, 1, 1] == ratios[12:15]
