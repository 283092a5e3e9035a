"""report --html and diff --html as commands: files are not replaced, source stands in the page or does not."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
from program import TestCase, main  # noqa: E402


class Html(TestCase):
    def setUp(self):
        super().setUp()
        for name, lines in (("train.py", 45), ("model.py", 5)):
            with open(self.path(name), "w") as file:
                file.write("".join("    line %d of %s <&>\n" % (n, name) for n in range(1, lines + 1)))
            os.utime(self.path(name), (1e9, 1e9))  # long before the recording
        os.mkdir(self.path("rec"))
        subprocess.run([os.environ["GPUSTALL_LIVE_TRACE"], self.path("rec/p4711.gst"), self.folder], check=True)

    def page(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_the_page_has_the_lines_around_what_is_blamed(self):
        result = self.gpustall("report", "rec", "--html", "r.html")
        self.assertEqual((result.returncode, result.stdout), (0, b""))
        self.assertIn(b"saved r.html", result.stderr)
        page = self.page("r.html")
        self.assertIn('<code class="hit"><i>3</i>line 3 of model.py &lt;&amp;&gt;</code>', page)
        self.assertIn("<code><i>2</i>line 2 of model.py", page)
        self.assertNotIn("line 7 of model.py", page)

    def test_without_source_there_is_none(self):
        self.gpustall("report", "rec", "--html", "r.html", "--no-source")
        self.assertNotIn(" of model.py", self.page("r.html"))
        self.assertIn("model.py:3", self.page("r.html"))

    def test_a_file_that_was_changed_since_is_not_quoted(self):
        os.utime(self.path("rec"), (1.5e9, 1.5e9))
        os.utime(self.path("model.py"), (1.6e9, 1.6e9))
        self.gpustall("report", "rec", "--html", "r.html")
        self.assertNotIn(" of model.py", self.page("r.html"))
        self.assertIn("model.py:3", self.page("r.html"))

    def test_an_existing_file_is_kept(self):
        with open(self.path("r.html"), "w") as file:
            file.write("mine")
        result = self.gpustall("report", "rec", "--html", "r.html")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"r.html exists already", result.stderr)
        self.assertEqual(self.page("r.html"), "mine")
        self.assertEqual(self.gpustall("report", "rec", "--html", "r.html", "-f").returncode, 0)
        self.assertIn("<h1>", self.page("r.html"))

    def test_a_saved_model_has_the_same_page(self):
        self.assertEqual(self.gpustall("collect", "rec", "-o", "rec.gpustall").returncode, 0)
        for name, path in (("a.html", "rec"), ("b.html", "rec.gpustall")):
            self.assertEqual(self.gpustall("report", path, "--html", name).returncode, 0)
        self.assertEqual(self.page("a.html"), self.page("b.html"))

    def test_options_that_contradict_each_other_are_refused(self):
        for words in (["--html", "r.html", "--json"], ["--html", "r.html", "--md"], ["--no-source"], ["-f"]):
            self.assertEqual(self.gpustall("report", "rec", *words).returncode, 2)

    def test_a_dash_is_standard_output(self):
        for words in (["report", "rec"], ["diff", "rec", "rec"]):
            self.assertEqual(self.gpustall(*words, "--html", "r.html", "-f").returncode, 0)
            result = self.gpustall(*words, "--html", "-")
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assertEqual(result.stdout.decode(), self.page("r.html"))
        self.assertNotIn("-", os.listdir(self.folder))
        self.assertEqual(self.gpustall("diff", "rec", "rec", "--html", "-", "--github").returncode, 2)

    def test_a_comparison_has_a_page_and_the_gates_status(self):
        result = self.gpustall("diff", "rec", "rec", "--html", "d.html", "--gate", "3%")
        self.assertIn(result.returncode, (0, 4))
        self.assertEqual(result.stdout, b"")
        verdict = self.gpustall("diff", "rec", "rec").stdout.decode().split()[0]
        self.assertIn("<h1>" + verdict, self.page("d.html"))
        self.assertEqual(self.gpustall("diff", "rec", "rec", "--html", "d.html").returncode, 1)


if __name__ == "__main__":
    main()
