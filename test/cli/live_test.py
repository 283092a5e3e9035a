"""run --live: the line on the terminal and in a file, and that the program does not notice."""
import os
import re
import subprocess
import time

from program import BIN, PYTHON, TestCase, Terminal, environment, main, python
from signals_test import SHELL

# Records (a trace made beforehand), prints, and goes on until a file "stop" is there.
VICTIM = """
import os, shutil, time
shutil.copy(%r, os.path.join(os.environ['GPUSTALL_OUT'], 'p4711.gst'))
n = 0
while not os.path.exists('stop'):
    print('line %%d' %% n, flush=True)
    n += 1
    time.sleep(0.02)
print('end %%d' %% n, flush=True)
raise SystemExit(7)
"""
TAKEN = "\x1b[1;23r"  # of 24 rows, the last does not scroll
GIVEN_BACK = "\x1b[1;24r"
OURS = re.compile(r"\x1bD\x1b\[1A\x1b7\x1b\[1;\d+r\x1b8"  # takes the row
                  r"|\x1b7\x1b\[\d+;1H\x1b\[0;2m\x1b\[2K[^\x1b]*\x1b8"  # shows
                  r"|\x1b7\x1b\[1;\d+r\x1b\[\d+;1H\x1b\[2K\x1b8")  # gives it back


class Live(TestCase):
    def setUp(self):
        super().setUp()
        self.trace = self.path("sample")
        subprocess.run([os.environ["GPUSTALL_LIVE_TRACE"], self.trace], check=True)
        self.victim = python(VICTIM % self.trace)

    def stop(self):
        open(self.path("stop"), "w").close()

    def figures(self, recording):
        """What the line must say, by the report of what was recorded."""
        report = self.gpustall("report", recording).stdout.decode()
        busy = re.search(r"GPU busy (\S+ %)", report).group(1)
        share, cause, where = re.search(r"^ +\S+ +(\S+ %)  (\S+) +(\S+)", report.split("where\n")[1]).groups()
        return ("GPU busy %s  " % busy, "  %s %s %s  (all " % (cause, share, where))

    def wait_for(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "it never came")
            time.sleep(0.05)

    def lines_of(self, name):
        if not os.path.exists(self.path(name)):
            return []
        with open(self.path(name)) as file:
            return file.read().splitlines()

    def readers_of(self, name):
        """Processes that have the file open."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                for fd in os.listdir("/proc/%s/fd" % pid):
                    if os.readlink("/proc/%s/fd/%s" % (pid, fd)) == self.path(name):
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def test_the_line_has_the_reports_figures_and_the_output_stays_whole(self):
        terminal = self.terminal("run", "-o", "here", "--live", *self.victim, columns=120)
        terminal.read_until(b"(all ", seconds=60)
        self.stop()
        self.assertEqual(terminal.wait(), 7)
        text = terminal.text.decode()
        for figure in self.figures("here"):
            self.assertIn(figure, text)
        self.assertLess(text.index(TAKEN), text.index("(all "))
        self.assertLess(text.rindex("(all "), text.rindex(GIVEN_BACK))
        printed = OURS.sub("", text).replace("\r\n", "\n")
        self.assertNotIn("\x1b[1;", printed)
        count = int(re.search(r"^end (\d+)$", printed, re.M).group(1))
        self.assertEqual(re.findall(r"^line \d+$", printed, re.M), ["line %d" % n for n in range(count)])

    def test_a_terminal_without_rows_gets_lines(self):
        terminal = self.terminal("run", "--live", *self.victim, env={"TERM": "dumb"}, columns=120)
        terminal.read_until(b"gpustall: ", seconds=60)
        terminal.read_until(b"(all ", seconds=60)
        self.stop()
        self.assertEqual(terminal.wait(), 7)
        self.assertNotIn(b"\x1b7", terminal.text)

    def test_without_a_terminal_the_file_has_it_and_nothing_stays_in_the_process_tree(self):
        code = "import os, subprocess; print(open('/proc/self/task/%d/children' % os.getpid()).read().split())\n"
        run = subprocess.Popen([BIN, "run", "-o", "here", "--live=live.txt",
                                *python(code + VICTIM % self.trace)], cwd=self.folder, env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_for(lambda: self.lines_of("live.txt"))
        readers = self.readers_of("live.txt")
        self.assertEqual(len(readers), 1)
        self.assertNotEqual(os.getsid(readers[0]), os.getsid(run.pid))
        self.stop()
        out, err = run.communicate(timeout=60)  # its reader does not keep the pipes open
        self.assertEqual((run.returncode, out.split(b"\n")[0]), (7, b"[]"))
        self.assertNotIn(b"terminal", err)
        self.assertRegex(self.lines_of("live.txt")[0], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d  ")
        for figure in self.figures("here"):
            self.assertIn(figure, self.lines_of("live.txt")[0])
        self.wait_for(lambda: not self.readers_of("live.txt"))

    def test_under_a_rank_each_has_its_file(self):
        self.stop()
        result = self.gpustall("run", "-o", "r%r", "--live=live-%r.txt", *self.victim, env={"RANK": "3"})
        self.assertEqual(result.returncode, 7)
        self.wait_for(lambda: self.lines_of("live-3.txt"))

    def test_the_file_works_on_a_terminal_too(self):
        terminal = self.terminal("run", "-o", "here", "--live=live.txt", *self.victim)
        self.wait_for(lambda: self.lines_of("live.txt"))
        self.stop()
        self.assertEqual(terminal.wait(), 7)
        self.assertNotIn(b"(all ", terminal.text)
        for figure in self.figures("here"):
            self.assertIn(figure, self.lines_of("live.txt")[0])
        self.wait_for(lambda: not self.readers_of("live.txt"))

    def test_live_takes_no_word_of_the_programs(self):
        self.assertEqual(self.gpustall("run", "--live", "echo", "x").stdout, b"x\n")
        self.assertEqual(self.gpustall("run", "--live", "--", "echo", "x").stdout, b"x\n")
        self.assertIn(b"--live needs a terminal; --live=FILE needs none",
                      self.gpustall("run", "--live", "true").stderr)

    def test_a_file_that_cannot_be_written_is_told_before_the_start(self):
        result = self.gpustall("run", "--live=no/such/folder/live.txt", "touch", "started")
        self.assertEqual(result.returncode, 125)
        self.assertRegex(result.stderr, rb"cannot write to .*live.txt: No such file or directory; name another")
        self.assertFalse(os.path.exists(self.path("started")))
        self.assertEqual(self.recordings(), [])

    def test_lines_follow_lines_of_live_and_nothing_else(self):
        self.stop()
        os.mkfifo(self.path("pipe"))
        for name, text in (("train.sh", "#!/bin/sh\n"), ("log", "2026-01-02T03:04:05  epoch 1\n"), ("blank", "\n")):
            with open(self.path(name), "w") as file:
                file.write(text)
        os.mkdir(self.path("old"))
        with open(self.path("old/p1.gst"), "w") as file:
            file.write("old")
        for name in ("train.sh", "log", "blank", "pipe"):
            result = self.gpustall("run", "-f", "-o", "old", "--live=" + name, "touch", "started")
            self.assertEqual(result.returncode, 125, name)
            self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; name another --live file\n$")
        self.assertEqual(self.lines_of("train.sh"), ["#!/bin/sh"])
        self.assertFalse(os.path.exists(self.path("started")))
        self.assertEqual(os.listdir(self.path("old")), ["p1.gst"])
        open(self.path("live.txt"), "w").close()  # empty: fine
        for runs in (1, 2):
            self.assertEqual(self.gpustall("run", "-o", "r%d" % runs, "--live=live.txt", *self.victim).returncode, 7)
            self.wait_for(lambda: len(self.lines_of("live.txt")) == runs)
            self.wait_for(lambda: not self.readers_of("live.txt"))

    def test_ctrl_z_gives_the_row_back_and_fg_takes_it_again(self):
        terminal = Terminal(python(SHELL) + [BIN, "run", "--live", *self.victim], self.folder, environment(), 120)
        self.addCleanup(terminal.close)
        terminal.read_until(b"(all ", seconds=60)
        terminal.type(b"\x1a")
        terminal.read_until(b"stopped")
        text = terminal.text.decode()
        self.assertLess(text.rindex(TAKEN), text.rindex(GIVEN_BACK))
        terminal.text = b""
        terminal.read_until(TAKEN.encode(), seconds=60)  # it was continued
        self.stop()
        self.assertEqual(terminal.wait(), 7)

    def test_death_by_a_signal_is_the_programs_with_live_too(self):
        code = "import os, time; time.sleep(0.3); os.kill(os.getpid(), 9)"
        self.assertEqual(self.terminal("run", "--live", *python(code)).wait(), -9)
        self.assertEqual(self.gpustall("run", "--live=live.txt", *python(code)).returncode, -9)


if __name__ == "__main__":
    main()
