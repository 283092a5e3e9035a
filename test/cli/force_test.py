"""What -f never does: replace what is no regular file, what the command reads, what is still being recorded."""
import os
import stat
import subprocess

from program import TestCase, main, python

# Has the trace mapped as its writer has it, until its input ends.
WRITER = """
import mmap, sys
file = open(sys.argv[1], 'r+b')
map = mmap.mmap(file.fileno(), 0)
print('mapped', flush=True)
sys.stdin.read()
"""
PID_OFFSET = 32  # of the trace's header


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

    def set_pid(self, name, pid):
        with open(self.path(name), "r+b") as file:
            file.seek(PID_OFFSET)
            file.write(pid.to_bytes(4, "little"))

    def test_a_recording_that_is_still_written_stays(self):
        with subprocess.Popen([*python(WRITER), self.path("base/p1.gst")], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            self.set_pid("base/p1.gst", writer.pid)
            result = self.gpustall("run", "-f", "-o", "base", "true")
            writer.stdin.close()
        self.assertEqual(result.returncode, 125)
        self.assertRegex(result.stderr.decode(),
                         r"^gpustall: error: process %d still records to [^\n]+; [^\n]+\n$" % writer.pid)
        self.assertEqual(os.listdir(self.path("base")), ["p1.gst"])
        self.assertEqual(self.gpustall("run", "-f", "-o", "base", "true").returncode, 0)
        self.assertEqual(os.listdir(self.path("base")), [])

    def test_a_killed_process_whose_number_another_has_by_now_holds_nothing(self):
        self.set_pid("base/p1.gst", os.getpid())
        self.assertEqual(self.gpustall("run", "-f", "-o", "base", "true").returncode, 0)
        self.assertEqual(os.listdir(self.path("base")), [])


if __name__ == "__main__":
    main()
