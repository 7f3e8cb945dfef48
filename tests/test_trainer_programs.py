"""Programs with flags of their own, in one process and as a command."""

import pytest
from absl import app
from absl import flags

from helpers import trainer_runs
from trainers.common import flagfiles
from trainers.common.program import Program


def define_flags(values):
    flags.DEFINE_integer("n", 1, "A number.", 0, flag_values=values)
    flags.DEFINE_boolean("loud", False, "How.", flag_values=values)


def program(**options):
    """A program, and the list of what it was run with."""
    found = []

    def run(values, *more):
        found.append((values.n, values.loud, *more))

    return Program(run, define_flags, **options), found


class TestInOneProcess:
    def test_each_run_has_flags_of_its_own(self):
        main, found = program()
        for arguments in (["--n=3", "--loud"], [], ["--n=4", "--n", "5"]):
            main(arguments)
        assert found == [(3, True), (1, False), (5, False)]
        assert "n" not in flags.FLAGS

    def test_undefok(self):
        main, found = program()
        main(["--undefok=other", "--other=1", "--n=2"])
        assert found == [(2, False)]

    @pytest.mark.parametrize(
        ("argument", "words"),
        [
            ("--n=x", "flag --n=x"),
            ("--n=-1", "flag --n=-1"),
            ("--loudd", "'loudd'. Did you mean: loud"),
            ("--n", "Missing value for flag --n"),
        ],
    )
    def test_bad_flags_are_named(self, argument, words):
        main, found = program()
        with pytest.raises(SystemExit) as caught:
            main([argument])
        assert words in str(caught.value)
        assert "--help" in str(caught.value)
        assert not found

    def test_other_arguments_are_refused(self):
        main, found = program()
        with pytest.raises(app.UsageError, match=r"flags alone.*more"):
            main(["--n=2", "more"])
        assert not found

    def test_other_arguments_are_given_to_those_who_take_them(self):
        main, found = program(takes_more=True)
        main(["--runner=a", "--n=2"])
        assert found == [(2, False, ["--runner=a"])]


class TestFlagfiles:
    def test_included_ones_are_beside_those_that_include(self, tmp_path):
        (tmp_path / "common").mkdir()
        (tmp_path / "a").write_text("# Why.\n--flagfile=common/b\n--x=1\n\n")
        (tmp_path / "common" / "b").write_text("--flagfile=c\n--y=2\n")
        (tmp_path / "common" / "c").write_text("// Why.\n--x=0\n--z\n")
        expected = ["--x=0", "--z", "--y=2", "--x=1"]
        for form in (
            [f"--flagfile={tmp_path}/a"],
            ["-flagfile", f"{tmp_path}/a"],
        ):
            found = flagfiles.expanded(["name", *form, "--x=3"])
            assert found == ["name", *expected, "--x=3"]

    def test_those_of_the_current_folder_are_found_too(
        self, tmp_path, monkeypatch
    ):
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "a").write_text("--flagfile=b\n")
        (tmp_path / "b").write_text("--n=7\n")
        monkeypatch.chdir(tmp_path)
        main, found = program()
        main(["--flagfile=folder/a"])
        assert found == [(7, False)]

    def test_one_that_includes_itself_is_refused(self, tmp_path):
        (tmp_path / "a").write_text("--flagfile=b\n")
        (tmp_path / "b").write_text("--flagfile=a\n")
        main, _ = program()
        with pytest.raises(SystemExit, match="a includes itself"):
            main([f"--flagfile={tmp_path}/a"])

    def test_what_is_no_flag_is_left_alone(self, tmp_path):
        (tmp_path / "a").write_text("--x=1")
        arguments = ["--", f"--flagfile={tmp_path}/a"]
        assert flagfiles.expanded(arguments) == arguments


class TestCommandLine:
    @pytest.mark.slow
    def test_a_bad_flag_is_an_error(self):
        process = trainer_runs.command("main.py", "--latents=3")
        assert process.returncode == 1
        assert "'latents'. Did you mean: latent ?" in process.stderr
        assert process.stderr.endswith("Pass --help to see the flags.\n")

    @pytest.mark.slow
    def test_help_is_the_docstring_and_the_flags(self):
        process = trainer_runs.call("evaluate.py", "--help")
        text = process.stdout
        assert text.startswith("Shows why trained runs are as good as they are")
        for name in ("workdir", "data_dir", "images", "output"):
            assert f"  --{name}: " in text
        # Those of training are not its own.
        assert "--latent" not in text
