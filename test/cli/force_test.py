"""What -f never does: replace what is no regular file, or what the command reads."""
import os
import stat
import subprocess

from program import TestCase, main


class Force(TestCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("base"))
        self.trace("base/p1.gst")

    def trace(self, name):
        subprocess.run([os.environ["GPUSTALL_LIVE_TRACE"], self.path(name)], check=True)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def refused(self, sentence, *words):
        result = self.gpustall(*words)
        self.assertEqual((result.returncode, result.stdout), (1, b""), result.stderr)
        self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; [^\n]+\n$")
        self.assertIn(sentence, result.stderr.decode())

    def writers(self, name):
        return (["report", "base", "--html", name], ["collect", "base", "-o", name],
                ["export", "base", "--chrome", name], ["diff", "base", "base", "--html", name])

    def test_what_is_no_regular_file_stays(self):
        os.mkfifo(self.path("pipe"))
        os.mkdir(self.path("folder"))
        os.symlink("pipe", self.path("link"))
        for name in ("pipe", "folder", "link"):
            for words in self.writers(name):
                self.refused("is no regular file", *words, "-f")
        self.assertTrue(stat.S_ISFIFO(os.lstat(self.path("pipe")).st_mode))
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(sorted(os.listdir(self.folder)), ["base", "folder", "link", "pipe"])

    def test_the_input_stays(self):
        before = self.read("base/p1.gst")
        os.link(self.path("base/p1.gst"), self.path("same"))
        os.symlink("base", self.path("other"))
        for name in ("base/p1.gst", "same", "other/p1.gst"):
            for words in self.writers(name):
                if name == "same":  # another name of the file, which is the input here
                    words = [word.replace("base", "base/p1.gst") for word in words]
                self.refused("belongs to the input", *words, "-f")
        self.assertEqual(self.read("base/p1.gst"), before)
        self.assertEqual(os.listdir(self.path("base")), ["p1.gst"])

    def test_a_file_beside_the_input_is_replaced(self):
        for words in self.writers("out"):
            with open(self.path("out"), "w") as file:
                file.write("old")
            result = self.gpustall(*words, "-f")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotEqual(self.read("out"), b"old")


if __name__ == "__main__":
    main()
