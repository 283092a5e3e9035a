"""What `gpustall run` gives to the program: arguments, streams, environment, a folder."""
import json
import os
import stat
import unittest

from program import BIN, STAND_IN, TestCase, main, python

PRINT_ENV = "import os, json; print(json.dumps(dict(os.environ)))"


class Starting(TestCase):
    def environment_of(self, *options, env=None):
        result = self.gpustall("run", *options, "--", *python(PRINT_ENV), env=env)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout), result.stderr.decode()

    def test_streams_and_arguments_are_passed_on_unchanged(self):
        code = "import sys; sys.stdout.write(sys.stdin.read() + repr(sys.argv[1:])); sys.stderr.write('x')"
        result = self.gpustall("-q", "run", *python(code), "-o", "--", "a b", input=b"in\0put")
        self.assertEqual(result.stdout, b"in\0put['-o', '--', 'a b']")
        self.assertEqual(result.stderr, b"x")

    def test_options_before_the_program_are_ours_and_after_it_the_programs(self):
        result = self.gpustall("run", "-fo", "mine", "--delay", "3", "echo", "--delay", "4", "-f")
        self.assertEqual(result.stdout, b"--delay 4 -f\n")
        self.assertTrue(os.path.isdir(self.path("mine")))

    def test_the_library_is_loaded_and_injected(self):
        seen, _ = self.environment_of(env={"TEST_LOADED": self.path("proof")})
        self.assertTrue(os.path.exists(self.path("proof")))
        library = os.path.realpath(STAND_IN)
        self.assertEqual(seen["LD_PRELOAD"], library)
        self.assertEqual(seen["CUDA_INJECTION64_PATH"], library)
        self.assertEqual(seen["NVTX_INJECTION64_PATH"], library)
        self.assertRegex(seen["GPUSTALL_RUN_ID"], "^[0-9a-f]{32}$")

    def test_what_was_preloaded_before_stays_behind_ours(self):
        seen, _ = self.environment_of(env={"LD_PRELOAD": "libm.so.6"})
        self.assertEqual(seen["LD_PRELOAD"], os.path.realpath(STAND_IN) + ":libm.so.6")

    def test_what_is_preloaded_already_is_not_preloaded_twice(self):
        library = os.path.realpath(STAND_IN)
        seen, _ = self.environment_of(env={"LD_PRELOAD": "libm.so.6 " + library})
        self.assertEqual(seen["LD_PRELOAD"], library + ":libm.so.6")

    def test_the_folder_may_be_named_by_the_environment(self):
        seen, _ = self.environment_of(env={"GPUSTALL_OUT": "named"})
        self.assertEqual(seen["GPUSTALL_OUT"], self.path("named"))

    def test_a_taken_injection_variable_is_respected_and_told(self):
        seen, told = self.environment_of(env={"CUDA_INJECTION64_PATH": "/other/tool.so"})
        self.assertEqual(seen["CUDA_INJECTION64_PATH"], "/other/tool.so")
        self.assertIn("CUDA_INJECTION64_PATH is set to /other/tool.so and stays so", told)

    def test_a_library_path_with_a_space_or_a_colon_is_preloaded_through_a_private_link(self):
        for name in ("with space", "with:colon"):
            folder = self.path(name)
            os.mkdir(folder)
            library = os.path.join(folder, "libgpustall.so")
            os.symlink("/dev/null", library + ".x")
            with open(STAND_IN, "rb") as source, open(library, "wb") as target:
                target.write(source.read())
            proof = self.path("proof of " + name)
            seen, told = self.environment_of(env={"GPUSTALL_LIB": library, "TEST_LOADED": proof})
            self.assertTrue(os.path.exists(proof), told)
            private = "/tmp/gpustall-%d" % os.geteuid()
            self.assertTrue(seen["LD_PRELOAD"].startswith(private + "/"), seen["LD_PRELOAD"])
            self.assertEqual(stat.S_IMODE(os.lstat(private).st_mode), 0o700)
            self.assertNotIn("ld.so", told)
            os.unlink(os.path.dirname(seen["LD_PRELOAD"]))  # the link; the folder stays

    def test_options_become_the_librarys_variables(self):
        seen, _ = self.environment_of("--delay", "1.5", "--duration=2", "--max-size", "10M",
                                      "--no-stacks", "--range", "cuda-profiler", "--no-cupti",
                                      "--sample-hz", "0")
        expected = {"GPUSTALL_DELAY": "1.5", "GPUSTALL_DURATION": "2", "GPUSTALL_MAX_SIZE": "10M",
                    "GPUSTALL_STACKS": "0", "GPUSTALL_RANGE": "cuda-profiler",
                    "GPUSTALL_CUPTI": "0", "GPUSTALL_SAMPLE_HZ": "0"}
        self.assertEqual({k: seen[k] for k in expected}, expected)

    def test_the_default_folder_is_named_after_the_script_and_private(self):
        with open(self.path("train it.py"), "w") as script:
            script.write("pass")
        for _ in range(2):  # within one second: two folders all the same
            self.assertEqual(self.gpustall("run", *python("pass")[:1], "train it.py").returncode, 0)
        made = self.recordings()
        self.assertEqual(len(made), 2, made)
        self.assertRegex(made[0], r"^gpustall-train_it-\d{4}T\d{6}")
        self.assertEqual(stat.S_IMODE(os.stat(self.path(made[0])).st_mode), 0o700)

    def test_a_folder_pattern_is_filled_in(self):
        seen, _ = self.environment_of("-o", "r%r-%q{WHO}", env={"RANK": "3", "WHO": "me"})
        self.assertEqual(seen["GPUSTALL_OUT"], self.path("r3-me"))
        self.assertEqual(self.gpustall("run", "-o", "%q{NOT_SET_AT_ALL}", "true").returncode, 125)

    def test_under_a_rank_or_without_a_terminal_gpustall_is_replaced_by_the_program(self):
        code = "import os; print(os.getppid() == %d)" % os.getpid()
        for env in ({}, {"RANK": "1"}, {"SLURM_PROCID": "0"}):
            self.assertEqual(self.gpustall("run", *python(code), env=env).stdout, b"True\n")

    def test_a_run_inside_a_run_does_not_record_twice(self):
        result = self.gpustall("run", "-o", "outer", BIN, "run", "-o", "inner", "true")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"an outer gpustall records", result.stderr)
        self.assertFalse(os.path.exists(self.path("inner")))

    def test_env_prints_what_a_shell_can_evaluate(self):
        result = self.gpustall("env", "-o", "it's here", "--delay", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        script = result.stdout.decode() + 'printf %s "$GPUSTALL_OUT|$GPUSTALL_DELAY|$LD_PRELOAD"'
        import subprocess
        shell = subprocess.run(["/bin/sh", "-c", script], cwd=self.folder, capture_output=True)
        self.assertEqual(shell.stdout.decode(),
                         "%s|2|%s" % (self.path("it's here"), os.path.realpath(STAND_IN)))
        self.assertIn(b"- name: LD_PRELOAD\n  value: ",
                      self.gpustall("env", "--format", "k8s").stdout)

    def test_env_for_docker_survives_the_shells_splitting(self):
        result = self.gpustall("env", "--format", "docker", "-o", "here")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("-e GPUSTALL_OUT=%s\n" % self.path("here"), result.stdout.decode())
        for words in (["-o", "two words"], ["-o", "two\nlines"], ["-o", "st*r"], ["--range", "nvtx:my step"]):
            result = self.gpustall("env", "--format", "docker", *words)
            self.assertEqual((result.returncode, result.stdout), (1, b""))
            self.assertRegex(result.stderr.decode(), r"^gpustall: error: [^\n]+; [^\n]+\n$")
        self.assertEqual(os.listdir(self.folder), ["here"])

    def test_env_for_kubernetes_escapes_what_a_line_cannot_hold(self):
        result = self.gpustall("env", "--format", "k8s", "-o", "two\nlines")
        self.assertIn('value: "%s"\n' % self.path("two\\u000alines"), result.stdout.decode())


if __name__ == "__main__":
    main()
