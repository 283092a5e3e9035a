"""Waits and wakers in libc: recorded, and unchanged for the program."""
import os
import unittest

from harness import ProcessTest, python


class Waits(ProcessTest):
    def test_errno_is_what_the_call_left(self):
        trace = self.one_trace(self.act("errno"))
        waits = {r["result"] for r in trace.all("Wait", "read")}
        self.assertIn(1, waits)

    def test_what_a_failed_call_was_given_is_not_looked_at(self):
        self.one_trace(self.act("bad_pointers"))

    def test_a_cancelled_thread_unwinds_through_the_hook(self):
        self.one_trace(self.act("cancel"))

    def test_signals_interrupt_waits_and_their_handlers_may_use_hooks(self):
        trace = self.one_trace(self.act("signals"))
        self.assertTrue([r for r in trace.all("Wait", "usleep") if r["result"] == -1])

    def test_hooks_in_destructors_of_thread_keys(self):
        trace = self.one_trace(self.act("tls"))
        self.assertEqual(len(trace.all("Wait", "usleep")), 1 + 1 + 4)  # CUDA's, the thread's, 4 rounds

    def test_thousands_of_short_threads(self):
        trace = self.one_trace(self.act("churn"))
        self.assertGreaterEqual(len(trace.all("Thread")), 1900)
        self.assertGreaterEqual(len(trace.all("Wait", "usleep")), 1900)

    def test_the_last_waker_is_known(self):
        trace = self.one_trace(self.act("wakers"))
        creators = {r["tid"]: r["creator_tid"] for r in trace.all("Thread")}
        for name in ("pthread_cond_wait", "sem_wait"):
            (wait,) = trace.all("Wait", name)
            self.assertEqual(creators[wait["waker_tid"]], wait.tid)
            self.assertLess(wait["waker_lag"], wait["duration"])
            self.assertGreater(wait["object"], 0)

    def test_objects_are_named(self):
        run = self.run_victim(python(
            "import os, threading, time\n"
            "cuda.cudaDeviceSynchronize()\n"
            "r, w = os.pipe()\n"
            "t = threading.Thread(target=lambda: (time.sleep(.02), os.write(w, b'x'))); t.start()\n"
            "os.read(r, 1); t.join()"))
        trace = self.one_trace(run)
        (wait,) = [r for r in trace.all("Wait", "read") if r["result"] == 1]
        (pipe,) = [r for r in trace.all("Object") if r["id"] == wait["object"]]
        self.assertTrue(pipe.text.startswith("pipe:["), pipe.line)
        self.assertIn(str(pipe["identity"]), pipe.text)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two CPUs")
    def test_who_narrows_the_cpus_is_known(self):
        run = self.run_victim(python(
            "import os\n"
            "cpus = sorted(os.sched_getaffinity(0))\n"
            "os.sched_setaffinity(0, cpus[:-1])\n"  # before anything records
            "os.sched_setaffinity(0, cpus)\n"
            "cuda.cudaDeviceSynchronize()\n"
            "os.sched_setaffinity(0, cpus[:1])"))
        trace = self.one_trace(run)
        (call,) = trace.all("Wait", "sched_setaffinity")
        self.assertEqual(call["result"], 1)
        self.assertGreater(call["stack"], 0)
        info = dict(r.text.split(": ", 1) for r in trace.all("Info"))
        cpus = len(os.sched_getaffinity(0))
        self.assertEqual(info["cpu.at_start"], str(cpus))
        self.assertEqual(info["cpu.allowed"], str(cpus))
        self.assertRegex(info["cpu.narrowed"], f"^{cpus} to {cpus - 1} by /")

    def test_the_interpreter_lock_is_recognised(self):
        run = self.run_victim(python(
            "import threading\n"
            "cuda.cudaDeviceSynchronize()\n"
            "def spin():\n    for i in range(1000000): pass\n"
            "t = [threading.Thread(target=spin) for _ in range(3)]\n"
            "[x.start() for x in t]; [x.join() for x in t]"))
        trace = self.one_trace(run)
        gil = {r["id"] for r in trace.all("Object") if r["kind"] == 7}
        self.assertEqual(len(gil), 1)
        self.assertTrue([r for r in trace.all("Wait") if r["object"] in gil])

    def test_short_waits_are_counted(self):
        run = self.run_victim(python(
            "import os\ncuda.cudaDeviceSynchronize()\nfd = os.open('/dev/zero', 0)\n"
            "for _ in range(10000): os.read(fd, 1)"))
        trace = self.one_trace(run)
        short = sum(r["count"] for r in trace.all("ShortWaits") if r["wait"] == 1)
        self.assertAlmostEqual(short + len(trace.all("Wait", "read")), 10000, delta=200)

    def test_a_hook_before_our_constructor(self):
        # early.c's constructor is in a library that the program needs: it runs before ours.
        import os
        run = self.run_victim([os.environ["GPUSTALL_TEST_EARLY"]])
        self.assertEqual((run.code, run.out), (0, "early\nmain\n"), run.err)


if __name__ == "__main__":
    unittest.main()
