"""What the library shows to the loader: exports, dependencies, thread-local storage."""
import os
import re
import subprocess
import unittest

from harness import LIBRARY, ProcessTest

SOURCE = os.environ["GPUSTALL_TEST_SOURCE"]


def tool(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Library(ProcessTest):
    def test_the_exported_symbols_are_those_of_hooks_def(self):
        with open(SOURCE + "/libinterpose/hooks.def") as f:
            rows = re.findall(r"^GPUSTALL_[A-Z_]+\((\w+)", f.read(), re.M)
        exported = [line.split()[-1] for line in tool("nm", "-D", "--defined-only", LIBRARY).splitlines()]
        self.assertEqual(len(rows), len(set(rows)), "a symbol has two rows")
        self.assertEqual(sorted(exported), sorted(rows))
        self.assertFalse([name for name in exported if "@" in name], "no version nodes")

    def test_it_needs_only_libc(self):
        needed = re.findall(r"NEEDED.*\[(.*)\]", tool("readelf", "-d", LIBRARY))
        allowed = r"lib(c|dl|pthread|m|rt)\.so\.\d|ld-linux-x86-64\.so\.2"
        self.assertEqual([n for n in needed if not re.fullmatch(allowed, n)], [])

    def test_thread_local_storage_is_eight_bytes_initial_exec(self):
        sizes = re.findall(r"^\s+TLS\s+(?:0x\w+\s+){4}(0x\w+)", tool("readelf", "-lW", LIBRARY), re.M)
        self.assertEqual([int(s, 16) for s in sizes], [8])
        # A general-dynamic access would call __tls_get_addr, which may allocate.
        self.assertNotIn("__tls_get_addr", tool("nm", "-D", "--undefined-only", LIBRARY))

    def test_no_c_plus_plus_runtime_symbol_is_left_undefined(self):
        undefined = tool("nm", "-D", "--undefined-only", LIBRARY)
        self.assertEqual(re.findall(r"\b(_Z\w+|__cxa_throw|_Unwind_Resume)\b", undefined), [])


if __name__ == "__main__":
    unittest.main()
