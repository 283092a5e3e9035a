"""HTA (PyPI: HolisticTraceAnalysis) reads `export --kineto` and agrees on busy and idle time. Runs where HTA is
installed (scripts/setup --dev, in .venv-viewers); says loudly that it did not run elsewhere. What HTA needs is also
checked, without it, in timeline_test.cpp."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"  # its default rounds every row to microseconds
try:
    from hta.trace_analysis import TraceAnalysis
except ImportError:
    TraceAnalysis = None


def rows():
    """Two streams that overlap, copies, a memset; times that are no whole microseconds."""
    events = []
    for i in range(500):
        at = i * 137.317
        for name, cat, stream, start, length in (("gemm", "kernel", 7, 9.251, 41.007),
                                                 ("relu", "kernel", 13, 30.5, 33.333),
                                                 ("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 7, 80.125, 11.5),
                                                 ("Memset (Device)", "gpu_memset", 7, 95.001, 1.25)):
            correlation = len(events) + 1
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 10,
                           "ts": round(at + start - 9, 3), "dur": 4.001, "args": {"correlation": correlation}})
            events.append({"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": round(at + start, 3),
                           "dur": length, "args": {"device": 0, "stream": stream, "correlation": correlation}})
    return events


class Hta(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def analysed(self, run):
        """The device as our report has it, and HTA's analysis of the export."""
        gpustall, exported = os.environ["GPUSTALL_BIN"], os.path.join(self.folder, "hta.json.gz")
        subprocess.run([gpustall, "export", run, "--kineto", exported], check=True)
        report = subprocess.run([gpustall, "report", run, "--json"], check=True, stdout=subprocess.PIPE)
        device, = json.loads(report.stdout)["devices"]
        return device, TraceAnalysis(trace_files={0: exported})

    def agree(self, device, analysis):
        whole = analysis.get_temporal_breakdown(visualize=False).iloc[0]
        self.assertEqual(round(whole["idle_time(us)"] * 1000), device["idle_ns"])
        self.assertEqual(round(whole["kernel_time(us)"] * 1000), device["span_ns"])
        self.assertEqual(round((whole["compute_time(us)"] + whole["non_compute_time(us)"]) * 1000), device["busy_ns"])

    def test_busy_and_idle_of_a_recording_are_the_same(self):
        run = os.path.join(self.folder, "p1.gst")
        subprocess.run([os.environ["GPUSTALL_LIVE_TRACE"], run], check=True)
        device, analysis = self.analysed(run)
        self.assertGreater(device["busy_ns"], 0)
        self.agree(device, analysis)

    def test_busy_and_idle_by_stream_and_kernel_are_the_same(self):
        run = os.path.join(self.folder, "run.json")
        with open(run, "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": rows()}, file)
        device, analysis = self.analysed(run)
        self.agree(device, analysis)
        streams = analysis.get_idle_time_breakdown(ranks=[0], visualize=False)[0]
        kinds, kernels = analysis.get_gpu_kernel_breakdown(visualize=False)
        overlap = analysis.get_comm_comp_overlap(visualize=False)
        self.assertEqual({int(stream) for stream in streams["stream"]}, {7, 13})
        by_name = {}
        for row in rows():
            if row["pid"] == 0:
                by_name[row["name"]] = by_name.get(row["name"], 0) + round(row["dur"] * 1000)
        self.assertEqual({name: round(us * 1000) for name, us in zip(kernels["name"], kernels["sum (us)"])}, by_name)
        kinds = dict(zip(kinds["kernel_type"], kinds["sum"]))
        self.assertEqual(set(kinds), {"COMPUTATION", "MEMORY"})
        # HTA cuts each stretch of a kind to whole microseconds here: one and two of them in a round.
        lost_ns = device["busy_ns"] - 1000 * sum(kinds.values())
        self.assertTrue(0 <= lost_ns < 3 * 500 * 1000, lost_ns)
        self.assertEqual(len(overlap), 1)


if __name__ == "__main__":
    if TraceAnalysis is None:
        print("SKIPPED: HTA is not installed for " + sys.executable)
        sys.exit(77)
    unittest.main(verbosity=1)
