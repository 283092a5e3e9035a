"""A program that uses no CUDA notices nothing, and neither does its user."""
import shutil
import subprocess
import unittest

from harness import LIBRARY, PYTHON, VICTIM, ProcessTest, python


class Inert(ProcessTest):
    def assert_unchanged(self, command, **variables):
        bare = self.run_victim(command, inject=False, **variables)
        run = self.run_victim(command, **variables)
        self.assertEqual((run.code, run.out, run.err), (bare.code, bare.out, bare.err))
        self.assertEqual(run.files, [], "an inert program has no files")

    def test_true(self):
        self.assert_unchanged(["true"])

    def test_a_shell_with_pipes_and_children(self):
        self.assert_unchanged(["bash", "-c", "seq 100 | sort -n | tail -1; (exit 7)"])

    def test_a_shell_killed_by_a_signal(self):
        self.assert_unchanged(["bash", "-c", "kill -TERM $$"])

    def test_python(self):
        self.assert_unchanged([PYTHON, "-c", "pass"])

    def test_python_with_threads_and_subprocesses(self):
        self.assert_unchanged([PYTHON, "-c", "import threading, subprocess, time\n"
                               "t = threading.Thread(target=time.sleep, args=(.01,)); t.start()\n"
                               "print(subprocess.run(['echo', 'a'], capture_output=True)); t.join()"])

    def test_python_that_starts_python(self):
        self.assert_unchanged([PYTHON, "-c", "import multiprocessing, time\n"
                               "if __name__ == '__main__':\n"
                               "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
                               "        print(pool.map(time.sleep, [.1, .1]))\n"])

    def test_git(self):
        if shutil.which("git") is None:
            self.skipTest("no git")
        self.assert_unchanged(["git", "--no-optional-locks", "status"])

    def test_a_static_binary(self):
        source, program = self.folder + "/s.c", self.folder + "/s"
        with open(source, "w") as f:
            f.write("#include <stdio.h>\nint main(void) { puts(\"static\"); return 4; }\n")
        if subprocess.run(["cc", "-static", source, "-o", program], capture_output=True).returncode:
            self.skipTest("no static libc")
        self.assert_unchanged([program])

    def test_a_program_that_could_use_cuda_but_does_not(self):
        self.assert_unchanged([VICTIM, "wakers"], VICTIM_NO_CUDA="1")

    def test_the_kill_switch(self):
        self.assert_unchanged([VICTIM, "wakers"], GPUSTALL="0")
        run = self.run_victim(["env"], GPUSTALL="0")
        self.assertNotIn("CUDA_INJECTION64_PATH", run.out)

    def test_the_injection_variables_name_this_library_and_respect_others(self):
        self.assertIn(f"CUDA_INJECTION64_PATH={LIBRARY}\n", self.run_victim(["bash", "-c", "env"]).out)
        run = self.run_victim(["bash", "-c", "env"], CUDA_INJECTION64_PATH="/other")
        self.assertIn("CUDA_INJECTION64_PATH=/other\n", run.out)

    def test_the_run_belongs_to_the_python_process_not_to_the_shell_above_it(self):
        program = python("cuda.cudaDeviceSynchronize()")
        run = self.run_victim(["bash", "-c", '"$@"; "$@"', "-", *program])
        self.assertEqual(len({t.header["run"] for t in run.traces}), 2, run.err)


if __name__ == "__main__":
    unittest.main()
