"""The page of runs, also as a browser shows it."""

import base64
import json
import re
import string

import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers import browser as browsers
from helpers import reference
from tf_vlae import diagnostics
from tf_vlae.likelihoods import logit
from trainers.reporting import explorer
from trainers.reporting import findings
from trainers.reporting import markup
from trainers.reporting import page
from trainers.reporting import pictures
from trainers.reporting import program as report_program

# It trains, in its own process.
pytestmark = pytest.mark.slow

IMAGES, PAIRS = 20, 30


class TestMarkup:
    def test_text_is_no_markup(self):
        found = markup.element("p", "<b>", markup.element("i", "&"), title='"<')
        assert found == '<p title="&quot;&lt;">&lt;b&gt;<i>&amp;</i></p>'

    def test_attributes(self):
        found = markup.element("input", for_="a", data_x=1, hidden=True, b=None)
        assert found == '<input for="a" data-x="1" hidden>'

    def test_json_cannot_end_a_script(self):
        text = page._json({"label": "</script><script>alert(1)"})
        assert "<" not in text
        assert json.loads(text)["label"].startswith("</script>")

    def test_pictures_have_the_pixels(self):
        images = np.random.default_rng(0).uniform(-0.2, 1.2, size=(3, 4, 5, 1))
        found = decoded(pictures.grid(images, "a", columns=2))
        assert found.shape == (9, 11, 2)
        expected = np.round(255 * np.clip(images, 0, 1))
        np.testing.assert_array_equal(found[5:, :5, 0], expected[2, ..., 0])
        # There is nothing between images, and none after the last.
        assert np.all(found[:4, :5, 1] == 255)
        assert not np.any(found[4, :, 1]) and not np.any(found[5:, 5:, 1])


def decoded(image):
    """The pixels of a picture, from its element."""
    content = re.search(r"data:image/png;base64,([^\"]+)", image)[1]
    return tf.io.decode_png(base64.b64decode(content)).numpy()


class TestExplorer:
    def make(self, **options):
        options = {"latent": 2, "hidden": (4,), "shape": (3, 2)} | options
        shape = options.pop("shape")
        model = tf_vlae.VAE(**options)
        model.build((None, *shape))
        return model

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            ({"latent": 3}, "3 latent dimensions"),
            ({"activation": "elu"}, "a Decoder"),
            ({"activation": "maxout"}, "Maxout"),
            ({"likelihood": "poisson"}, "Poisson"),
            ({"shape": (6,)}, "no image"),
            ({"shape": (3, 2, 2)}, "no image"),
        ],
    )
    def test_other_models_are_refused(self, options, reason):
        with pytest.raises(explorer.NotExploredError, match=reason):
            explorer.export(self.make(**options), np.zeros([0, 2]))

    def test_large_ones_are_refused(self, monkeypatch):
        monkeypatch.setattr(explorer, "_MOST_WEIGHTS", 41)
        with pytest.raises(explorer.NotExploredError, match="42 weights"):
            explorer.export(self.make(), np.zeros([0, 2]))


@pytest.fixture(scope="module")
def written(folders, tmp_path_factory):
    """The page about both runs, and what was found of each."""
    gaps = tmp_path_factory.mktemp("gaps")
    names = ("log_likelihood", "elbo", "approximation_gap", "amortization_gap")
    names += ("active_units", "rate", "distortion")
    (gaps / "gaps.csv").write_text(
        f"run,{','.join(names)}\nvlae,{','.join('1234567')}\n"
    )
    path = gaps / "page.html"
    found = []

    def measure(*arguments, measure=findings.measure):
        found.append(measure(*arguments))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(findings, "measure", measure)
        # Flags may follow.
        report_program.main(
            [
                *map(str, folders),
                f"--images={IMAGES}",
                f"--pairs={PAIRS}",
                f"--output={path}",
                f"--gaps={gaps}",
            ]
        )
    return path, found


@pytest.fixture(scope="module")
def file(written):
    return written[0]


@pytest.fixture(scope="module")
def measured(written):
    """What was found of the first run."""
    return written[1][0]


class TestFindings:
    def test_extremes(self, runs, measured):
        model, x = runs[0].model, runs[0].test_images(IMAGES)
        regret = model.regret(x).numpy()
        order = np.argsort(-regret)
        found = [each.index for each in measured.surprising]
        assert found == list(order[:6])
        assert measured.surprising[0].value == pytest.approx(regret.max())
        data, mean = measured.surprising[0].pair
        np.testing.assert_array_equal(data, x[order[0]])
        expected = model.reconstruct(x)[order[0]]
        np.testing.assert_allclose(mean, expected, rtol=1e-4, atol=1e-6)
        values = [each.value for each in measured.worst]
        assert values == sorted(values)
        proposal = tf_vlae.evaluation.laplace_proposal(model)
        lowest = model.log_likelihood(x, 50, seed=0, proposal=proposal)
        assert values[0] == pytest.approx(np.min(lowest), rel=1e-5)

    def test_the_rest_is_the_models(self, runs, measured):
        model, x = runs[0].model, runs[0].test_images(16)
        assert len(measured.updates) == 6
        np.testing.assert_allclose(
            measured.updates[3], model.reconstruct(x, T=3), rtol=1e-5
        )
        coverage = diagnostics.coverage(model, PAIRS)
        np.testing.assert_array_equal(measured.coverage.shares, coverage.shares)
        assert measured.history["val_elbo"][0] == [1, 2]
        best = measured.results["best"]["val_elbo"]
        assert max(measured.history["val_elbo"][1]) == best
        assert measured.gaps["rate"] == "6"
        # An older revision did not have all flags.
        assert measured.settings["latent"] == "2"
        assert "workdir" not in measured.settings


class TestProgram:
    def test_no_run(self, tmp_path):
        with pytest.raises(SystemExit, match=r"with model\.keras in them"):
            report_program.main([str(tmp_path)])
        with pytest.raises(SystemExit, match=r"with model\.keras in them"):
            report_program.main([])

    def test_unknown_flags(self, folders):
        with pytest.raises(SystemExit, match="--nothing"):
            report_program.main([str(folders[0]), "--nothing=1"])


class TestPage:
    def test_nothing_is_loaded(self, file):
        text = file.read_text()
        sources = re.findall(r'(?:src|href)="([^"]*)"', text)
        assert len(sources) > 20
        assert all(s.startswith(("data:image/png", "#")) for s in sources)
        assert "default-src 'none'" in text
        assert "@import" not in text and "url(" not in text.split("<script")[0]

    def test_template_is_filled(self, file):
        assert not string.Template(
            file.read_text().partition("<style>")[0]
        ).get_identifiers()

    def test_pictures_have_texts(self, file):
        images = re.findall("<img [^>]*>", file.read_text())
        assert images and all(re.search('alt="[^"]+"', i) for i in images)

    def test_samples_are_those_of_the_model(self, file, runs):
        image = re.search('<img [^>]*alt="64 samples[^>]*>', file.read_text())[
            0
        ]
        expected = runs[0].model.sample(64, seed=0).numpy()[9, ..., 0]
        found = decoded(image)[9:17, 9:17, 0]
        np.testing.assert_allclose(
            found, 255 * np.clip(expected, 0, 1), atol=0.51
        )


@pytest.fixture(scope="module")
def browser(file):
    if not browsers.IS_THERE:
        pytest.skip("chromium and chromium-driver are not installed")
    with browsers.Browser() as found:
        found.open(file.as_uri())
        yield found


class TestBrowser:
    @pytest.fixture(autouse=True)
    def no_errors(self, browser):
        yield
        assert browser.log() == []

    def test_tables(self, browser):
        rows = browser.run(
            "return [...document.querySelectorAll('tbody')].map("
            "b => [...b.rows].map(r => [...r.cells].map(c => c.textContent)))"
        )
        results, differ, *_, calibration, gaps = rows
        assert [row[0] for row in results] == ["VLAE, T=1", "VAE"]
        assert [row[1] for row in results] == ["vlae", "vae"]
        assert " ± " in results[0][4] and results[1][4] == ""
        assert differ[0] == ["VLAE, T=1", "2", "vlae", "True"]
        assert [row[0] for row in calibration] == ["VLAE, T=1", "VAE"]
        assert [float(cell) for cell in gaps[0][1:]] == [1, 2, 3, 4, 5, 6, 7]

    def test_curves(self, browser, measured):
        legend = "return document.querySelector('#chart-curves .legend')"
        values = measured.history["val_elbo"][1]
        text = browser.run(f"{legend}.textContent")
        assert f"VLAE, T=1: {round(values[1], 3):g}"[:18] in text
        browser.run("document.querySelector('#chart-curves svg').focus()")
        # To the left.
        browser.press("\ue012")
        text = browser.run(f"{legend}.firstChild.textContent")
        assert float(text.split(": ")[1]) == pytest.approx(values[0], abs=1e-3)
        browser.run(
            "const menu = document.querySelector('#curves-choice');"
            "menu.value = 5; menu.dispatchEvent(new Event('change'))"
        )
        text = browser.run(f"{legend}.firstChild.textContent")
        expected = measured.history["kl"][1][1]
        assert float(text.split(": ")[1]) == pytest.approx(expected, abs=1e-3)

    def test_values_on_hover(self, browser, measured):
        x, y = browser.run(
            "const chart = document.querySelector('#chart-coverage svg');"
            "chart.scrollIntoView(); const b = chart.getBoundingClientRect();"
            "return [b.left + b.width / 2, b.top + b.height / 2]"
        )
        browser.click(x, y)
        text = browser.run(
            "return document.querySelector('#chart-coverage').innerText"
        )
        level = float(re.search(r"At .*: ([\d.]+)\.", text)[1])
        assert 0.4 < level < 0.6
        (index,) = np.flatnonzero(np.isclose(measured.coverage.levels, level))
        share = float(re.search(r"VLAE, T=1: ([\d.]+)", text)[1])
        expected = measured.coverage.shares[index]
        assert share == pytest.approx(expected, abs=1e-3)

    def test_slider_changes_the_image(self, browser, measured):
        sources = {}
        for t in (5, 0):
            sources[t] = browser.run(
                "const slider = document.querySelector('#updates-0');"
                "slider.value = arguments[0];"
                "slider.dispatchEvent(new Event('input'));"
                "const shown = [...document.querySelectorAll('.updates img')]"
                ".filter(i => i.offsetParent !== null);"
                "return [shown.length, shown[0].src + '\"', "
                "slider.getAttribute('aria-valuetext')]",
                t,
            )
            count, source, text = sources[t]
            assert (count, text) == (1, f"after {t} updates")
            found = decoded(source)[:8, :8, 0]
            expected = 255 * np.clip(measured.updates[t][0, ..., 0], 0, 1)
            np.testing.assert_allclose(found, expected, atol=0.51)
        assert sources[0][1] != sources[5][1]

    def explored(self, browser):
        """Where the explorer is, and the pixels of its image."""
        z, pixels = browser.run(
            "const canvas = document.querySelector('.explorer canvas');"
            "const data = canvas.getContext('2d').getImageData(0, 0, 8, 8);"
            "const sliders = document.querySelectorAll('.explorer input');"
            "return [[...sliders].map(s => Number(s.value)), [...data.data]]"
        )
        return np.array([z], np.float32), np.reshape(pixels, [8, 8, 4])

    def assert_is_decoded(self, model, z, pixels):
        expected = 255 * np.clip(model.decode(z)[0, ..., 0], 0, 1)
        # The slider rounds z to its steps.
        assert np.max(np.abs(pixels[..., 0] - expected)) <= 1
        assert np.all(pixels[..., 0] == pixels[..., 2])
        assert np.all(pixels[..., 3] == 255)

    def test_explorer_follows_keys_and_pointers(self, browser, runs):
        places = browser.run(
            "const plane = document.querySelector('.plane');"
            "plane.scrollIntoView(); plane.focus();"
            "const b = plane.getBoundingClientRect();"
            "return [b.left + 0.7 * b.width, b.top + 0.2 * b.height]"
        )
        model = runs[0].model
        z, pixels = self.explored(browser)
        np.testing.assert_array_equal(z, [[0, 0]])
        self.assert_is_decoded(model, z, pixels)
        # Right, right, up.
        browser.press("\ue014", "\ue014", "\ue013")
        z, pixels = self.explored(browser)
        np.testing.assert_allclose(z, [[0.2, 0.1]], atol=0.006)
        self.assert_is_decoded(model, z, pixels)
        for pointer in ("mouse", "touch"):
            browser.press("\ue012")
            browser.click(*places, pointer)
            z, pixels = self.explored(browser)
            extent = browser.run(
                "return Number(document.querySelector('.explorer input').max)"
            )
            np.testing.assert_allclose(
                z / extent, [[0.4, 0.6]], atol=0.01 + 0.01 / extent
            )
            self.assert_is_decoded(model, z, pixels)

    def test_one_run_has_no_plane(self, browser):
        text = browser.run("return document.body.innerText")
        assert "no explorer: it has 3 latent dimensions" in text
        count = "return document.querySelectorAll('.plane').length"
        assert browser.run(count) == 1

    @pytest.mark.parametrize(
        "options",
        [
            {"hidden": (5, 4)},
            {"hidden": (5,), "activation": "leaky_relu"},
            {"hidden": (), "likelihood": "logit_gaussian"},
            {"hidden": (4,), "likelihood": "bernoulli"},
        ],
    )
    def test_browser_computes_what_the_model_does(self, browser, options):
        model = tf_vlae.VLAE(2, seed=0, dtype="float64", **options)
        model.build((None, 3, 2, 3))
        reference.randomize(model.trainable_variables)
        # As the page has them.
        for weight in model.decoder.weights:
            weight.assign(np.float32(weight))
        z = np.array([[0.3, -1.2]])
        exported = explorer.export(model, z)
        found = browser.run(
            "return new Decoder(arguments[0]).at(arguments[1])",
            exported,
            z[0].tolist(),
        )
        expected = model.decode(z).numpy()
        if options.get("likelihood") == "logit_gaussian":
            expected = logit.inverse(tf.constant(expected))
        np.testing.assert_allclose(
            found["image"], np.ravel(expected), rtol=1e-7
        )
        x = np.zeros([1, 3, 2, 3])
        a, b, c = found["precision"]
        precision = model.joint(x).at(tf.constant(z)).precision()[0]
        np.testing.assert_allclose([[a, b], [b, c]], precision, rtol=1e-6)
        border = browser.run(
            "return ellipse(...arguments)", z[0].tolist(), [a, b, c]
        )
        away = np.array(border) - z
        squares = np.einsum("ni,ij,nj->n", away, precision, away)
        # The 90 % quantile of chi-squared with two degrees of freedom.
        np.testing.assert_allclose(squares, 4.605170, rtol=1e-6)

    def test_fits_a_phone_in_the_dark(self, browser):
        browser.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=360,
            height=640,
            deviceScaleFactor=1,
            mobile=True,
        )
        browser.devtools(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark"}],
        )
        width, colors = browser.run(
            "const style = getComputedStyle(document.body);"
            "return [document.documentElement.scrollWidth, "
            "[style.color, style.backgroundColor]]"
        )
        assert width <= 360
        ink, paper = (np.mean(eval(c.removeprefix("rgb"))) for c in colors)
        assert ink > 200 > 60 > paper

    def test_controls_have_names(self, browser):
        tree = browser.devtools("Accessibility.getFullAXTree")["nodes"]
        roles = ("slider", "combobox", "image", "application", "link")
        nodes = [
            (node["role"]["value"], node.get("name", {}).get("value"))
            for node in tree
            if not node["ignored"] and node["role"]["value"] in roles
        ]
        assert {role for role, _ in nodes} == set(roles)
        assert all(name for _, name in nodes), nodes
