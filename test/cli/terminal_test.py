"""On a terminal: the start line, why nothing was recorded, and that stdout stays the program's."""
import os
import re

from program import TestCase, main, python


class OnATerminal(TestCase):
    def told(self, *words, env=None, code=0):
        terminal = self.terminal("run", *words, env=env)
        self.assertEqual(terminal.wait(), code)
        return terminal.text.decode().replace("\r\n", "\n")

    def test_it_says_where_it_records(self):
        self.assertIn("gpustall: recording to here\n", self.told("-o", "here", "true"))

    def test_a_run_without_a_gpu_says_so_and_leaves_no_folder(self):
        text = self.told("true")
        self.assertIn("nothing was recorded. No CUDA call was seen", text)
        self.assertEqual(self.recordings(), [])

    def test_a_dropped_preload_is_named(self):
        text = self.told("env", "-i", "sleep", "2.5")  # it is looked at after 0.1 and 2.1 s
        self.assertIn("libgpustall.so was not loaded into sleep: something dropped LD_PRELOAD", text)

    def test_switched_off_is_named(self):
        self.assertIn("GPUSTALL=0 switches it off", self.told("true", env={"GPUSTALL": "0"}))

    def test_a_recording_without_anything_in_it_keeps_the_programs_status(self):
        text = self.told(*python("raise SystemExit(6)"), env={"TEST_RECORDS": "1"}, code=6)
        self.assertRegex(text, r"Saved: gpustall-\S+ \(1 file, 0\.0 kB\)\nNext:  gpustall report ")
        self.assertEqual(len(self.recordings()), 1)

    def test_quiet_is_silent(self):
        self.assertEqual(self.told("-q", "echo", "x"), "x\n")

    def test_stay_tells_without_a_terminal(self):
        result = self.gpustall("run", "--stay", *python("print(1); raise SystemExit(3)"))
        self.assertEqual((result.returncode, result.stdout), (3, b"1\n"))
        self.assertIn(b"nothing was recorded", result.stderr)

    def test_the_programs_stdout_is_its_own(self):
        for words in (["run"], ["run", "--stay"], ["run", "-v"]):
            self.assertEqual(self.gpustall(*words, "printf", "a\\0b").stdout, b"a\0b")

    def test_width_is_the_terminals(self):
        for columns in (60, 120):
            terminal = self.terminal("causes", columns=columns)
            self.assertEqual(terminal.wait(), 0)
            lines = terminal.text.decode().replace("\r", "").split("\n")
            self.assertLessEqual(max(map(len, lines)), columns)
            self.assertGreater(max(map(len, lines)), columns * 0.6)

    def test_color_only_where_it_is_wanted(self):
        def colored(env, *words):
            terminal = self.terminal(*words, "causes", "sync.item", env=env)
            self.assertEqual(terminal.wait(), 0)
            return b"\x1b[" in terminal.text
        self.assertTrue(colored({}))
        self.assertFalse(colored({"NO_COLOR": "1"}))
        self.assertFalse(colored({"TERM": "dumb"}))
        self.assertFalse(colored({}, "--color", "never"))
        self.assertNotIn(b"\x1b", self.gpustall("causes", "sync.item").stdout)
        self.assertIn(b"\x1b", self.gpustall("causes", "sync.item", env={"CLICOLOR_FORCE": "1"}).stdout)
        self.assertIn(b"\x1b", self.gpustall("--color", "always", "causes", "sync.item").stdout)


if __name__ == "__main__":
    main()
