"""The table of a comparison."""

import statistics

from trainers import paper
from trainers import tables

_VALUES = ("own", "laplace", "elbo")


def rows(cells):
    """A row for each data set, model and T, over the seeds.

    Args:
        cells: list of finished `Cell`.

    Returns:
        A list of dicts: means over the seeds, and their spread, the standard
        deviation, which is 0 of one seed.
    """
    groups = {}
    for cell in cells:
        key = cell.dataset, cell.size, cell.model, cell.T
        groups.setdefault(key, []).append(cell)
    return [_row(*key, group) for key, group in groups.items()]


def _row(dataset, size, model, T, cells):
    found = [cell.results() for cell in cells]
    row = {"dataset": dataset, "size": size, "model": model, "T": T}
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
    for name in ("half", "standard_error", "effective_samples"):
        for estimator in ("own", "laplace"):
            row[f"{estimator}_{name}"] = statistics.mean(
                each["test"][estimator][name] for each in found
            )
    row["cpu_seconds_per_epoch"] = statistics.mean(
        each["seconds"]["training_cpu"] / each["epochs"] for each in found
    )
    row["paper"] = paper.figure(dataset, size, model, T)
    return row


def markdown(rows):
    """The table for people: the best values of a data set in bold.

    Args:
        rows: list of dicts, as of `rows`.

    Returns:
        A str.
    """
    best = {}
    for row in rows:
        for name in _VALUES:
            key = row["dataset"], name
            best[key] = max(row[name], best.get(key, row[name]))

    def value(row, name):
        text = f"{row[name]:.2f}"
        if row["seeds"] > 1:
            text += f" +- {row[f'{name}_spread']:.2f}"
        is_best = row[name] == best[row["dataset"], name]
        return f"**{text}**" if is_best else text

    return tables.markdown(
        [
            {
                "data": row["dataset"],
                "model": row["model"],
                "T": row["T"] or "",
                "log p(x), own q": value(row, "own"),
                "log p(x), Laplace": value(row, "laplace"),
                "ELBO": value(row, "elbo"),
                "paper, 2000 epochs": row["paper"] or "",
                "epochs": row["epochs"],
                "seeds": row["seeds"],
                "CPU s per epoch": row["cpu_seconds_per_epoch"],
            }
            for row in rows
        ]
    )
