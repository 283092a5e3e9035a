"""The program's descriptors: none is taken from it, not for a moment, and none is kept open."""
import unittest

from harness import VICTIM, ProcessTest, python

CLOSE_RANGE, UNSHARE = "436", "272"


class Descriptors(ProcessTest):
    def test_the_lowest_free_number_is_the_programs(self):
        self.one_trace(self.act("lowest"))

    def test_also_where_the_kernel_has_no_close_range(self):
        self.one_trace(self.act("lowest", VICTIM_REFUSED=CLOSE_RANGE))

    def test_a_sandbox_that_lets_no_thread_have_its_own_is_recorded_all_the_same(self):
        trace = self.one_trace(self.act("waits", VICTIM_REFUSED=f"{CLOSE_RANGE},{UNSHARE}", VICTIM_WAITS="20000"))
        self.assertTrue(trace.all("Sample") and trace.all("Thread"))

    def test_the_other_end_of_a_pipe_sees_its_end(self):
        for refused in ("", CLOSE_RANGE, f"{CLOSE_RANGE},{UNSHARE}"):
            self.act("end_of_pipe", VICTIM_REFUSED=refused)

    def test_one_descriptor_is_ours_and_it_is_high(self):
        code = ("import os, time, threading\n"
                "threads = [threading.Thread(target=time.sleep, args=(.5,)) for _ in range(20)]\n"
                "for t in threads: t.start()\n"
                "time.sleep(.3)\n"
                "def target(fd):\n"
                "    try: return os.readlink(f'/proc/self/fd/{fd}')\n"
                "    except OSError: return ''\n"
                "print([fd for fd in os.listdir('/proc/self/fd') if target(fd).endswith('.gst')])\n"
                "print(len(os.listdir('/proc/self/fd')))")
        bare = self.run_victim(python(code), inject=False)
        run = self.run_victim(python("cuda.cudaDeviceSynchronize()\n" + code))
        ours, count = run.out.splitlines()
        self.assertEqual(int(count), int(bare.out.splitlines()[1]) + 1, run.out)
        self.assertRegex(ours, r"\['2\d\d'\]")

    def test_few_descriptors_are_enough(self):
        run = self.run_victim(["sh", "-c", f'ulimit -n 16; exec "{VICTIM}" waits'], VICTIM_WAITS="20000")
        self.assertEqual((run.code, run.out, run.err), (0, "done\n", ""))
        self.assertTrue(self.one_trace(run).all("Sample"))


if __name__ == "__main__":
    unittest.main()
