"""What the management library says of the card reaches the report and the timeline; what it does not say is missing."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import harness

SETTINGS = {"sm_mhz": 1980, "sm_max_mhz": 1980, "power_w": 350, "power_limit_w": 700, "temperature_c": 61, "link_gen": 5,
            "link_max_gen": 5, "link_width": 8, "link_max_width": 16, "processes": 2,
            "throttle": 0x4, "throttled_mhz": 1200, "throttle_from_s": 1.5}


class Card(unittest.TestCase):
    def record(self, name, seconds, **settings):
        out = self.folder / name
        subprocess.run(harness.command(out, "steady", str(seconds)), env=harness.environment(**settings), check=True,
                       capture_output=True, timeout=120)
        return out

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="gpustall-card-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def text(self, *arguments):
        done = subprocess.run([harness.GPUSTALL, *map(str, arguments)], capture_output=True, text=True, check=True)
        return " ".join(done.stdout.split())

    def test_a_throttled_card_with_a_slow_link_and_a_neighbour(self):
        out = self.record("throttled", 5, **SETTINGS)
        report = harness.report(out)
        card = report["devices"][0]["card"]
        self.assertGreaterEqual(card["readings"], 3)
        self.assertTrue(1 <= card["throttled"] < card["readings"], card)
        self.assertEqual((card["reasons"], card["throttled_sm_mhz"], card["memory_mhz"]), (["power cap"], 1200, None))
        self.assertEqual((card["power_mw"], card["temperature_c"], card["processes"]), (350000, 61, 2))
        self.assertEqual(card["limits"], {"sm_mhz": 1980, "memory_mhz": None, "power_mw": 700000, "link_generation": 5,
                                          "link_width": 16})
        environment = report["environment"]
        self.assertEqual((environment["driver"], environment["gpu.link"], environment["gpu.power_limit"]),
                         ("simulated", "generation 5 of 5, lanes 8 of 16", "700 W"))
        text = self.text("report", out)
        self.assertRegex(text, r"Not idle, still slow: the card held its clock down in \d of \d readings \(power cap\), "
                               r"SM clock then 1200 of 1980 MHz\.")
        self.assertIn("the PCIe link was never faster than generation 5 x8, it can do generation 5 x16.", text)
        self.assertIn("up to 2 processes were on the card, 1 of them in this recording.", text)
        self.check_timeline(out)
        self.check_saved_and_compared(out)

    def check_timeline(self, out):
        self.text("export", out, "--chrome", self.folder / "timeline.json")
        rows = json.loads((self.folder / "timeline.json").read_text())["traceEvents"]
        counted = {}
        for row in rows:
            if row["ph"] == "C":
                counted.setdefault(row["name"], []).extend(row["args"].values())
        self.assertEqual(counted["GPU clock"], [1980, 1200])
        self.assertEqual(counted["GPU power"], [350])
        self.assertEqual(counted["GPU clock throttle reasons"], [0, 4])
        self.assertNotIn("GPU memory clock", counted)

    def check_saved_and_compared(self, out):
        saved = self.folder / "saved.gpustall"
        self.text("collect", out, "-o", saved)
        self.assertEqual(harness.report(saved)["devices"][0]["card"], harness.report(out)["devices"][0]["card"])
        other = self.record("other", 3, sm_mhz=1980, sm_max_mhz=1980, power_limit_w=400)
        self.assertIn("power limit of the GPU", self.text("diff", out, other))

    def test_a_library_that_tells_nothing_leaves_nothing(self):
        report = harness.report(self.record("silent", 2))
        self.assertIsNone(report["devices"][0]["card"])
        self.assertFalse([key for key in report["environment"] if key.startswith("gpu.")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
