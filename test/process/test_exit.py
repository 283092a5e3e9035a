"""The end of a process, in every way that there is; and files that cannot be written."""
import os
import resource
import stat
import subprocess
import time
import unittest

from harness import VICTIM, ProcessTest, Run, python

CLEAN, CAP = 1, 8
NO_CHUNK = 0


class Exit(ProcessTest):
    def test_a_clean_end_is_marked_and_the_file_is_cut_to_its_length(self):
        trace = self.one_trace(self.act("waits"))
        self.assertTrue(trace.header["flags"] & CLEAN)
        self.assertEqual(trace.header["size"], 4096 + 65536 * trace.header["chunks"])
        self.assertGreaterEqual(len(trace.all("Wait", "nanosleep")), 990)

    def test_the_process_ends_with_the_last_thread_of_the_program(self):
        trace = self.one_trace(self.act("leave"))
        self.assertTrue(trace.header["flags"] & CLEAN)

    def test_a_trace_is_never_one_of_the_standard_descriptors(self):
        run = self.run_victim(["sh", "-c", f'ulimit -n 100; exec "{VICTIM}" waits <&- >&-'])
        self.assertEqual((run.code, run.out), (0, ""))
        self.assertEqual(len(self.one_trace(run).all("Wait", "write")), 0)

    def test_kill_loses_nothing_that_was_recorded_some_time_before(self):
        trace = self.one_trace(self.act("waits", "kill"))
        self.assertFalse(trace.header["flags"] & CLEAN)
        self.assertGreaterEqual(len(trace.all("Wait", "nanosleep")), 990)

    def test_kill_at_any_moment_leaves_a_readable_trace(self):
        for waits in (0, 10, 300, 1500):
            trace = self.one_trace(self.act("waits", "kill_now", VICTIM_WAITS=str(waits)))
            self.assertFalse(trace.header["flags"] & CLEAN)
            self.assertTrue(trace.all("Clock") and trace.all("Info") or waits == 0)

    def test_a_worker_without_a_helper_loses_little_when_it_is_killed(self):
        run = self.run_victim(python(
            "import os, signal, time\ncuda.cudaDeviceSynchronize()\nchild = os.fork()\n"
            "if child == 0:\n"
            "    for _ in range(50): time.sleep(.01)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
            "os.waitpid(child, 0)"))
        (worker,) = [t for t in run.traces if t.header["epoch"] == 1]
        self.assertFalse(worker.damaged)
        self.assertGreaterEqual(len(worker.all("Wait", "clock_nanosleep")), 46)

    def test__exit_loses_nothing_that_was_recorded(self):
        run = self.act("waits", "_exit")
        self.assertEqual(run.code, 5)
        trace = self.one_trace(run)
        self.assertGreaterEqual(len(trace.all("Wait", "nanosleep")), 990)
        self.assertTrue(trace.header["flags"] & CLEAN)

    def test_exec_loses_nothing_that_was_recorded(self):
        trace = self.one_trace(self.act("waits", "exec"))
        self.assertFalse(trace.header["flags"] & CLEAN)
        self.assertGreaterEqual(len(trace.all("Wait", "nanosleep")), 990)

    def test_a_child_of_vfork_that_cannot_exec_does_not_end_its_parents_recording(self):
        trace = self.one_trace(self.act("vfork_exit"))
        self.assertTrue(trace.header["flags"] & CLEAN)
        self.assertGreaterEqual(len(trace.all("Wait", "nanosleep")), 990)

    def test_exit_while_other_threads_are_blocked_is_prompt(self):
        start = time.monotonic()
        run = self.act("blocked")
        self.assertEqual(run.code, 3)
        self.assertLess(time.monotonic() - start, 10)
        self.assertTrue(self.one_trace(run).header["flags"] & CLEAN)

    def test_files_are_private(self):
        trace = self.one_trace(self.act("waits"))
        self.assertEqual(stat.S_IMODE(os.stat(trace.path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(trace.path)).st_mode), 0o700)

    def test_a_program_that_closes_all_descriptors_and_reuses_ours(self):
        trace = self.one_trace(self.act("close"))
        self.assertTrue(trace.header["flags"] & CLEAN)
        self.assertEqual(trace.header["size"], 4096 + 65536 * trace.header["chunks"])

    def test_no_secrets_are_recorded(self):
        run = self.run_victim(python("cuda.cudaDeviceSynchronize()") + ["--hf-token", "abc123", "--api_key=x9y8z7w6"],
                              MY_SECRET="s3cret", OMP_NUM_THREADS="3")
        trace = self.one_trace(run)
        with open(trace.path, "rb") as f:
            data = f.read()
        self.assertFalse([s for s in (b"abc123", b"x9y8z7w6", b"s3cret") if s in data])
        self.assertIn("env.OMP_NUM_THREADS: 3", {r.text for r in trace.all("Info")})


class Disk(ProcessTest):
    def test_the_size_cap_keeps_what_came_first(self):
        run = self.act("waits", GPUSTALL_MAX_SIZE="400K", VICTIM_WAITS="60000")
        trace = self.one_trace(run)
        self.assertLessEqual(trace.header["size"], 400 * 1024)
        self.assertTrue(trace.header["flags"] & CAP)
        self.assertEqual(len([r for r in trace.all("Notice") if r["kind"] == 7]), 1)
        waits = trace.all("Wait", "nanosleep")
        self.assertGreater(trace.losses[NO_CHUNK], 1000)
        self.assertAlmostEqual(len(waits) + trace.losses[NO_CHUNK], 60000, delta=600)
        self.assertEqual(waits, sorted(waits, key=lambda r: r["start"]))

    def limited(self, limit):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    def test_a_file_size_limit_does_not_kill_the_program(self):
        env = dict(os.environ, LD_PRELOAD=os.environ["GPUSTALL_TEST_LIBRARY"], VICTIM_WAITS="60000")
        for limit, error in ((300000, r"\Z"), (50000, r"gpustall: cannot write the trace to .*: File too large\n\Z")):
            done = subprocess.run([VICTIM, "waits"], cwd=self.folder, env=env, capture_output=True, text=True,
                                  preexec_fn=lambda: self.limited(limit))
            self.assertEqual((done.returncode, done.stdout), (0, "done\n"))
            self.assertRegex(done.stderr, r"\A" + error)
        trace = self.one_trace(Run(done, self.folder))
        self.assertLessEqual(trace.header["size"], 300000)
        self.assertRegex("".join(r["text"] for r in trace.all("Notice")), "ulimit")

    def full_disk(self, size, **variables):
        mount = self.folder + "/small"
        os.mkdir(mount)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", mount],
                          capture_output=True).returncode != 0:
            self.skipTest("cannot mount a small tmpfs here")
        self.addCleanup(subprocess.run, ["umount", "-l", mount])
        return self.run_victim([VICTIM, "waits"], cwd=mount, VICTIM_WAITS="60000", **variables)

    def test_a_disk_that_fills_up_is_noticed_and_never_filled(self):
        run = self.full_disk("512K")
        self.assertEqual((run.code, run.out, run.err), (0, "done\n", ""))
        trace = self.one_trace(run)
        self.assertEqual(len([r for r in trace.all("Notice") if r["kind"] == 8]), 1)
        self.assertGreater(trace.losses[NO_CHUNK], 1000)
        self.assertGreater(len(trace.all("Wait")), 15000)

    def test_a_file_that_is_cut_while_it_is_written_does_not_kill_the_program(self):
        # At once after each record, the whole time, to nothing and inside a chunk.
        for size in (0, 40000):
            trace = self.one_trace(self.act("cut", str(size)))
            self.assertTrue(trace.header["flags"] & CLEAN)
            self.assertEqual({r["kind"] for r in trace.all("Notice")} & {14}, {14})
            self.assertTrue(trace.all("Wait", "nanosleep"), "what came after the cut is there")

    def test_a_disk_without_any_room_turns_the_recording_off(self):
        run = self.full_disk("64K")
        self.assertEqual((run.code, run.out), (0, "done\n"))
        self.assertRegex(run.err, r"\Agpustall: cannot write the trace to .*: No space left on device\n\Z")

    def test_a_folder_that_cannot_be_written_turns_the_recording_off(self):
        run = self.run_victim([VICTIM, "waits"], GPUSTALL_OUT="/proc/nowhere")
        self.assertEqual((run.code, run.out), (0, "done\n"))
        self.assertRegex(run.err, r"\Agpustall: cannot write the trace to /proc/nowhere: .*\n\Z")

    def test_a_limited_address_space(self):
        env = dict(os.environ, LD_PRELOAD=os.environ["GPUSTALL_TEST_LIBRARY"])
        limit = 600 << 20
        done = subprocess.run([VICTIM, "waits"], cwd=self.folder, env=env, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))


if __name__ == "__main__":
    unittest.main()
