"""However a recorded program ends, its recording is read, and what is missing is said."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import harness


class Ends(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="gpustall-ends-")
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def start(self, *arguments):
        ran = subprocess.Popen(harness.command(self.folder / "trace", "endless", *arguments), text=True,
                               env=harness.environment(self.folder / "%p.simlog"), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        first = ran.stdout.readline().split()  # "pid worker..." once it trains
        self.assertTrue(first, ran.stderr.read() if ran.poll() is not None else "no output")
        return ran, [int(pid) for pid in first]

    def test_a_killed_trainer_leaves_a_recording_that_says_so(self):
        ran, pids = self.start("0")
        time.sleep(1)
        os.kill(pids[0], signal.SIGKILL)
        ran.communicate(timeout=60)
        self.assertIn(ran.returncode, (-signal.SIGKILL, 128 + signal.SIGKILL))
        report = harness.report(self.folder / "trace")
        trainer = next(p for p in report["processes"] if p["pid"] == pids[0])
        self.assertFalse(trainer["clean_end"])
        self.assertGreater(report["devices"][0]["busy_ns"], 0)
        text = subprocess.run([harness.GPUSTALL, "report", str(self.folder / "trace")], capture_output=True, text=True)
        self.assertIn(f"the end of process {pids[0]}: killed, or still running", " ".join(text.stdout.split()))

    def test_a_trainer_that_is_killed_at_once_or_exits_at_once_says_what_is_missing(self):
        # A kill comes before the file is written for the first time, or some milliseconds after.
        for end, words in (("kill", "No GPU work was recorded: process {} (was killed, or still ran|submitted)"),
                           ("kill_later", "No GPU work was recorded: process {} submitted"),
                           ("_exit", "GPU ")):
            out = self.folder / end
            ran = subprocess.run(harness.command(out, "young", end), capture_output=True, text=True, timeout=120,
                                 env=harness.environment(kernel_ns=3_000_000_000 if end == "kill_later" else 0))
            pid = int(ran.stdout)
            text = subprocess.run([harness.GPUSTALL, "report", str(out)], capture_output=True, text=True).stdout
            self.assertRegex(" ".join(text.split()), r"\A" + words.format(pid))

    def test_a_killed_worker_leaves_the_trainers_recording(self):
        ran, pids = self.start("2")
        time.sleep(1)
        os.kill(pids[1], signal.SIGKILL)
        ran.communicate(timeout=60)
        self.assertNotEqual(ran.returncode, 0)  # torch's own complaint about its worker
        report = harness.report(self.folder / "trace")
        self.assertIn(pids[0], [p["pid"] for p in report["processes"]])
        self.assertGreater(report["devices"][0]["busy_ns"], 0)

    def test_a_forked_child_that_is_first_to_use_the_device_is_recorded_to_its_end(self):
        # multiprocessing ends it by os._exit.
        for first in ("nothing", "torch"):
            folder = self.folder / first
            folder.mkdir()
            report, truth, _ = harness.record(folder, "forked", first)
            (device,), ((pid, _),) = report["devices"], truth
            self.assertEqual(device["pids"], [pid])
            self.assertEqual(device["busy_ns"], truth[pid, 0].busy_ns)
            self.assertEqual(report["ledger"]["lost_records"], 0)
            self.assertTrue(all(p["clean_end"] for p in report["processes"]))

    def test_exit_codes_and_output_are_the_programs_own(self):
        for arguments, code in ((("exit", "7"), 7), (("exit", "0"), 0)):
            ran = subprocess.run(harness.command(self.folder / f"trace{code}", "endless", *arguments), text=True,
                                 env=harness.environment(), capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
            self.assertEqual((ran.returncode, ran.stdout), (code, "to stdout\n"))
            self.assertIn("to stderr\n", ran.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
