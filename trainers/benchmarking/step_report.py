"""The results of a benchmark as a table and as a CSV file."""

import itertools
import operator

from trainers.benchmarking.grid import EVALUATED
from trainers.common import tables

_COLUMNS = (
    "threads",
    "size",
    "data",
    "pixels",
    "form",
    "T",
    "cpu_ms",
    "cpu_ms_q1",
    "cpu_ms_q3",
    "wall_ms",
    "steps",
    "direct_ratio",
    "memory_mib",
    "matmul_gflop",
    "peak_gflops",
    "peak_share",
    "samples_per_cpu_second",
    "samples_per_second",
)
_HEADER = (
    f"{'':14}{'CPU ms':>10}{'quartiles':>19}{'wall ms':>10}"
    f"{'direct/form':>13}{'memory MiB':>12}{'matmul peak':>13}"
)


def add_ratios(rows):
    """Adds how many times longer the direct form takes, where it is there.

    Args:
        rows: list of dicts. Those with a direct form of the same threads,
            size, data and T get a `direct_ratio`.
    """

    def key(row):
        return tuple(row[name] for name in ("threads", "size", "data", "T"))

    direct = {key(row): row for row in rows if row["form"] == "direct"}
    for row in rows:
        if key(row) in direct and row["form"] != EVALUATED.form:
            row["direct_ratio"] = direct[key(row)]["cpu_ms"] / row["cpu_ms"]


def write_csv(rows, path):
    """Writes a line for each row.

    Args:
        rows: list of dicts.
        path: `pathlib.Path`.
    """
    tables.write_csv(path, rows, _COLUMNS)


def table(rows):
    """The rows as people read them, a paragraph for each group.

    Args:
        rows: list of dicts, those of a group side by side.

    Returns:
        A str.
    """
    lines = []
    for threads, own in _grouped(rows, "threads"):
        lines += ["", f"{threads} thread{'s' if threads > 1 else ''}", _HEADER]
        steps = [row for row in own if row["form"] != EVALUATED.form]
        for (size, data), group in _grouped(steps, "size", "data"):
            lines += ["", f"{size} {data}"]
            lines += map(_step_line, sorted(group, key=lambda row: row["T"]))
        lines += [
            "",
            *(_evaluation_line(row) for row in own if row not in steps),
        ]
    return "\n".join(lines)


def _grouped(rows, *names):
    """Rows that are side by side and agree, with the values they share."""
    return [
        (values, list(group))
        for values, group in itertools.groupby(
            rows, operator.itemgetter(*names)
        )
    ]


def _step_line(row):
    updates = f"T={row['T']}" if row["T"] else ""
    quartiles = f"{row['cpu_ms_q1']:.1f} - {row['cpu_ms_q3']:.1f}"
    ratio = f"{row['direct_ratio']:.1f}" if "direct_ratio" in row else ""
    return (
        f" {row['form']:<9}{updates:<4}{row['cpu_ms']:>10.1f}{quartiles:>19}"
        f"{row['wall_ms']:>10.1f}{ratio:>13}{row['memory_mib']:>12.0f}"
        f"{row['peak_share']:>13.0%}"
    )


def _evaluation_line(row):
    return (
        f"evaluation of {row['size']} {row['data']}: "
        f"{row['samples_per_cpu_second']:,.0f} importance samples per CPU "
        f"second, {row['samples_per_second']:,.0f} per second,\n"
        f"{row['peak_share']:.0%} of the matrix-multiply peak of "
        f"{row['peak_gflops']:.0f} GFLOP per CPU second"
    )
