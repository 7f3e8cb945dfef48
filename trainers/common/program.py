import sys

from absl import app
from absl import flags
from absl import logging

from trainers.common import flagfiles
from trainers.common import interrupts


class Program:
    """A program with flags of its own.

    It starts from a command line, as others do by `absl.app.run`, and runs in
    any process as often as it is called, each time with new flags.

    Args:
        run: function of the parsed `flags.FlagValues`.
        define_flags: function that defines the flags in the
            `flags.FlagValues` that it gets.
        takes_more: bool. Whether `run` takes a list of all other arguments
            as well, which are refused otherwise.

    Example:
    >>> def define_flags(values):
    ...     flags.DEFINE_integer("n", 1, "A number.", flag_values=values)
    >>> program = Program(lambda values: print(values.n), define_flags)
    >>> program(["--n=3"])
    3
    """

    def __init__(self, run, define_flags, takes_more=False):
        self._run = run
        self._define_flags = define_flags
        self._takes_more = takes_more

    def __call__(self, arguments):
        """Runs in this process.

        Args:
            arguments: list of str, as after the name of the program.
        """
        values = self._new_values()
        self._run_parsed(values, self._parse(values, ["", *arguments]))

    def parse(self, arguments):
        """The flags of a command line, without a run.

        Args:
            arguments: list of str, as after the name of the program.

        Returns:
            The parsed `flags.FlagValues`.
        """
        values = self._new_values()
        self._parse(values, ["", *arguments])
        return values

    def start(self):
        """Runs from the command line, and ends the process.

        The flags join those that absl has for all programs, and --help shows
        them below the docstring of the script. See `interrupts` for SIGTERM
        and Ctrl-C.
        """
        interrupts.install()
        values = self._new_values()
        flags.FLAGS.append_flag_values(values)
        for name in values:
            flags.FLAGS.register_flag_by_module(sys.argv[0], values[name])
        # Libraries are talkative; --verbosity=0 lets them.
        logging.set_verbosity(logging.WARNING)

        def main(argv):
            values.mark_as_parsed()
            self._run_parsed(values, argv)

        app.run(main, flags_parser=lambda argv: self._parse(flags.FLAGS, argv))

    def _new_values(self):
        values = flags.FlagValues()
        self._define_flags(values)
        return values

    def _parse(self, values, argv):
        """Parses the flags, and returns what is left of the arguments."""
        # Flags may follow what is no flag.
        values.set_gnu_getopt()
        try:
            return values(flagfiles.expanded(argv), known_only=self._takes_more)
        except flags.Error as error:
            sys.exit(
                f"FATAL Flags parsing error: {error}\n"
                "Pass --help to see the flags."
            )

    def _run_parsed(self, values, argv):
        _, *more = argv
        if self._takes_more:
            self._run(values, more)
        elif more:
            raise app.UsageError(f"Expected flags alone. Received: {more}")
        else:
            self._run(values)
