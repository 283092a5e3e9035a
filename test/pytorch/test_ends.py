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

    def test_a_killed_worker_leaves_the_trainers_recording(self):
        ran, pids = self.start("2")
        time.sleep(1)
        os.kill(pids[1], signal.SIGKILL)
        ran.communicate(timeout=60)
        self.assertNotEqual(ran.returncode, 0)  # torch's own complaint about its worker
        report = harness.report(self.folder / "trace")
        self.assertIn(pids[0], [p["pid"] for p in report["processes"]])
        self.assertGreater(report["devices"][0]["busy_ns"], 0)

    def test_exit_codes_and_output_are_the_programs_own(self):
        for arguments, code in ((("exit", "7"), 7), (("exit", "0"), 0)):
            ran = subprocess.run(harness.command(self.folder / f"trace{code}", "endless", *arguments), text=True,
                                 env=harness.environment(), capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
            self.assertEqual((ran.returncode, ran.stdout), (code, "to stdout\n"))
            self.assertIn("to stderr\n", ran.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
