"""Runs the gpustall binary for the tests: through pipes, or on a terminal of its own."""
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import fcntl
import time
import unittest

BIN = os.environ["GPUSTALL_BIN"]
STAND_IN = os.environ["GPUSTALL_STAND_IN"]
VICTIMS = os.environ["GPUSTALL_VICTIMS"]
PYTHON = sys.executable
RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")


def environment(**extra):
    """The caller's environment without anything that changes gpustall's ways."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("GPUSTALL") and k not in RANK_VARIABLES
           and k not in ("LD_PRELOAD", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS",
                         "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "ASAN_OPTIONS")}
    env["GPUSTALL_LIB"] = STAND_IN
    env["TERM"] = "xterm"
    for key, value in extra.items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = value
    return env


class TestCase(unittest.TestCase):
    """Each test runs in a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gpustall-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def gpustall(self, *words, env=None, **options):
        """Through pipes; returns a CompletedProcess with bytes."""
        return subprocess.run([BIN, *words], cwd=self.folder, env=environment(**(env or {})),
                              stdout=options.pop("stdout", subprocess.PIPE),
                              stderr=subprocess.PIPE, timeout=60, **options)

    def terminal(self, *words, env=None, columns=80):
        terminal = Terminal([BIN, *words], self.folder, environment(**(env or {})), columns)
        self.addCleanup(terminal.close)
        return terminal

    def recordings(self):
        return sorted(n for n in os.listdir(self.folder) if n.startswith("gpustall-"))


def python(code):
    """Words that run Python code."""
    return [PYTHON, "-S", "-c", code]


class Terminal:
    """A command as the foreground job of a terminal. stdout, stderr and stdin are the terminal."""

    def __init__(self, command, folder, env, columns):
        self.text = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(command[0], command, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.status = None

    def read_until(self, needle, seconds=20):
        end = time.monotonic() + seconds
        while needle not in self.text:
            if not self._read(end - time.monotonic()):
                raise AssertionError("%r never came; there was %r" % (needle, self.text))
        return self.text

    def _read(self, seconds):
        if seconds <= 0 or not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other side closed
            data = b""
        self.text += data
        return bool(data)

    def type(self, data):
        os.write(self.fd, data)

    def kill(self, number):
        os.kill(self.pid, number)

    def wait(self, seconds=30):
        """Exit status as subprocess has it: negative for a signal. Reads all output."""
        end = time.monotonic() + seconds
        while self._read(end - time.monotonic()):
            pass
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                raise AssertionError("it never ended; there was %r" % self.text)
            time.sleep(0.01)
        self.pid = 0
        return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0
        os.close(self.fd)


def main():
    unittest.main(verbosity=1)
