"""Bad input to report, gaps, collect, dump: one clear line with the remedy, exit 1."""
import os
import subprocess

from program import TestCase, main


class BadInput(TestCase):
    COMMANDS = (["report"], ["report", "--json"], ["gaps"], ["dump"])

    def complaint(self, name, commands=COMMANDS):
        for command in commands:
            result = self.gpustall(*command, name)
            self.assertEqual((result.returncode, result.stdout), (1, b""),
                             (command, name, result.stderr))
            self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; [^\n]+\n$")
        return result.stderr.decode()

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def test_nothing_there(self):
        self.complaint("no-such-recording")

    def test_an_empty_folder(self):
        os.mkdir(self.path("empty"))
        self.complaint("empty")

    def test_files_that_are_no_recordings(self):
        self.complaint(self.write("nothing.gst", b""))
        self.complaint(self.write("short.gst", b"GPUSTALL"))
        self.complaint(self.write("foreign.gst", b"\x7fELF" + bytes(8000)))
        self.complaint(self.write("text.json", b"hello\n"), self.COMMANDS[:3])
        self.complaint(self.write("other.json", b'{"a": [1, 2'), self.COMMANDS[:3])
        self.complaint(self.write("cut.gpustall", b'{"schema": 1, "basis": '), self.COMMANDS[:2])

    def test_a_newer_format_names_both_versions(self):
        header = b"GPUSTALL" + (999).to_bytes(2, "little") * 2 + (4096).to_bytes(4, "little")
        self.assertIn("999", self.complaint(self.write("new.gst", header + bytes(4096 - len(header)))))

    def test_no_permission(self):
        os.chmod(self.path(self.write("closed.gst", b"GPUSTALL")), 0)
        os.chmod(self.folder, 0o755)
        # Root may read everything, so the test becomes somebody else.
        other = {"user": 65534} if os.geteuid() == 0 else {}
        try:
            result = self.gpustall("report", "closed.gst", **other)
        except PermissionError:
            self.skipTest("SKIPPED: the program is not reachable for other users")
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(b"ermission", result.stderr)

    def test_a_folder_called_like_a_command_is_a_folder(self):
        for name in ("run", "diff", "report"):
            os.mkdir(self.path(name))
            for words in (["diff", name, name], ["report", name], ["dump", name]):
                result = self.gpustall(*words)
                self.assertEqual(result.returncode, 1, words)
                self.assertIn(b"is empty: no process recorded here", result.stderr, words)

    def test_no_file_is_put_into_the_input_that_would_be_read_with_it(self):
        os.mkdir(self.path("in"))
        self.write("in/bad.gst", b"")
        for name in ("in/x.gst", "in/x.json", "in/../in/x.json.gz"):
            result = self.gpustall("collect", "in", "-o", name)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr.decode(), r"^gpustall: error: \S+ would become a part of the input in; ")
        self.assertEqual(os.listdir(self.path("in")), ["bad.gst"])

    def test_dump_goes_on_behind_a_bad_file(self):
        os.mkdir(self.path("in"))
        self.write("in/a.gst", b"")
        self.write("in/b.gst", b"\x7fELF" + bytes(8000))
        subprocess.run([os.environ["GPUSTALL_LIVE_TRACE"], self.path("in/c.gst")], check=True)
        result = self.gpustall("dump", "in")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b'header file="c.gst"', result.stdout)
        told = result.stderr.decode().splitlines()
        self.assertEqual(len(told), 2, told)
        self.assertIn("a.gst", told[0])
        self.assertRegex(told[1], r"^gpustall: error: .*b\.gst")

    def test_collect_leaves_nothing_behind_and_overwrites_nothing(self):
        self.write("bad.gst", b"")
        result = self.gpustall("collect", "bad.gst", "-o", "saved")
        self.assertEqual(result.returncode, 1)
        self.write("saved", b"precious")
        result = self.gpustall("collect", "bad.gst", "-o", "saved")
        self.assertIn(b"saved exists already", result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.gst", "saved"])


if __name__ == "__main__":
    main()
