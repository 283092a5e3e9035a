"""Programs whose children are the trainers: each rank's device is in the report, exact, however they start and end."""
import pathlib
import signal
import tempfile
import unittest

import harness

WAYS = ("fork", "spawn", "forkserver", "torch_spawn", "ranks", "exec")


class Trainers(unittest.TestCase):
    def record(self, *arguments):
        temporary = tempfile.TemporaryDirectory(prefix="gpustall-trainers-")
        self.addCleanup(temporary.cleanup)
        return harness.record(pathlib.Path(temporary.name), "trainers", *arguments, check=False, devices=2)

    def assert_exact(self, device, truths):
        (pid,) = device["pids"]
        facts = truths[pid, device["device"]]
        self.assertEqual([device["span_ns"], device["busy_ns"], device["idle_ns"]],
                         [facts.span_ns, facts.busy_ns, facts.idle_ns])
        for window in filter(None, device["windows"].values()):
            self.assertEqual(sum(row["idle_ns"] for row in window["causes"]), window["idle_ns"])

    def test_each_trainer_has_its_device_however_it_was_started(self):
        for way in WAYS:
            with self.subTest(way=way):
                report, truths, ran = self.record(way)
                self.assertEqual(ran.returncode, 0, ran.stderr[-2000:])
                self.assertEqual(sorted(d["device"] for d in report["devices"]), [0, 1])
                self.assertEqual(len(truths), 2)
                for device in report["devices"]:
                    self.assert_exact(device, truths)
                self.assertTrue(all(p["clean_end"] for p in report["processes"]))
                if way == "ranks":
                    ranks = {p["pid"]: p["rank"] for p in report["processes"]}
                    self.assertEqual([(ranks[d["pids"][0]], d["device"]) for d in report["devices"]
                                      if ranks[d["pids"][0]] != d["device"]], [])

    def test_one_trainer_that_ends_early_leaves_the_other_ones_numbers_and_the_programs_exit_code(self):
        for way, end, code in (("forkserver", "kill", signal.SIGKILL), ("ranks", "kill", signal.SIGKILL),
                               ("forkserver", "raise", 1), ("torch_spawn", "raise", 1)):
            with self.subTest(way=way, end=end):
                report, truths, ran = self.record(way, end)
                self.assertEqual(ran.returncode, code, ran.stderr[-2000:])
                clean = {p["pid"]: p["clean_end"] for p in report["processes"]}
                for device in report["devices"]:
                    killed = end == "kill" and device["device"] == 1
                    self.assertEqual(clean[device["pids"][0]], not killed)
                    if not killed:
                        self.assert_exact(device, truths)
                self.assertIn(0, [d["device"] for d in report["devices"]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
