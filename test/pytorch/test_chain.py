"""Record, report, and hold the report against the simulated device's own log: exact to the nanosecond."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import harness


class Chain(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="gpustall-chain-")
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def assert_exact(self, report, truths):
        self.assertEqual(len(report["devices"]), len(truths))
        for (pid, ordinal), facts in truths.items():
            device = next(d for d in report["devices"] if d["device"] == ordinal and pid in d["pids"])
            self.assertEqual([device["span_ns"], device["busy_ns"], device["idle_ns"]],
                             [facts.span_ns, facts.busy_ns, facts.idle_ns])
            whole = device["windows"]["whole"]
            self.assertEqual([whole["busy"][k] for k in ("compute_ns", "exposed_copy_ns", "exposed_collective_ns")],
                             [facts.compute_ns, facts.exposed_copy_ns, 0])
            self.assert_adds_up(device)
        self.assertEqual(report["ledger"]["unlinked_activities"], 0)
        # A spawned worker may wait once more after its exit handlers ran, and a stack may change while it is read; nothing else
        # may be lost.
        expected = ("after the final flush", "stack samples were missed")
        self.assertEqual([t for t in report["ledger"]["losses"] if not any(text in t for text in expected)], [])

    def assert_adds_up(self, device):
        windows = device["windows"]
        for window in filter(None, windows.values()):
            self.assertEqual(sum(row["idle_ns"] for row in window["causes"]), window["idle_ns"])
            self.assertEqual(window["idle_ns"] + window["busy_ns"], window["span_ns"])
            self.assertEqual(sum(window["busy"].values()), window["busy_ns"])
        if windows["steady"]:
            self.assertEqual(windows["warmup"]["idle_ns"] + windows["steady"]["idle_ns"], windows["whole"]["idle_ns"])

    def test_what_the_report_adds_up_is_what_the_device_did(self):
        for way in ("plain", "streams", "graph", "fork", "spawn", "child"):
            with self.subTest(way=way), tempfile.TemporaryDirectory() as folder:
                report, truths, _ = harness.record(pathlib.Path(folder), "trains", way)
                self.assert_exact(report, truths)

    def test_preloading_by_hand_gives_the_same_recording_as_run(self):
        out, log = self.folder / "trace", self.folder / "%p.simlog"
        env = harness.environment(log)
        library = pathlib.Path(harness.GPUSTALL).parent.parent / "lib"
        env.update(LD_PRELOAD=str(library / "libgpustall.so"), GPUSTALL_OUT=str(out),
                   GPUSTALL_SIM_LIB=str(library / "gpustall/simgpu"))
        subprocess.run([harness.SOURCE / "test/simgpu/run.sh", sys.executable, harness.PROGRAMS / "trains.py", "plain"],
                       env=env, check=True, stdin=subprocess.DEVNULL, timeout=300)
        self.assert_exact(harness.report(out), harness.read_truth(self.folder))

    def test_a_second_reading_by_torch_profiler_agrees(self):
        exported = self.folder / "kineto.json"
        env = harness.environment(self.folder / "%p.simlog")
        subprocess.run([harness.SOURCE / "test/simgpu/run.sh", sys.executable, harness.PROGRAMS / "profiled.py", exported],
                       env={**env, "GPUSTALL_SIM_LIB": str(pathlib.Path(harness.GPUSTALL).parent.parent / "lib/gpustall/simgpu")},
                       check=True, stdin=subprocess.DEVNULL, timeout=300)
        work = [e for e in json.loads(exported.read_text())["traceEvents"]
                if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
        self.assertGreater(len(work), 400)
        busy = harness.truth.length(harness.truth.union(
            (round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)) for e in work))
        recorded, _, _ = harness.record(self.folder, "profiled")
        steady = recorded["devices"][0]["windows"]["steady"]
        steps = recorded["processes"][0]["steps"]
        per_step = steady["busy_ns"] / (steps["count"] - steps["warmup"])
        self.assertAlmostEqual(per_step / (busy / 40), 1, delta=0.01)

    def test_a_script_that_profiles_itself_sees_the_same_device_work(self):
        counts = []
        for recorded in (False, True):
            exported = self.folder / f"kineto-{recorded}.json"
            if recorded:
                report, _, _ = harness.record(self.folder, "profiled", str(exported))
            else:
                subprocess.run([harness.SOURCE / "test/simgpu/run.sh", sys.executable,
                                harness.PROGRAMS / "profiled.py", exported], env=harness.environment(), check=True,
                               stdin=subprocess.DEVNULL, timeout=300)
            counts.append(sorted((e["cat"], e["name"]) for e in json.loads(exported.read_text())["traceEvents"]
                                 if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")))
        self.assertEqual(counts[0], counts[1])
        self.assertTrue(any("stood aside" in text for text in report["ledger"]["not_observed"]))

    def test_records_stay_within_their_size_budget(self):
        sys.path.insert(0, str(harness.SOURCE / "test/bench"))
        from record_sizes import sizes
        harness.record(self.folder, str(harness.SOURCE / "scripts/demo.d/train_slow.py"), "20")
        by_tag = sizes((self.folder / "trace").glob("*.gst"))
        api, kernel = by_tag[16], by_tag[32]
        self.assertLessEqual(api[1] / api[0], 16)
        self.assertLessEqual(kernel[1] / kernel[0], 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
