"""Figures have in them what the model says."""

import sys
from typing import ClassVar

import matplotlib.figure
import numpy as np
import pytest

import tf_vlae
from helpers import reference
from helpers.errors import invalid
from helpers.reference import normal
from tf_vlae import diagnostics
from tf_vlae import plots
from tf_vlae.plots import chains
from tf_vlae.plots import images as image_plots
from trainers.analysis import curves_plot
from trainers.analysis import gaps_plot
from trainers.comparison import plot as comparison_plot

SHAPE = (4, 3, 1)


def make(kind, latent, shape, **kwargs):
    model = kind(latent, (5,), seed=0, dtype="float64", **kwargs)
    model.build((None, *shape))
    reference.randomize(model.trainable_variables)
    return model


@pytest.fixture(scope="module")
def model():
    return make(tf_vlae.VLAE, 2, SHAPE, T=2)


@pytest.fixture(scope="module")
def vae():
    return make(tf_vlae.VAE, 2, SHAPE)


@pytest.fixture(scope="module")
def toy():
    return make(tf_vlae.VLAE, 1, (2,), T=3)


@pytest.fixture(scope="module")
def x():
    return normal(3, *SHAPE, seed=1)


def only_axes(figure):
    assert isinstance(figure, matplotlib.figure.Figure)
    (axes,) = figure.axes
    return axes


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def drawn_images(figure, down, across, height=4, width=3):
    """The images of a grid, cut out of what is drawn."""
    canvas = only_axes(figure).images[0].get_array()
    rows = np.split(np.pad(canvas, ((0, 1), (0, 1))), down)
    cut = [np.split(row, across, axis=1) for row in rows]
    return np.asarray(cut)[:, :, :height, :width]


class TestImages:
    def test_reconstructions_after_each_update_with_the_data(self, model, x):
        figure = plots.reconstructions(model, x, T=4)
        found = drawn_images(figure, 3, 6)
        for t in range(5):
            expected = model.reconstruct(x, T=t)[..., 0]
            np.testing.assert_allclose(found[:, t], expected, rtol=1e-6)
        np.testing.assert_allclose(found[:, 5], x[..., 0])
        labels = [t.get_text() for t in figure.axes[0].get_xticklabels()]
        assert labels == ["T=0", "1", "2", "3", "4", "data"]

    def test_a_vae_has_one_reconstruction(self, vae, x):
        found = drawn_images(plots.reconstructions(vae, x), 3, 2)
        np.testing.assert_allclose(found[:, 0], vae.reconstruct(x)[..., 0])

    def test_integer_data_are_in_the_units_of_the_model(self, model):
        x = np.full([1, *SHAPE], 51, np.uint8)
        found = drawn_images(plots.reconstructions(model, x, T=0), 1, 2)
        np.testing.assert_allclose(found[0, 1], 0.2)

    def test_integers_are_pixels_where_the_model_takes_them_so(self, vae):
        images = np.asarray([[0, 51, 255]], np.uint8)
        np.testing.assert_allclose(
            plots.to_pixels(vae, images), [[0, 0.2, 1]], rtol=1e-12
        )
        counts = tf_vlae.VAE(2, (5,), likelihood="poisson")
        np.testing.assert_array_equal(plots.to_pixels(counts, images), images)

    def test_logits_are_shown_as_pixels(self):
        model = make(tf_vlae.VAE, 2, SHAPE, likelihood="logit_gaussian")
        # logit(0.05 + 0.9 x) of grey values x.
        grey = np.random.default_rng(0).uniform(size=(2, *SHAPE))
        squashed = 0.05 + 0.9 * grey
        x = np.log(squashed / (1 - squashed))
        figure = plots.reconstructions(model, x)
        found = drawn_images(figure, 2, 2)
        np.testing.assert_allclose(found[:, 1], grey[..., 0], rtol=1e-6)
        mean = 1 / (1 + np.exp(-model.reconstruct(x)[..., 0].numpy()))
        np.testing.assert_allclose(found[:, 0], (mean - 0.05) / 0.9, rtol=1e-6)

    def test_samples(self, model):
        found = drawn_images(plots.samples(model, 5, seed=2), 2, 3)
        expected = model.sample(5, seed=2)[..., 0]
        np.testing.assert_allclose(found.reshape(6, 4, 3)[:5], expected)

    def test_traversals(self, model, x):
        values = (-2, 0.5)
        figure = plots.traversals(model, x[:1], values=values)
        found = drawn_images(figure, 2, 2)
        for d in range(2):
            expected = model.traverse(x[:1], d, values)[:, 0, ..., 0]
            np.testing.assert_allclose(found[d], expected)
        labels = [t.get_text() for t in figure.axes[0].get_yticklabels()]
        assert labels == ["z[0]", "z[1]"]

    def test_interpolations(self, model, x):
        found = drawn_images(
            plots.interpolations(model, x[:1], x[1:2], 3), 1, 5
        )
        expected = model.interpolate(x[:1], x[1:2], 3)[:, 0, ..., 0]
        np.testing.assert_allclose(found[0, 1:-1], expected)
        np.testing.assert_allclose(found[0, [0, -1]], x[:2, ..., 0])

    def test_colour_is_scaled_and_clipped(self):
        images = np.random.default_rng(0).uniform(-1, 2, size=(1, 2, 4, 3, 3))
        figure = plots.image_grid(images, limits=(-0.5, 1.5))
        found = only_axes(figure).images[0].get_array()
        expected = np.clip((image_plots.tile(images) + 0.5) / 2, 0, 1)
        np.testing.assert_allclose(found[:4, :3], expected[:4, :3])

    def test_other_images_are_refused(self):
        with invalid("images", "(1, 2, 4, 3, 2)"):
            plots.image_grid(np.zeros([1, 2, 4, 3, 2]))


class TestCalibration:
    def test_coverage(self):
        found = diagnostics.of_depths(np.linspace(0, 1, 50) ** 2)
        axes = only_axes(plots.coverage({"VAE": found, "VLAE, T=4": found}))
        assert legend(axes) == ["nominal", "VAE", "VLAE, T=4"]
        x, y = axes.lines[1].get_data()
        np.testing.assert_array_equal(x[1:-1], found.levels)
        np.testing.assert_array_equal(y[1:-1], found.shares)
        np.testing.assert_array_equal(
            axes.lines[0].get_xydata(), [[0, 0], [1, 1]]
        )
        assert len(only_axes(plots.coverage(found)).lines) == 2

    def test_ranks(self):
        ranks = np.random.default_rng(0).integers(0, 100, size=(300, 5))
        found = diagnostics.Ranks(ranks, 99, np.ones(5))
        figure = plots.ranks(found)
        shown = [axes for axes in figure.axes if axes.get_visible()]
        assert [axes.get_title() for axes in shown] == [
            f"z[{d}]" for d in range(5)
        ]
        for d, axes in enumerate(shown):
            heights = [bar.get_height() for bar in axes.containers[0]]
            expected = np.histogram(ranks[:, d] // 5, np.arange(21))[0]
            np.testing.assert_array_equal(heights, expected)

    def test_k_hat(self):
        values = np.array([0.9, 0.1, np.inf, 0.4])
        found = diagnostics.Proposal(values, values, 100)
        axes = only_axes(plots.k_hat({"VAE": found}))
        drawn = axes.lines[0].get_ydata()
        np.testing.assert_array_equal(drawn, [0.1, 0.4, 0.9, 2.0])
        levels = [line.get_ydata()[0] for line in axes.lines[1:]]
        assert levels == [0.5, 0.7]

    def test_scores(self):
        pair = np.arange(5.0), np.arange(3.0, 9.0)
        figure = plots.scores({"a": pair, "b": pair}, "mnist", "digits")
        assert [axes.get_title() for axes in figure.axes] == ["a", "b"]
        assert legend(figure.axes[0]) == ["mnist", "digits"]

    def test_posterior_and_chains(self):
        rng = np.random.default_rng(0)
        draws = rng.normal(size=(2000, 2, 3))
        covariance = np.stack([np.eye(3), np.diag([1.0, 4.0, 9.0])])
        found = diagnostics.Reference(
            draws,
            draws.mean(0),
            covariance,
            draws.mean(0) + 1,
            2 * covariance,
            np.ones(2),
        )
        figure = plots.posterior_and_chains(found, 1, (0, 2), "VLAE")
        axes = only_axes(figure)
        assert legend(axes) == ["chains, draws", "chains, moments", "VLAE"]
        points, center, half, *_, q_center, _, q_most = axes.lines
        np.testing.assert_array_equal(
            points.get_xydata(), draws[::2, 1][:, [0, 2]]
        )
        np.testing.assert_allclose(
            center.get_xydata()[0], found.mean[1, [0, 2]]
        )
        np.testing.assert_allclose(
            q_center.get_xydata()[0], found.q_mean[1, [0, 2]]
        )
        # Half of a Gaussian is within 1.177 deviations in the plane.
        extent = np.ptp(half.get_xydata(), axis=0) / 2
        np.testing.assert_allclose(extent, 1.1774 * np.array([1, 3]), rtol=0.01)
        extent = np.ptp(q_most.get_xydata(), axis=0) / 2
        expected = 2.1460 * np.sqrt(2) * np.array([1, 3])
        np.testing.assert_allclose(extent, expected, rtol=0.01)

    def test_ellipse_holds_its_share(self):
        rng = np.random.default_rng(1)
        scale = np.array([[1.0, 0], [0.7, 0.5]])
        border = chains.ellipse(np.zeros(2), scale @ scale.T, 0.9)
        radius = np.linalg.norm(np.linalg.solve(scale, border), axis=0)
        inside = np.linalg.norm(rng.normal(size=(20000, 2)), axis=1) < radius[0]
        np.testing.assert_allclose(radius, radius[0])
        assert np.mean(inside) == pytest.approx(0.9, abs=0.01)


def test_covariances_are_on_one_scale(model, x):
    q = model.posterior(x)
    matrices = {"VAE": np.diag([0.1, 3.0]), "VLAE, T=4": q.covariance()[0]}
    figure = plots.covariances(matrices)
    *panels, _ = figure.axes
    assert [axes.get_title() for axes in panels] == list(matrices)
    for axes, matrix in zip(panels, matrices.values(), strict=True):
        np.testing.assert_allclose(axes.images[0].get_array(), matrix)
        low, high = axes.images[0].get_clim()
        assert -low == high == max(np.max(np.abs(m)) for m in matrices.values())


class TestUpdatePaths:
    @pytest.mark.slow
    def test_landscape_is_the_elbo(self, model, x):
        found = diagnostics.elbo_landscape(model, x[:1], 2.0, 5, 60)
        z = np.array([[found.axis[3], found.axis[1]]])
        covariance = np.linalg.inv(model.joint(x[:1]).at(z).precision()[0])
        rng = np.random.default_rng(0)
        draws = rng.multivariate_normal(z[0], covariance, 20000)
        log_joint = model.log_joint(x[:1], draws[:, None])
        entropy = 0.5 * np.linalg.slogdet(2 * np.pi * np.e * covariance)[1]
        expected = np.mean(log_joint) + entropy
        assert found.elbo[1, 3] == pytest.approx(expected, abs=0.15)
        best = np.unravel_index(np.argmax(found.elbo), (5, 5))
        np.testing.assert_allclose(
            found.optimum, [found.axis[best[1]], found.axis[best[0]]]
        )

    @pytest.mark.slow
    def test_paths_and_optimum(self, model, vae, x):
        models = {"VAE": vae, "VLAE": model}
        figure = plots.update_paths(models, x[:1], T=3, points=9)
        assert [axes.get_title() for axes in figure.axes] == list(models)
        for axes, each in zip(figure.axes, models.values(), strict=True):
            path, _, star = axes.lines
            T = 3 if each.refines else None
            np.testing.assert_allclose(
                path.get_xydata(), each.path(x[:1], T)[:, 0]
            )
            optimum = diagnostics.elbo_landscape(each, x[:1], points=9).optimum
            np.testing.assert_allclose(star.get_xydata()[0], optimum)

    def test_other_latents_are_refused(self, toy, x):
        with invalid("models", 1):
            plots.update_paths({"toy": toy}, x[:1])


class TestManifold:
    def test_borders_are_where_a_unit_turns(self, toy):
        kernel, bias = toy.decoder.get_weights()[:2]
        kinks = -bias / kernel[0]
        expected = np.sort(kinks[np.abs(kinks) < 4])
        assert len(expected) > 1
        found = plots.region_borders(toy)
        np.testing.assert_allclose(found, expected, atol=0.005)

    def test_curve_and_data(self, toy):
        data = normal(20, 2)
        axes = only_axes(plots.manifold(toy, data, points=401))
        cloud, curve, dots = axes.lines
        np.testing.assert_array_equal(cloud.get_xydata(), data)
        z = np.linspace(-4, 4, 401)[:, None]
        np.testing.assert_allclose(curve.get_xydata(), toy.decode(z))
        borders = plots.region_borders(toy, points=401)[:, None]
        np.testing.assert_allclose(dots.get_xydata(), toy.decode(borders))

    def test_mode_update(self, toy):
        x = normal(1, 2, seed=4)
        figure = plots.mode_update(toy, x, T=2)
        path = toy.path(x, 2)
        assert len(figure.axes) == 2
        for t, axes in enumerate(figure.axes):
            assert axes.get_title() == f"update {t + 1}"
            *_, tangent, start, end, data = axes.lines
            np.testing.assert_allclose(start.get_xydata(), toy.decode(path[t]))
            np.testing.assert_allclose(
                end.get_xydata(), toy.decode(path[t + 1])
            )
            np.testing.assert_array_equal(data.get_xydata(), x)
            # The tangent is the derivative, by finite differences.
            difference = toy.decode(path[t] + 1e-6) - toy.decode(path[t])
            slope = np.diff(tangent.get_xydata(), axis=0) / 2
            np.testing.assert_allclose(slope, difference / 1e-6, rtol=1e-5)

    def test_other_models_are_refused(self, model):
        with invalid("model"):
            plots.manifold(model)


class TestTrainers:
    points: ClassVar = [
        {"run": run, "model": name, "cpu_minutes": t, "log_likelihood": y}
        for run, name, t, y in (
            ("a", "VAE", 0.5, -900.0),
            ("a", "VAE", 2.0, 10.0),
            ("b", "VLAE, T=4", 1.5, 20.0),
            ("c", "VLAE, T=4", 3.0, 30.0),
        )
    ]

    def test_curves_have_labels_for_people(self):
        axes = only_axes(curves_plot.draw(self.points))
        assert legend(axes) == ["VAE", "VLAE, T=4 (b)", "VLAE, T=4 (c)"]
        np.testing.assert_array_equal(
            axes.lines[0].get_xydata(), [[0.5, -900], [2, 10]]
        )
        # The first moments do not count.
        assert 9 < axes.get_ylim()[0] < 10 and 30 < axes.get_ylim()[1] < 31

    def test_gaps_have_labels_for_people(self):
        rows = [
            {
                "run": run,
                "model": name,
                "log_likelihood": 1.0,
                "approximation_gap": 2.0,
                "amortization_gap": 3.0,
            }
            for run, name in (("runs/x", "VAE"), ("runs/y", "VLAE, T=4"))
        ]
        axes = only_axes(gaps_plot.draw(rows))
        labels = [text.get_text() for text in axes.get_xticklabels()]
        assert labels == ["VAE", "VLAE, T=4"]
        assert [bar.get_height() for bar in axes.patches] == [2, 2, 3, 3]

    @pytest.mark.parametrize("seeds", [1, 2])
    def test_one_seed_has_no_error_bars(self, seeds):
        row = {"dataset": "mnist", "model": "vlae", "T": 4, "seeds": seeds}
        for name in ("own", "laplace"):
            row |= {name: 5.0, f"{name}_spread": 0.5 * (seeds - 1)}
        (axes,) = comparison_plot.draw([row]).axes
        assert axes.containers[0].has_yerr == (seeds > 1)
        labels = [text.get_text() for text in axes.get_xticklabels()]
        assert labels == ["VLAE\nT=4"]


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"tf_vlae\[trainers\]"):
        plots.coverage(diagnostics.of_depths(np.array([0.5])))
