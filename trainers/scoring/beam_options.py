"""The options of a pipeline, from a command line."""

from absl import app
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.options.pipeline_options import StandardOptions

# What DirectRunner comes down to, after it has asked the network for another.
_LOCAL = "apache_beam.runners.portability.fn_api_runner.FnApiRunner"


def parse(arguments):
    """The options of a pipeline.

    Args:
        arguments: list of str, the flags that are not those of the program.

    Returns:
        `PipelineOptions`, by default of a runner in this process. What it
        does not know is refused; other runners may have flags of their own.
    """
    options = PipelineOptions(arguments)
    standard = options.view_as(StandardOptions)
    if standard.runner in (None, "DirectRunner", "Direct"):
        standard.runner = _LOCAL
        parsers = []
        options.get_all_options(add_extra_args_fn=parsers.append)
        _, unknown = parsers[0].parse_known_args(arguments)
        if unknown:
            raise app.UsageError(f"Unknown flags: {' '.join(unknown)}")
    return options
