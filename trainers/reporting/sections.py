"""The parts of a page, each a function of what was found."""

import numpy as np

from tf_vlae import diagnostics
from tf_vlae import plots
from trainers.reporting import pictures
from trainers.reporting.markup import element
from trainers.reporting.markup import join
from trainers.reporting.markup import table

_LEVELS = (0.5, 0.9)
_QUANTITIES = {
    "val_elbo": "validation ELBO",
    "elbo": "training ELBO",
    "val_reconstruction": "validation reconstruction",
    "reconstruction": "training reconstruction",
    "val_kl": "validation KL",
    "kl": "training KL",
}
_GAPS = (
    "log_likelihood",
    "elbo",
    "approximation_gap",
    "amortization_gap",
    "active_units",
    "rate",
    "distortion",
)


def results(found):
    """The results of all runs.

    Args:
        found: dict from labels to `Findings`, as in all of these.

    Returns:
        A `Markup`, as all of these.
    """
    rows = [_result(label, each) for label, each in found.items()]
    note = (
        "Test log-likelihood by importance sampling, with its standard error "
        "over the images: from the run's own posterior, as the paper has it, "
        "and from the Laplace posterior, the same estimator for all models."
    )
    return join(
        table("Test set and training", rows), element("p", note, class_="note")
    )


def settings(found):
    """The settings in which runs differ, and those that they share."""
    every = [each.settings for each in found.values()]
    names = sorted(set().union(*every))
    differ = [n for n in names if len({s.get(n) for s in every}) > 1]
    shared = [n for n in names if n not in differ]
    parts = []
    if differ:
        rows = [
            {"run": label} | {n: each.settings.get(n) for n in differ}
            for label, each in found.items()
        ]
        parts.append(table("Settings that differ", rows))
    elif len(found) > 1:
        parts.append(element("p", "The runs have the same settings."))
    if shared:
        rows = [{"setting": n, "value": every[0][n]} for n in shared]
        name = "Settings that all share" if len(found) > 1 else "Settings"
        content = table(name, rows)
        parts.append(element("details", element("summary", name), content))
    return join(*parts)


def curves(found):
    """Lines of the history, drawn by the browser: see `chart_data`."""
    return _chart("curves", "What is drawn", "Training curves")


def calibration(found):
    """How often regions of q hold the truth, as a chart and a table."""
    rows = []
    for label, each in found.items():
        shares = diagnostics.of_depths(each.coverage.depths, _LEVELS).shares
        k_hat = each.proposal.k_hat
        rows.append(
            {
                "run": label,
                "in 50 %": _percent(shares[0]),
                "in 90 %": _percent(shares[1]),
                "coverage error": each.coverage.expected_error,
                "k-hat": float(np.median(k_hat)),
                "k-hat > 0.7": _percent(np.mean(k_hat > 0.7)),
            }
        )
    pairs = min(len(each.coverage.depths) for each in found.values())
    images = min(len(each.proposal.k_hat) for each in found.values())
    note = (
        "How often the region of q(z|x) with a probability holds the true z, "
        f"for {pairs} pairs of z and x from the model itself: lines below the "
        "diagonal are too sure of themselves. k-hat is the median Pareto shape "
        f"of the importance weights of {images} test images; above 0.7 do not "
        "trust estimates from them."
    )
    return join(
        _chart("coverage", None, "Coverage at all levels"),
        table("Coverage and importance weights", rows),
        element("p", note, class_="note"),
    )


def covariance(found):
    """Covariance matrices of q for the first test image, on one scale."""
    matrices = {label: each.covariance for label, each in found.items()}
    names = "; ".join(matrices)
    alt = f"Covariance matrices of q(z|x) for the first test image: {names}"
    caption = "Of the first test image of each run's data, on one scale."
    return element(
        "figure",
        pictures.drawing(plots.covariances(matrices), alt),
        element("figcaption", caption),
    )


def gaps(found):
    """What inference loses, as evaluate.py left it, or how to find it."""
    rows = [
        {"run": label} | {n: float(each.gaps[n]) for n in _GAPS}
        for label, each in found.items()
        if each.gaps
    ]
    if rows:
        return table("Gaps of inference", rows)
    text = (
        "Not measured. python trainers/evaluate.py --workdir=RUN --output=RUN "
        "measures them, and the next page of the run has them."
    )
    return element("p", text, class_="note")


def run(number, each):
    """All that is of one run alone.

    Args:
        number: int, of the run on this page.
        each: its `Findings`.
    """
    samples = pictures.grid(
        each.samples, f"{len(each.samples)} samples from the prior"
    )
    return join(
        element("h3", "Reconstructions"),
        _reconstructions(number, each),
        element("h3", "Samples from the prior"),
        element("figure", samples),
        element("h3", "Worst test images"),
        _extremes("log p(x)", "lowest log-likelihood", each.worst),
        element("h3", "Most surprising test images"),
        _extremes("regret", "largest Newton regret", each.surprising),
        element("h3", "Latent plane"),
        _explorer(number, each),
    )


def chart_data(found):
    """What the browser draws lines of.

    Returns:
        A dict of JSON values: charts by their ids, each a list of views with
        title, axis names, lines, and limits or None.
    """
    histories = {label: each.history for label, each in found.items()}
    views = [
        {
            "title": title,
            "x": "epoch",
            "y": f"{title} [nats]",
            "limits": None,
            "lines": [
                {"label": label, "points": [*zip(*own[name], strict=True)]}
                for label, own in histories.items()
                if name in own
            ],
        }
        for name, title in _QUANTITIES.items()
    ]
    coverage = {
        "title": "coverage",
        "x": "probability of the region, by q(z|x)",
        "y": "share of true z inside",
        "limits": [0, 1],
        "lines": [
            {
                "label": label,
                "points": [
                    [0, 0],
                    *np.transpose(each.coverage[:2]).tolist(),
                    [1, 1],
                ],
            }
            for label, each in found.items()
        ],
    }
    return {"curves": views, "coverage": [coverage]}


def _result(label, each):
    test = each.results.get("test") or {}
    seconds = each.results.get("seconds") or {}
    cpu = seconds.get("training_cpu")
    return {
        "run": label,
        "folder": each.run.folder.name,
        "data": each.run.settings.dataset,
        "test ELBO": test.get("elbo"),
        "log p(x), own": _with_error(test.get("own")),
        "log p(x), Laplace": _with_error(test.get("laplace")),
        "validation ELBO": (each.results.get("best") or {}).get("val_elbo"),
        "epochs": each.results.get("epochs"),
        "CPU minutes": None if cpu is None else cpu / 60,
        "parameters": each.results.get("parameters"),
    }


def _with_error(details):
    if not details:
        return None
    return f"{details['log_likelihood']:.2f} ± {details['standard_error']:.2f}"


def _percent(share):
    return f"{100 * share:.0f} %"


def _chart(name, choice, title):
    """A place for a chart; the browser fills it."""
    parts = []
    if choice:
        menu = element("select", id=f"{name}-choice")
        parts = [element("label", f"{choice} ", menu)]
    hint = "This chart needs JavaScript."
    return element(
        "div",
        *parts,
        element("noscript", element("p", hint)),
        class_="chart",
        id=f"chart-{name}",
        data_chart=name,
        data_title=title,
    )


def _reconstructions(number, each):
    count = len(each.data)
    data = pictures.grid(each.data, f"{count} test images")
    figure = element("figure", element("figcaption", "Test images"), data)
    if len(each.updates) == 1:
        only = pictures.grid(each.updates[0], "Their reconstructions")
        caption = element("figcaption", "Reconstructions")
        return join(figure, element("figure", caption, only))
    names = [
        f"after {t} update{'' if t == 1 else 's'}"
        for t in range(len(each.updates))
    ]
    steps = [
        pictures.grid(images, f"Their reconstructions {name}", data_step=t)
        for t, (images, name) in enumerate(
            zip(each.updates, names, strict=True)
        )
    ]
    last = len(steps) - 1
    slider = element(
        "input",
        type="range",
        id=f"updates-{number}",
        min=0,
        max=last,
        step=1,
        value=last,
        aria_valuetext=names[-1],
    )
    caption = element(
        "figcaption",
        element("label", "Reconstructions ", for_=f"updates-{number}"),
        element("output", names[-1], for_=f"updates-{number}"),
    )
    steps = element("figure", caption, slider, *steps, class_="updates")
    return join(figure, steps)


def _extremes(name, what, extremes):
    figures = []
    for each in extremes:
        text = f"Image {each.index}: {name} = {each.value:.1f}"
        alt = f"Test image {each.index}, and beside it its reconstruction"
        figures.append(
            element(
                "figure",
                pictures.grid(each.pair, alt, columns=2),
                element("figcaption", text),
            )
        )
    note = f"Those with the {what}, each beside its reconstruction."
    return join(
        element("p", note, class_="note"),
        element("div", *figures, class_="extremes"),
    )


def _explorer(number, each):
    if isinstance(each.explored, str):
        text = f"This run has no explorer: {each.explored}."
        return element("p", text, class_="note")
    note = (
        "Move the point with the mouse, a finger, the arrow keys or the "
        "sliders. The image is what the decoder makes of it. The ellipse holds "
        "90 % of the Gaussian that the decoder's local linear view has as the "
        "posterior there. Grey points are test images."
    )
    hint = element("noscript", element("p", "This needs JavaScript."))
    return join(
        element("p", note, class_="note"),
        element("div", hint, class_="explorer", data_explorer=number),
    )
