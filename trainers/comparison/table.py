"""The tables of a comparison."""

import statistics

from trainers.common import paper
from trainers.common import tables

_VALUES = ("own", "laplace", "elbo")
_ESTIMATORS = {"own": "own q", "laplace": "Laplace"}
_DETAILS = {
    "standard_error": "standard error",
    "effective_samples": "effective samples",
    "half": "by half of the samples",
}
# Where pixels are dequantised.
_BITS = {"bits_per_dimension": "bits per dimension"}


def rows(cells):
    """A row for each data set, model, T and budget, over the seeds.

    Args:
        cells: list of finished `Cell`.

    Returns:
        A list of dicts: means over the seeds, and their spread, the standard
        deviation, which is 0 of one seed.
    """
    groups = {}
    for cell in cells:
        kind = cell.dataset, cell.logit, cell.size, cell.model, cell.T
        key = *kind, cell.minutes
        groups.setdefault(key, []).append(cell)
    return [_row(*key, group) for key, group in groups.items()]


def _row(dataset, logit, size, model, T, minutes, cells):
    found = [cell.results() for cell in cells]
    data = f"{dataset}, logit" if logit else dataset
    row = {"dataset": data, "size": size, "model": model, "T": T}
    row["minutes"] = minutes
    row["seeds"] = len(cells)
    row["epochs"] = cells[0].epochs
    for name, get in {
        "own": lambda test: test["own"]["log_likelihood"],
        "laplace": lambda test: test["laplace"]["log_likelihood"],
        "elbo": lambda test: test["elbo"],
    }.items():
        values = [get(each["test"]) for each in found]
        row[name] = statistics.mean(values)
        row[f"{name}_spread"] = (
            statistics.stdev(values) if len(values) > 1 else 0.0
        )
    for estimator in _ESTIMATORS:
        for name in _DETAILS | _BITS:
            values = [each["test"][estimator].get(name) for each in found]
            row[f"{estimator}_{name}"] = (
                None if None in values else statistics.mean(values)
            )
    row["cpu_minutes"] = statistics.mean(
        each["seconds"]["training_cpu"] / 60 for each in found
    )
    row["cpu_seconds_per_epoch"] = statistics.mean(
        each["seconds"]["training_cpu"] / each["epochs"] for each in found
    )
    # The paper does not dequantise.
    row["paper"] = None if logit else paper.figure(dataset, size, model, T)
    return row


def markdown(rows):
    """The tables for people: results, and how good the estimates are.

    With budgets there is another, of the time until the paper's figures.

    Args:
        rows: list of dicts, as of `rows`.

    Returns:
        A str.
    """
    times = until_paper(rows)
    found = [_results(rows), _estimates(rows)]
    return "\n".join([*found, tables.markdown(times)] if times else found)


def until_paper(rows):
    """The CPU time in which each model passes the paper's log-likelihood.

    Args:
        rows: list of dicts, as of `rows`.

    Returns:
        A list of dicts, for models with a budget that the paper has too. A
        model passes it with the first budget that suffices.
    """
    groups = {}
    for row in rows:
        if row["minutes"] is not None and row["paper"] is not None:
            key = row["dataset"], row["model"], row["T"]
            groups.setdefault(key, []).append(row)
    return [
        {
            "data": dataset,
            "model": model,
            "T": T or "",
            "paper, 2000 epochs": group[0]["paper"],
            **{
                f"CPU min until then, {text}": _first_above(group, estimator)
                for estimator, text in _ESTIMATORS.items()
            },
        }
        for (dataset, model, T), group in groups.items()
    ]


def _first_above(rows, estimator):
    """CPU minutes of the first budget that suffices, as people read them."""
    times = [row["cpu_minutes"] for row in rows]
    enough = [
        row["cpu_minutes"] for row in rows if row[estimator] >= row["paper"]
    ]
    return f"{min(enough):.1f}" if enough else f"more than {max(times):.1f}"


def _results(rows):
    """The results, the best of a data set and a budget in bold."""
    best = {}
    for row in rows:
        for name in _VALUES:
            key = row["dataset"], row["minutes"], name
            best[key] = max(row[name], best.get(key, row[name]))

    def value(row, name):
        text = f"{row[name]:.2f}"
        if row["seeds"] > 1:
            text += f" +- {row[f'{name}_spread']:.2f}"
        is_best = row[name] == best[row["dataset"], row["minutes"], name]
        return f"**{text}**" if is_best else text

    has_bits = any(row["own_bits_per_dimension"] for row in rows)
    bits = _BITS if has_bits else {}
    return tables.markdown(
        [
            {
                **_name(row),
                "log p(x), own q": value(row, "own"),
                "log p(x), Laplace": value(row, "laplace"),
                **_of_estimators(row, bits),
                "ELBO": value(row, "elbo"),
                "paper, 2000 epochs": row["paper"],
                "epochs": row["epochs"],
                "seeds": row["seeds"],
                **_time(row),
            }
            for row in rows
        ]
    )


def _estimates(rows):
    """What there is to know of both estimates of log p(x)."""
    return tables.markdown(
        [{**_name(row), **_of_estimators(row, _DETAILS)} for row in rows]
    )


def _of_estimators(row, columns):
    """Columns for each of the two estimates."""
    return {
        f"{text}, {estimator}": row[f"{key}_{name}"]
        for key, estimator in _ESTIMATORS.items()
        for name, text in columns.items()
    }


def _time(row):
    if row["minutes"] is None:
        return {"CPU s per epoch": row["cpu_seconds_per_epoch"]}
    return {"CPU min": row["cpu_minutes"]}


def _name(row):
    budget = {}
    if row["minutes"] is not None:
        budget = {"budget, CPU min": f"{row['minutes']:g}"}
    return {
        "data": row["dataset"],
        **budget,
        "model": row["model"],
        "T": row["T"] or "",
    }
