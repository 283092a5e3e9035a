"""What `gpustall export` does with files, and with what it cannot do."""
import csv
import gzip
import io
import json
import os
import resource
import signal
import subprocess

from program import TestCase, main


def trace(kernels=200):
    """A small run as torch.profiler writes it."""
    rows = []
    for i in range(kernels):
        rows.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 10,
                     "ts": i * 100 + 0.001, "dur": 5.5, "args": {"correlation": i + 1}})
        rows.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": i * 100 + 8.5, "dur": 40.25,
                     "args": {"device": 0, "stream": 7, "correlation": i + 1}})
    return {"schemaVersion": 1, "traceEvents": rows}


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then write() fails as it does on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


class Export(TestCase):
    def setUp(self):
        super().setUp()
        with open(self.path("run.json"), "w") as file:
            json.dump(trace(), file)

    def export(self, *words, **options):
        return self.gpustall("export", "run.json", *words, **options)

    def fails(self, status, *words, **options):
        result = self.export(*words, **options)
        self.assertEqual((result.returncode, result.stdout), (status, b""), result.stderr)
        self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; [^\n]+\n$")
        return result.stderr.decode()

    def test_a_timeline_goes_to_a_file_to_a_packed_one_and_to_stdout(self):
        self.assertEqual(self.export("--chrome", "a.json").returncode, 0)
        self.assertEqual(self.export("--chrome", "a.json.gz").returncode, 0)
        with open(self.path("a.json"), "rb") as plain, gzip.open(self.path("a.json.gz")) as packed:
            text = plain.read()
            self.assertEqual(packed.read(), text)
        self.assertEqual(self.export("--chrome", "-").stdout, text)
        own = json.loads(text)["gpustall"]
        self.assertEqual(own["devices"][0]["busy_ns"], 200 * 40250)
        self.assertTrue(own["complete"])

    def test_every_file_is_told_once_it_is_there(self):
        result = self.export("--chrome", "a.json", "--kineto", "k.json", "--csv", "tables", "--jsonl", "a.jsonl",
                             "--speedscope", "s.json", "--collapsed", "c.txt")
        self.assertEqual(result.stdout, b"")
        told = {line.split("wrote ")[1].split(";")[0] for line in result.stderr.decode().splitlines()}
        self.assertEqual(told, {"a.json", "k.json, 1 rank", "tables: causes, gaps, slices, steps", "a.jsonl", "s.json",
                                "c.txt"})
        self.assertIn(b"wrote one.csv: causes\n", self.export("--csv", "one.csv").stderr)
        for quiet in (self.export("--csv", "-"), self.export("--collapsed", "q.txt", "-q")):
            self.assertEqual(quiet.stderr, b"")

    def test_tables_go_to_a_folder_or_to_one_file(self):
        self.assertEqual(self.export("--csv", "tables").returncode, 0)
        self.assertEqual(sorted(os.listdir(self.path("tables"))),
                         ["causes.csv", "gaps.csv", "slices.csv", "steps.csv"])
        one = self.export("--csv", "-", "--table", "gaps").stdout.decode()
        with open(self.path("tables/gaps.csv"), newline="") as file:
            self.assertEqual(file.read(), one)
        self.assertEqual(len(list(csv.DictReader(io.StringIO(one)))), 199)
        lines = self.export("--jsonl", "-").stdout.decode().splitlines()
        self.assertLessEqual({json.loads(line)["table"] for line in lines}, {"causes", "gaps", "slices", "steps"})

    def sums(self, *run):
        """By bin of `causes`: (sum of ns, length)."""
        result = self.gpustall("export", *run, "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        bins = {}
        for row in csv.DictReader(io.StringIO(result.stdout.decode())):
            key = tuple(row[name] for name in ("host", "rank", "device", "gpu_uuid", "start_ns", "end_ns"))
            bins[key] = bins.get(key, 0) + int(row["ns"])
        return [(ns, int(key[5]) - int(key[4])) for key, ns in bins.items()]

    def test_causes_of_a_bin_add_up_to_its_length_also_when_damaged_or_without_gaps(self):
        subprocess.run([os.environ["GPUSTALL_LIVE_TRACE"], self.path("p1.gst")], check=True)
        with open(self.path("p1.gst"), "rb") as whole, open(self.path("cut.gst"), "wb") as cut:
            cut.write(whole.read()[:100_000])
        with open(self.path("one.json"), "w") as file:
            json.dump(trace(kernels=1), file)
        for run, least in (("run.json", 1), ("p1.gst", 100), ("cut.gst", 1), ("one.json", 1)):
            sums = self.sums(self.path(run))
            self.assertGreaterEqual(len(sums), least, run)
            for ns, length in sums:
                self.assertEqual(ns, length, run)

    def test_what_exists_is_only_replaced_when_asked_for(self):
        with open(self.path("a.json"), "w") as file:
            file.write("mine")
        self.assertIn("-f", self.fails(1, "--chrome", "a.json"))
        with open(self.path("a.json")) as file:
            self.assertEqual(file.read(), "mine")
        self.assertEqual(self.export("--chrome", "a.json", "-f").returncode, 0)
        with open(self.path("a.json")) as file:
            json.load(file)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.json", "run.json"])

    def test_a_place_without_room_is_one_line_and_leaves_nothing(self):
        self.fails(1, "--chrome", "big.json", preexec_fn=limit_files)
        self.fails(1, "--jsonl", "big.jsonl", preexec_fn=limit_files)
        self.fails(1, "--csv", "tables", preexec_fn=limit_files)
        self.assertEqual(os.listdir(self.folder), ["run.json"])

    def test_a_place_that_cannot_be_written_is_told(self):
        self.fails(1, "--chrome", "no/such/folder/a.json")
        self.fails(1, "--csv", "run.json")
        self.assertNotIn("-f", self.fails(1, "--collapsed", "/dev/null"))
        self.fails(1, "--collapsed", "/dev/null", "-f")
        with open("/dev/full", "wb") as full:
            result = self.export("--chrome", "-", stdout=full)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"No space left", result.stderr)

    def test_wishes_that_make_no_sense(self):
        self.fails(2)
        self.fails(2, "--chrome", "-", "--collapsed", "-")
        self.fails(2, "--chrome", "a.json", "--window", "yesterday")
        self.fails(2, "--collapsed", "a.txt", "--window", "worst:3")
        self.fails(2, "--chrome", "a.json", "--max-size", "large")
        self.fails(2, "--kineto", "a.txt")
        self.fails(2, "--csv", "a.csv", "--table", "nonsense")
        self.fails(1, "--chrome", "a.json", "--window", "steps:900:1000")
        self.fails(1, "--chrome", "a.json", "--device", "7")
        self.assertEqual(os.listdir(self.folder), ["run.json"])

    def test_a_device_that_is_not_there_is_told_with_those_that_are(self):
        self.gpustall("collect", "run.json", "-o", "saved")
        for words in (["report", "run.json"], ["report", "saved"], ["report", "run.json", "--json"],
                      ["report", "run.json", "--md"], ["report", "run.json", "--html", "a.html"], ["gaps", "run.json"],
                      ["export", "run.json", "--chrome", "a"], ["export", "run.json", "--kineto", "a.json"],
                      ["export", "run.json", "--csv", "-"], ["export", "run.json", "--jsonl", "-"],
                      ["export", "run.json", "--speedscope", "-"], ["export", "run.json", "--collapsed", "-"]):
            result = self.gpustall(*words, "--device", "99")
            self.assertEqual((result.returncode, result.stdout), (1, b""), words)
            self.assertEqual(result.stderr, b"gpustall: error: no device 99; the recording has 0\n")
            self.assertEqual(self.gpustall(*words, "--device", "0").returncode, 0)

    def test_two_outputs_in_one_file_are_refused(self):
        os.symlink(".", self.path("here"))
        for other in ("a.json", "./a.json", self.path("a.json"), "here/a.json"):
            self.assertIn("two outputs", self.fails(2, "--chrome", "a.json", "--kineto", other, "-f"))
        self.assertIn("two outputs", self.fails(2, "--csv", "tables", "--jsonl", "tables/causes.csv"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["here", "run.json"])

    def test_a_cap_is_kept_and_told(self):
        result = self.export("--chrome", "a.json", "--max-size", "60K")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLess(os.path.getsize(self.path("a.json")), 60000)
        self.assertIn(b"left out:", result.stderr)
        with open(self.path("a.json")) as file:
            self.assertFalse(json.load(file)["gpustall"]["complete"])
        refused = self.gpustall("report", "a.json")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(b"part of a recording", refused.stderr)

    def test_a_saved_report_holds_no_events(self):
        self.assertEqual(self.gpustall("collect", "run.json", "-o", "saved").returncode, 0)
        result = self.gpustall("export", "saved", "--chrome", "a.json")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]*saved report[^\n]*; [^\n]+\n$")

    def test_an_export_reports_the_same(self):
        self.export("--chrome", "a.json")
        first, second = (json.loads(self.gpustall("report", name, "--json").stdout)["devices"][0]
                         for name in ("run.json", "a.json"))
        for key in ("span_ns", "busy_ns", "idle_ns"):
            self.assertEqual(first[key], second[key])
        self.assertEqual([(row["cause"], row["idle_ns"]) for row in first["windows"]["whole"]["causes"]],
                         [(row["cause"], row["idle_ns"]) for row in second["windows"]["whole"]["causes"]])


if __name__ == "__main__":
    main()
