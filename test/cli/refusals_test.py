"""What `gpustall run` refuses before anything starts, and with which status."""
import os
import shutil
import stat
import unittest

from program import VICTIMS, TestCase, main, python


class Refusals(TestCase):
    def refused(self, code, sentence, *words, env=None):
        result = self.gpustall("run", *words, env=env)
        self.assertEqual(result.returncode, code, result.stderr)
        text = result.stderr.decode()
        self.assertIn(sentence, text)
        self.assertRegex(text.split("\n")[-2], r"^gpustall: error: .+; .+$")
        self.assertEqual(result.stdout, b"")
        self.assertEqual(self.recordings(), [])

    def script(self, name, first_line, mode=0o755):
        with open(self.path(name), "w") as file:
            file.write(first_line + "\n")
        os.chmod(self.path(name), mode)
        return "./" + name

    def test_a_missing_program_is_127(self):
        self.refused(127, "was not found in PATH", "no-such-program-anywhere")
        self.refused(127, "does not exist", "./no-such-program")
        self.refused(127, "the command is empty", "")

    def test_a_file_that_is_not_executable_is_126(self):
        name = self.script("train.py", "pass", 0o644)
        self.refused(126, "gpustall run -- python ./train.py", name)

    def test_a_program_below_a_folder_that_cannot_be_entered_is_126(self):
        os.mkdir(self.path("closed"))
        self.script("closed/train", "#!/bin/sh")
        os.chmod(self.path("closed"), 0)
        os.chmod(self.folder, 0o755)
        # Root may enter everything, so the test becomes somebody else.
        other = {"user": 65534} if os.geteuid() == 0 else {}
        try:
            result = self.gpustall("run", "closed/train", **other)
        except PermissionError:
            self.skipTest("SKIPPED: the program is not reachable for other users")
        finally:
            os.chmod(self.path("closed"), 0o700)
        self.assertEqual(result.returncode, 126, result.stderr)
        self.assertRegex(result.stderr.decode(), r"^gpustall: error: permission denied [^\n]+; [^\n]+\n$")

    def test_a_missing_interpreter_is_127(self):
        self.refused(127, "cannot start", self.script("x", "#!/no/such/interpreter"))

    def test_no_program_and_unknown_options_are_125(self):
        self.refused(125, "no program to run")
        self.refused(125, "--nonsense", "--nonsense", "true")
        self.refused(125, "is no size", "--max-size", "big", "true")
        for text, words in (("nope=1", "'nope' is no setting of the simulated device; there are latency_ns call_ns"),
                            ("call_ns=1,nope", "'nope' is no setting"), ("call_ns=x", "call_ns is a number of 0 or more"),
                            ("queue=0", "queue is a number of 1 or more"), ("call_ns", "call_ns is a number")):
            self.refused(125, words, "--simulate", "--simulate-settings", text, "true")
        self.refused(125, "is neither cuda-profiler nor nvtx:NAME", "--range", "x", "true")

    def test_times_beyond_a_million_seconds_are_refused(self):
        for option in ("--delay", "--duration"):
            for value in ("1e10", "1e99", "1000001", "inf", "-1"):
                self.refused(125, "is no number of seconds", option + "=" + value, "true")
            self.assertEqual(self.gpustall("env", option, "1e10").returncode, 2)
            self.assertEqual(self.gpustall("env", option, "1e6").returncode, 0)

    def test_a_static_program(self):
        static = os.path.join(VICTIMS, "cli_static_victim")
        self.refused(125, "statically linked", static)
        self.refused(125, "statically linked", self.script("x", "#!" + static))
        self.assertEqual(self.gpustall("run", "--anyway", static).returncode, 0)

    def test_a_program_with_address_sanitizer(self):
        asan = os.path.join(VICTIMS, "cli_asan_victim")
        self.refused(125, "AddressSanitizer", asan)
        self.refused(125, "AddressSanitizer", self.script("x", "#!/usr/bin/env -S " + asan))

    def test_a_set_user_id_program(self):
        victim = self.path("victim")
        shutil.copy(shutil.which("true"), victim)
        if os.getuid() == 0:
            os.chown(victim, 65534, -1)
            os.chmod(victim, 0o4755)
        else:
            victim = next((p for p in ("/usr/bin/su", "/bin/su", "/usr/bin/sudo")
                           if os.path.exists(p) and os.stat(p).st_mode & stat.S_ISUID), None)
            if victim is None:
                self.skipTest("SKIPPED: no set-user-id program here")
        self.refused(125, "runs with another user's rights", victim)

    def test_the_library_is_missing(self):
        self.refused(125, "GPUSTALL_LIB names", "true", env={"GPUSTALL_LIB": "/no/such/file.so"})

    def test_an_existing_folder_is_never_overwritten(self):
        os.mkdir(self.path("old"))
        self.refused(125, "old exists already", "-o", "old", "true")
        with open(self.path("old/r0-1.gst"), "w") as file:
            file.write("old")
        self.refused(125, "old exists already", "-o", "old", "true")
        self.assertTrue(os.path.exists(self.path("old/r0-1.gst")))

    def test_force_replaces_a_recording_and_nothing_else(self):
        os.mkdir(self.path("old"))
        for name in ("r0-1.gst", "thesis.tex"):
            with open(self.path("old/" + name), "w") as file:
                file.write("old")
        self.refused(125, "holds more than a recording (thesis.tex)", "-f", "-o", "old", "true")
        self.assertEqual(sorted(os.listdir(self.path("old"))), ["r0-1.gst", "thesis.tex"])
        os.unlink(self.path("old/thesis.tex"))
        self.assertEqual(self.gpustall("run", "-f", "-o", "old", "true").returncode, 0)
        self.assertEqual(os.listdir(self.path("old")), [])

    def test_force_deletes_nothing_when_the_run_cannot_start(self):
        os.mkdir(self.path("old"))
        with open(self.path("old/r0-1.gst"), "w") as file:
            file.write("old")
        self.refused(125, "is not installed", "--simulate", "-f", "-o", "old", "true")
        self.assertEqual(os.listdir(self.path("old")), ["r0-1.gst"])

    def test_a_folder_that_cannot_be_written(self):
        self.refused(125, "does not exist; create it", "-o", "no/such/folder", "true")
        self.refused(125, "cannot write to", "-o", "/dev/null/x", "true")
        self.refused(125, "choose another folder with -o", "-o", "/sys/gpustall", "true")
        if os.geteuid() != 0:
            os.mkdir(self.path("closed"), 0o500)
            self.refused(125, "Permission denied", "-o", "closed/x", "true")


if __name__ == "__main__":
    main()
