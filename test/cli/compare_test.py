"""diff and check on saved models: manners, exit codes, annotations, sums of what is printed."""
import json
import os
import random
import subprocess

from program import BIN, TestCase, environment, main

MS = 1_000_000


def row(cause, line, per_step, text="", file="/home/u/run/train.py"):
    site = {"file": file, "line": line, "function": "train", "text": text} if line else None
    return {"cause": cause, "site": site, "idle_ns": sum(per_step), "busy_ns": sum(per_step), "count": 1,
            "per_step_ns": sum(per_step) // max(1, len(per_step)), "per_step": per_step}


def model(seed, name="run", slower_ms=0.0, steps=120, gpu="NVIDIA H100", root="/home/u/run", shift=0, **keys):
    """A saved model of 120 steps of about 20 ms; slower_ms is added to loss.item()."""
    draw = random.Random(seed)
    noise = lambda ms, share: [int(ms * MS * max(0, draw.gauss(1, share))) for _ in range(steps)]
    file = root + "/train.py"
    item = [ns + int(slower_ms * MS) for ns in noise(4, 0.05)]
    causes = [row("data.main", 28 + shift, noise(6, 0.05), "image = decode(raw)", file),
              row("sync.item", 67 + shift, item, "running += loss.item()", file),
              row("unknown.untraced", 0, noise(0.1, 0.3))]
    copies = [row("copy.pageable", 58 + shift, noise(0.8, 0.02), "x = x.to(device)", file)]
    compute = noise(9, 0.01)
    idle = [sum(at) for at in zip(*(c["per_step"] for c in causes))]
    busy = [a + b for a, b in zip(compute, copies[0]["per_step"])]
    span = [a + b for a, b in zip(idle, busy)]
    window = {"span_ns": sum(span), "busy_ns": sum(busy), "idle_ns": sum(idle),
              "busy": {"compute_ns": sum(compute), "exposed_copy_ns": sum(copies[0]["per_step"])},
              "causes": causes, "busy_causes": copies}
    return {"schema": 1, "basis": "recorded", "name": name, "verdict": "", "verdict_code": "sync",
            "processes": [{"pid": 7, "host": "box", "role": "trainer", "script": file, "clean_end": True,
                           "steps": {"count": steps, "warmup": 0, "basis": "optimizer"}, "step_ns": span}],
            "devices": [{"device": 0, "host": "box", "name": gpu, "pids": [7],
                         "windows": {"whole": window, "warmup": None, "steady": window},
                         "step_span_ns": span, "step_busy_ns": busy}],
            "environment": {"gpustall": "1", "torch": "2.9.1"}, **keys}


class Compare(TestCase):
    def save(self, name, saved):
        with open(self.path(name), "w") as file:
            json.dump(saved, file)
        return name

    def setUp(self):
        super().setUp()
        self.base = self.save("base.gpustall", model(1, "base"))
        self.same = self.save("same.gpustall", model(2, "same"))
        self.slow = self.save("slow.gpustall", model(3, "slow", slower_ms=2, root="/srv/ci/run", shift=1))

    def output(self, *words, code=0, **options):
        result = self.gpustall(*words, **options)
        self.assertEqual((result.returncode, result.stderr), (code, b""), result.stdout)
        return result.stdout.decode()

    def test_the_verdict_comes_first_and_names_the_line(self):
        first, *rest = self.output("diff", self.base, self.slow, env={"COLUMNS": "200"}).split("\n")
        self.assertRegex(first, r"^SLOWER by \d+\.\d % \+- \d\.\d %, one run each: .* ms per step; sync\.item at train\.py:68 \(\+[12]\.\d+ ms\)")
        self.assertTrue(any("train.py:68 (was 67)" in line for line in rest))

    def test_runs_that_do_not_differ(self):
        self.assertTrue(self.output("diff", self.base, self.same).startswith("NOT DISTINGUISHABLE: "))
        self.assertIn("within noise", self.output("diff", self.base, self.same))
        self.assertIn("One run on each side", self.output("diff", self.base, self.same))

    def numbers(self, text):
        """The table's (base, new, change) in hundredths of a millisecond, with the words behind."""
        found = []
        for line in text.split("\n"):
            cells = line.split()
            if len(cells) > 4 and cells[3].startswith("+-"):
                words = " ".join(cells[4:]).replace("within noise ", "")
                found.append((words, [round(float(cell) * 100) for cell in cells[:3]]))
        return found

    def test_what_is_printed_adds_up(self):
        rows = self.numbers(self.output("diff", self.base, self.slow, "--top", "1", env={"COLUMNS": "200"}))
        parts = [numbers for words, numbers in rows if not words.startswith(("GPU ", "STEP"))]
        self.assertEqual(len(parts), 5, rows)  # sync.item, [1 other], unknown; computing, [1 other]
        totals = dict(rows)
        for column in range(3):
            step = totals["STEP TIME"][column]
            self.assertEqual(sum(part[column] for part in parts), step, rows)
            self.assertEqual(totals["GPU idle"][column] + totals["GPU busy"][column], step)
        for words, (base, new, change) in rows:
            self.assertEqual(new - base, change, words)

    def test_rows_by_line_add_up_too(self):
        text = self.output("diff", self.base, self.slow, "--by", "line", env={"COLUMNS": "200"})
        rows = self.numbers(text)
        parts = [numbers for words, numbers in rows if not words.startswith(("GPU ", "STEP"))]
        self.assertEqual([sum(column) for column in zip(*parts)], dict(rows)["STEP TIME"], rows)
        self.assertRegex(text, r"sync\.item +train\.py:68 \(was 67\) +running \+= loss\.item\(\)")

    def test_several_runs_on_a_side(self):
        more = [self.save("base%d.gpustall" % i, model(10 + i)) for i in range(3)]
        text = self.output("diff", "--base", self.base, *more, "--new", self.slow)
        self.assertIn("NEW is one run", text)
        self.assertEqual(text.count("\nbase  "), 4)
        self.assertTrue(text.startswith("SLOWER"))

    def test_json_is_one_object_whose_rows_add_up(self):
        told = json.loads(self.output("diff", self.base, self.slow, "--json"))
        self.assertEqual((told["diff_schema"], told["outcome"], told["gate"]), (1, "slower", None))
        device = told["devices"][0]
        for side in ("base_ns", "new_ns"):
            for rows, total in (("idle_rows", "idle"), ("cause_rows", "idle"), ("line_rows", "idle"), ("busy_rows", "busy")):
                self.assertEqual(sum(r[side] for r in device[rows]), device[total][side])
            self.assertEqual(device["idle"][side] + device["busy"][side], device["span"][side])

    def test_a_gate_answers_by_its_status(self):
        self.assertIn("Gate 3 %: passed", self.output("diff", self.base, self.same, "--gate", "3%"))
        self.assertIn("Gate 3 %: exceeded", self.output("diff", self.base, self.slow, "--gate", "3%", code=3))
        self.assertIn("Gate 50 %: passed", self.output("diff", self.base, self.slow, "--gate", "50"))
        other = self.save("other.gpustall", model(4, "other", gpu="NVIDIA L4"))
        self.assertIn("other GPU", self.output("diff", self.base, other, "--gate", "3%", code=4))
        told = json.loads(self.output("diff", self.base, self.slow, "--gate", "3%", "--json", code=3))
        self.assertEqual(told["gate"]["result"], "exceeded")
        self.assertTrue(told["gate"]["sentence"].startswith("Gate 3 %: exceeded"))
        few = self.save("few.gpustall", model(5, "few", steps=6))
        self.assertIn("too few steps", self.output("diff", self.base, few, "--gate", "3%", code=4))

    def test_annotations_are_escaped_and_name_files_of_this_repository(self):
        os.mkdir(self.path("run"))
        with open(self.path("run/train.py"), "w"):
            pass
        text = self.output("diff", self.base, self.slow, "--gate", "3%", "--github", code=3)
        lines = [line for line in text.split("\n") if line.startswith("::")]
        self.assertRegex(lines[0], r"^::error title=gpustall diff::SLOWER by .*25 ")
        self.assertNotIn("% ", lines[0])
        self.assertRegex(lines[1], r"^::error file=run/train\.py,line=68,title=gpustall%3A sync\.item::")
        lines = self.output("diff", self.base, self.slow, "--github").split("\n")
        self.assertEqual(sum(line.startswith("::warning ") for line in lines), 2)
        self.assertNotIn("::", self.output("diff", self.base, self.same, "--github"))

    def test_markdown_is_a_table(self):
        text = self.output("diff", self.base, self.slow, "--md")
        self.assertTrue(text.startswith("**SLOWER"))
        self.assertIn("\n|--:|--:|--:|--:|", text)
        self.assertIn("| `train.py:68 (was 67)` |", text)

    def test_check_has_three_answers(self):
        self.assertIn("ok  ", self.output("check", self.base, "--max-idle", "80%"))
        over = self.output("check", self.base, "--max", "sync=2ms", "--max-idle", "90%", code=3)
        self.assertRegex(over, r"OVER  sync at most 2.00 ms per step: [34]\.\d+ ms per step \+- ")
        self.assertIn("sync.item  train.py:67", over.replace("  /home/u/run/", "  "))
        self.assertIn("no known cause", self.output("check", self.base, "--max", "alloc=20us", code=4))
        told = json.loads(self.output("check", self.base, self.slow, "--max", "step=21ms", "--json", code=3))
        self.assertEqual([run["limits"][0]["result"] for run in told["runs"]], ["passed", "exceeded"])
        text = self.output("check", self.base, "--max", "sync.item=1ms", "--github", code=3)
        self.assertIn("\n::error title=gpustall check::sync.item at most 1.00 ms", text)

    def test_check_names_the_device_where_there_are_several(self):
        for numbers in ([0, 1], [1, 0]):
            both = model(8, "both")
            both["devices"] = [{**both["devices"][0], "device": number} for number in numbers]
            lines = self.output("check", self.save("both.gpustall", both), "--max-idle", "90%").split("\n")
            self.assertEqual([line.split(":")[0].split()[1:] for line in lines[:2]], [["device", str(n)] for n in numbers])
        self.assertNotIn("device", self.output("check", self.base, "--max-idle", "90%"))

    def test_usage_errors_are_one_line_and_exit_2(self):
        for words in (["diff"], ["diff", self.base], ["diff", self.base, self.same, "--gate", "much"],
                      ["diff", self.base, self.same, "--json", "--md"], ["check", self.base],
                      ["diff", self.base, self.same, "--json", "--github"], ["diff", self.base, self.same, "--md", "--github"],
                      ["check", self.base, "--max-idle", "3%", "--json", "--github"],
                      ["check", "--max-idle", "3%"], ["check", self.base, "--max", "sync"],
                      ["check", self.base, "--max", "nonsense=2ms"], ["check", self.base, "--max", "sync=2"],
                      ["check", self.base, "--max", "step=5%"]):
            result = self.gpustall(*words)
            self.assertEqual((result.returncode, result.stdout), (2, b""), words)
            self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; [^\n]+\n$")

    def test_bad_input_exits_1(self):
        for words in (["diff", self.base, "missing"], ["check", "missing", "--max-idle", "3%"]):
            result = self.gpustall(*words)
            self.assertEqual((result.returncode, result.stdout), (1, b""))
            self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; [^\n]+\n$")

    def test_names_from_a_recording_do_not_steer_the_terminal(self):
        evil = self.save("evil.gpustall", model(6, "\x1b[2J", root="/x/\x1b[1m", gpu="\x1b[5m"))
        for words in (["diff", self.base, evil], ["diff", evil, self.base, "--md"],
                      ["check", evil, "--max-idle", "1%"], ["diff", evil, self.slow, "--github"]):
            self.assertNotIn(b"\x1b", self.gpustall(*words).stdout)


if __name__ == "__main__":
    main()
