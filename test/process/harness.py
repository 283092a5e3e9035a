"""Runs victims with and without libgpustall.so and reads their traces through trace_dump.

Paths come from the environment that CMake sets (GPUSTALL_TEST_*). A test that cannot run here is
skipped with its reason, never silently.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY = os.environ["GPUSTALL_TEST_LIBRARY"]
DUMP = os.environ["GPUSTALL_TEST_DUMP"]
VICTIM = os.environ["GPUSTALL_TEST_VICTIM"]
CUDART = os.environ["GPUSTALL_TEST_CUDART"]
PYTHON = sys.executable  # not the name that started us: that may be a script
OURS = ("GPUSTALL", "LD_PRELOAD", "CUDA_INJECTION", "NVTX_INJECTION")


class Record(dict):
    """One line of trace_dump: the record's name, its fields, and the comment behind '#'."""

    def __init__(self, line):
        self.line = line
        text, _, self.text = line.partition(" # ")
        self.name, *fields = re.findall(r'(?:[^\s"]|"[^"]*")+', text)
        for field in fields:
            key, _, value = field.partition("=")
            try:
                self[key] = int(value)
            except ValueError:
                self[key] = value


class Trace:
    """One file of a run: its header, losses, and (thread, record) in the order of the file."""

    def __init__(self, path):
        self.path = path
        done = subprocess.run([DUMP, path], capture_output=True, text=True, errors="replace")
        self.damaged = done.returncode != 0
        lines = [Record(line) for line in done.stdout.splitlines()]
        self.header = lines[0]
        self.losses = {r["kind"]: r["count"] for r in lines if r.name == "loss"}
        self.records, tid = [], 0
        for r in lines[1:]:
            if r.name == "chunk":
                tid = r["tid"]
            elif r.name not in ("loss", "damaged"):
                r.tid = tid
                self.records.append(r)

    def all(self, name, text=None):
        return [r for r in self.records if r.name == name and text in (None, r.text)]

    def strings(self):
        found = {}
        for r in self.all("String"):
            found[r["id"]] = r["text"].strip('"')
        return found


class Run:
    def __init__(self, done, folder):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.folder = folder
        self.traces = [Trace(p) for p in sorted(glob.glob(folder + "/gpustall-*/*.gst"))]
        self.files = [p for p in glob.glob(folder + "/**", recursive=True) if p != folder + "/"]


class ProcessTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gpustall-test.", dir=os.environ.get("TMPDIR", "/tmp"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_victim(self, command, inject=True, cwd=None, timeout=120, **variables):
        """Runs a command in an empty folder; variables are added to a clean environment."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
        if inject:
            env["LD_PRELOAD"] = LIBRARY
        env.update(variables)
        folder = cwd or tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True,
                              timeout=timeout, stdin=subprocess.DEVNULL)
        return Run(done, folder)

    def act(self, name, *arguments, **variables):
        """An act of victim.c, injected: its output and result must be those of a bare run."""
        bare = self.run_victim([VICTIM, name, *arguments], inject=False)
        run = self.run_victim([VICTIM, name, *arguments], **variables)
        self.assertEqual((run.code, run.out, run.err), (bare.code, bare.out, bare.err))
        return run

    def one_trace(self, run):
        self.assertEqual(len(run.traces), 1, run.files)
        self.assertFalse(run.traces[0].damaged)
        return run.traces[0]


def python(code):
    """A Python program that has the fake CUDA runtime loaded as `cuda`."""
    return [PYTHON, "-c", f"import ctypes; ctypes.CDLL({CUDART!r}, mode=ctypes.RTLD_GLOBAL); "
                          f"cuda = ctypes.CDLL(None)\n" + code]
