"""How a recorded program ends is how gpustall ends, on a terminal and without one."""
import os
import signal
import time

from program import Terminal, TestCase, environment, BIN, main, python

WAIT = "import time; print('ready', flush=True); time.sleep(30)"
# Counts what arrives, for half a second after the first signal; exits with the count.
COUNT = """
import signal, time, os
seen = []
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
    signal.signal(number, lambda n, f: seen.append(n))
print('ready', flush=True)
while not seen: time.sleep(0.01)
time.sleep(0.5)
os._exit(len(seen) * 10 + seen[0])
"""
# A job-control shell of a few lines: its job is stopped by Ctrl-Z, then continued.
SHELL = """
import os, signal, sys
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.execv(sys.argv[1], sys.argv[1:])
try: os.setpgid(job, job)
except OSError: pass
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.tcsetpgrp(0, job)
pid, status = os.waitpid(job, os.WUNTRACED)
print('stopped' if os.WIFSTOPPED(status) else 'ended', flush=True)
os.tcsetpgrp(0, job)
os.killpg(job, signal.SIGCONT)
pid, status = os.waitpid(job, 0)
os._exit(os.WEXITSTATUS(status))
"""


class Endings(TestCase):
    def both_ways(self, *words):
        yield self.gpustall("run", *words).returncode
        yield self.terminal("run", *words).wait()

    def test_exit_codes_are_the_programs(self):
        for code in (0, 1, 7, 125, 255):
            for status in self.both_ways(*python("import os; os._exit(%d)" % code)):
                self.assertEqual(status, code)

    def test_death_by_a_signal_is_death_by_that_signal(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGINT, signal.SIGTERM,
                       signal.SIGABRT, signal.SIGPIPE):
            code = "import os, signal; signal.signal({0}, 0) if {0} != 9 else 0; os.kill(os.getpid(), {0})"
            for status in self.both_ways(*python(code.format(int(number)))):
                self.assertEqual(status, -number)

    def test_ctrl_c_reaches_the_program_once_and_its_answer_counts(self):
        terminal = self.terminal("run", *python(COUNT))
        terminal.read_until(b"ready")
        terminal.type(b"\x03")
        self.assertEqual(terminal.wait(), 10 + signal.SIGINT)
        self.assertIn(b"nothing was recorded", terminal.text)

    def test_ctrl_c_without_a_handler_ends_both_by_sigint(self):
        terminal = self.terminal("run", "sleep", "30")
        time.sleep(0.3)
        terminal.type(b"\x03")
        self.assertEqual(terminal.wait(), -signal.SIGINT)

    def test_signals_sent_to_gpustall_alone_are_passed_on_once(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
            terminal = self.terminal("run", *python(COUNT))
            terminal.read_until(b"ready")
            terminal.kill(number)
            self.assertEqual(terminal.wait(), 10 + number)

    def test_ctrl_z_stops_the_job_and_fg_continues_it(self):
        code = "import time; print('ready', flush=True); time.sleep(0.6); raise SystemExit(9)"
        words = python(SHELL) + [BIN, "run", *python(code)]
        terminal = Terminal(words, self.folder, environment(), 80)
        self.addCleanup(terminal.close)
        terminal.read_until(b"ready")
        terminal.type(b"\x1a")
        terminal.read_until(b"stopped")
        self.assertEqual(terminal.wait(), 9)

    def test_a_program_stopped_alone_does_not_stop_gpustall(self):
        code = "import os; os.write(1, b'pid %d.\\n' % os.getpid()); os.kill(os.getpid(), 19); os._exit(4)"
        terminal = self.terminal("run", *python(code))
        terminal.read_until(b".\r\n")
        time.sleep(0.3)
        pid = int(terminal.text.split(b"pid ")[1].split(b".")[0])
        os.kill(pid, signal.SIGCONT)
        self.assertEqual(terminal.wait(), 4)

    def test_the_terminal_is_stdin_of_the_program(self):
        terminal = self.terminal("run", *python("print(input('? ')[::-1])"))
        terminal.read_until(b"? ")
        terminal.type(b"abc\n")
        self.assertEqual(terminal.wait(), 0)
        self.assertIn(b"cba", terminal.text)

    def test_ignored_signals_stay_ignored(self):
        code = "import signal; raise SystemExit(int(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN))"
        self.assertEqual(self.gpustall("run", *python(code),
                                       preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
                                       ).returncode, 1)
        blocked = "import signal; raise SystemExit(len(signal.pthread_sigmask(signal.SIG_BLOCK, [])))"
        terminal = self.terminal("run", *python(blocked))
        self.assertEqual(terminal.wait(), 0)


if __name__ == "__main__":
    main()
