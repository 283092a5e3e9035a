"""stdout is the result, stderr the rest; help, versions, errors, readers that go away."""
import os
import subprocess

from program import BIN, TestCase, environment, main


class Output(TestCase):
    def test_help_starts_with_three_examples(self):
        for words in (["--help"], ["-h"], ["help"]):
            result = self.gpustall(*words)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            examples = [l for l in result.stdout.decode().split("\n")[:8] if l.startswith("  gpustall ")]
            self.assertEqual(len(examples), 3)

    def test_every_command_has_help_with_an_example(self):
        everything = self.gpustall("help", "all").stdout.decode()
        for name in ("run", "report", "diff", "check", "gaps", "export", "collect", "dump", "env", "causes", "completions"):
            one = self.gpustall(name, "--help")
            self.assertEqual(one.returncode, 0)
            self.assertIn("Usage: gpustall " + name, one.stdout.decode())
            self.assertIn("Usage: gpustall " + name, everything)

    def test_without_a_command_the_help_is_an_error(self):
        result = self.gpustall()
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(b"gpustall run -- python train.py", result.stderr)

    def test_usage_errors_are_one_line_and_exit_2(self):
        for words in (["nonsense"], ["report"], ["report", "a", "b"], ["report", "x", "--top", "no"],
                      ["gaps", "x", "--cause", "no.such"], ["causes", "no.such"], ["help", "no"],
                      ["--color", "pink", "causes"]):
            result = self.gpustall(*words)
            self.assertEqual((result.returncode, result.stdout), (2, b""), words)
            self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; [^\n]+\n$")

    def test_empty_values_are_usage_errors(self):
        for words in (["report", "x", "--html", ""], ["report", "x", "--html="], ["report", ""],
                      ["collect", "x", "-o", ""], ["export", "x", "--chrome", "a", "--window", ""],
                      ["export", "x", "--chrome", "", "--csv", "a"], ["gaps", "x", "--cause", ""],
                      ["env", "-o", ""], ["env", "--range", ""], ["diff", "x", "y", "--html", ""]):
            result = self.gpustall(*words)
            self.assertEqual((result.returncode, result.stdout), (2, b""), words)
            self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; [^\n]+\n$")
        for words in (["-o", ""], ["--output="], ["--live="]):
            result = self.gpustall("run", *words, "true")
            self.assertEqual(result.returncode, 125, words)
            self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; [^\n]+\n$")
        self.assertEqual(os.listdir(self.folder), [])

    def test_version_names_the_trace_format(self):
        result = self.gpustall("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout.decode(), r"^gpustall \d+\.\d+\.\d+.*\ntrace format \d+ ")

    def test_a_reader_that_goes_away_is_no_error(self):
        for restore in (True, False):  # SIGPIPE at its default, and ignored
            read, write = os.pipe()
            os.close(read)
            result = subprocess.run([BIN, "causes"], stdout=write, stderr=subprocess.PIPE,
                                    env=environment(), restore_signals=restore)
            os.close(write)
            self.assertEqual(result.stderr, b"")

    def test_a_full_or_closed_output_is_an_error(self):
        with open("/dev/full", "wb") as full:
            result = self.gpustall("causes", stdout=full)
            self.assertEqual(result.returncode, 1)
            self.assertIn(b"No space left", result.stderr)
        result = subprocess.run(["/bin/sh", "-c", 'exec "$0" causes >&-', BIN], env=environment(),
                                capture_output=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"cannot write to standard output", result.stderr)

    def test_completions_are_valid_shell(self):
        for shell in ("bash", "zsh"):
            text = self.gpustall("completions", shell).stdout
            self.assertEqual(subprocess.run(["bash", "-n"], input=text).returncode, 0)
        script = self.gpustall("completions", "bash").stdout.decode() + """
COMP_WORDS=(gpustall report --js); COMP_CWORD=2; _gpustall; echo "${COMPREPLY[*]}"
COMP_WORDS=(gpustall re); COMP_CWORD=1; _gpustall; echo "${COMPREPLY[*]}"
"""
        done = subprocess.run(["bash", "-c", script], capture_output=True)
        self.assertEqual(done.stdout, b"--json\nreport\n")
        self.assertIn(b"complete -c gpustall", self.gpustall("completions", "fish").stdout)


if __name__ == "__main__":
    main()
