"""fork, vfork, spawn, forkserver, exec: who records, into which file."""
import os
import unittest

from harness import PYTHON, ProcessTest, python

FORK_EPOCH, CLEAN = 2, 1


class Fork(ProcessTest):
    def test_children_have_files_of_their_own_and_keep_their_exit_codes(self):
        run = self.act("fork")
        parent = [t for t in run.traces if t.header["epoch"] == 0]
        children = [t for t in run.traces if t.header["epoch"] == 1]
        self.assertEqual((len(parent), len(children)), (1, 3))
        self.assertFalse([t for t in run.traces if t.damaged])
        pid = parent[0].header["pid"]
        self.assertEqual({r["child_pid"] for r in parent[0].all("Fork")},
                         {t.header["pid"] for t in children})
        for child in children:
            self.assertEqual(child.header["parent"], pid)
            self.assertTrue(child.header["flags"] & FORK_EPOCH)
            self.assertEqual(child.header["run"], parent[0].header["run"])
            self.assertEqual([r.tid for r in child.all("Wait", "usleep")], [child.header["pid"]])
            self.assertTrue(child.all("Clock") and child.all("Info"))
        self.assertEqual(sum(t.header["flags"] & CLEAN for t in children), 2)  # one was killed

    def test_threads_that_fork_at_the_same_time_never_hang(self):
        run = self.act("storm", timeout=300)
        self.assertEqual(len([t for t in run.traces if t.header["epoch"] == 1]), 200)
        self.assertFalse([t.path for t in run.traces if t.damaged])

    def test_children_of_vfork_are_inert(self):
        trace = self.one_trace(self.act("vfork"))
        self.assertEqual(len(trace.all("Wait", "usleep")), 1)  # CUDA's own

    def test_a_worker_that_was_forked_before_its_parent_recorded_joins(self):
        run = self.run_victim(python(
            "import os, time\n"
            "r, w = os.pipe()\n"
            "child = os.fork()\n"
            "if child == 0:\n    os.read(r, 1); time.sleep(.01); time.sleep(.01); os._exit(0)\n"
            "cuda.cudaDeviceSynchronize(); os.write(w, b'x'); print(os.waitpid(child, 0)[1])"))
        self.assertEqual(run.out, "0\n", run.err)
        self.assertEqual(len(run.traces), 2)
        worker = [t for t in run.traces if t.header["role"] != 1][0]
        self.assertTrue(worker.all("Wait"))

    def test_a_child_forked_before_any_recording_may_be_the_trainer(self):
        run = self.run_victim(python(
            "import os, time\nchild = os.fork()\n"
            "if child == 0: cuda.cudaDeviceSynchronize(); time.sleep(.5); os._exit(0)\n"
            "print(os.waitpid(child, 0)[1])"))
        self.assertEqual(run.out, "0\n", run.err)
        trace = self.one_trace(run)  # its parent, a launcher, has no part in it
        self.assertEqual((trace.header["role"], trace.header["epoch"]), (1, 0))
        self.assertIn("gpustall", {r.text for r in trace.all("Thread")})

    def multiprocessing(self, method):
        program = self.folder + f"/{method}.py"
        with open(program, "w") as f:
            f.write("import ctypes, multiprocessing, sys, time\n"
                    "def work(n):\n    time.sleep(.02)\n    return n * n\n"
                    "if __name__ == '__main__':\n"
                    "    " + python("")[2].strip().replace("\n", "\n    ") + "\n"
                    "    cuda.cudaDeviceSynchronize()\n"
                    f"    with multiprocessing.get_context('{method}').Pool(2) as pool:\n"
                    "        print(pool.map(work, range(8), chunksize=1)); pool.close(); pool.join()\n")
        run = self.run_victim([PYTHON, program])
        self.assertEqual((run.code, run.out, run.err), (0, "[0, 1, 4, 9, 16, 25, 36, 49]\n", ""))
        self.assertEqual(len({t.header["run"] for t in run.traces}), 1)
        workers = [t for t in run.traces if t.header["role"] != 1 and t.all("Wait", "clock_nanosleep")]
        self.assertGreaterEqual(len(workers), 1)
        self.assertFalse([t.path for t in run.traces if t.damaged])

    def test_multiprocessing_by_fork(self):
        self.multiprocessing("fork")

    def test_multiprocessing_by_spawn(self):
        self.multiprocessing("spawn")

    def test_multiprocessing_by_forkserver(self):
        self.multiprocessing("forkserver")

    def early(self, method, in_worker=""):
        """The workers start, then their parent uses CUDA, then they work."""
        program = self.folder + f"/early_{method}.py"
        with open(program, "w") as f:
            f.write("import ctypes, multiprocessing, time\n"
                    + python("")[2] + f"def work(n):\n    {in_worker}time.sleep(.2)\n    return n\n"
                    "if __name__ == '__main__':\n"
                    f"    with multiprocessing.get_context('{method}').Pool(2) as pool:\n"
                    "        print(pool.map(work, range(2), chunksize=1))\n"
                    "        cuda.cudaDeviceSynchronize()\n"
                    "        print(pool.map(work, range(4), chunksize=1)); pool.close(); pool.join()\n")
        run = self.run_victim([PYTHON, program])
        self.assertEqual((run.code, run.out, run.err), (0, "[0, 1]\n[0, 1, 2, 3]\n", ""))
        self.assertEqual(len({t.header["run"] for t in run.traces}), 1)
        self.assertFalse([t.path for t in run.traces if t.damaged])
        return run

    def test_workers_that_start_before_their_parent_uses_cuda_join_it(self):
        for method in ("fork", "spawn", "forkserver"):
            run = self.early(method)
            workers = [t for t in run.traces if t.header["role"] != 1 and t.all("Wait", "clock_nanosleep")]
            self.assertGreaterEqual(len(workers), 2, method)

    def test_a_child_that_a_joined_server_forks_may_use_cuda(self):
        run = self.early("forkserver", "cuda.cudaDeviceSynchronize(); ")
        trainers = [t for t in run.traces if t.header["role"] == 1]
        self.assertGreaterEqual(len(trainers), 3)
        for trace in trainers:
            self.assertIn("gpustall", {r.text for r in trace.all("Thread")})

    def test_a_file_of_another_run_makes_no_child_join(self):
        out = self.folder + "/out"
        first = self.run_victim(python("cuda.cudaDeviceSynchronize()"), GPUSTALL_OUT=out)
        name = os.listdir(out)[0]
        run = self.run_victim([PYTHON, "-c", "import os, subprocess, sys\n"
                               f"os.rename({out + '/' + name!r}, f'{out}/p{{os.getpid()}}.gst')\n"
                               "print(subprocess.run([sys.executable, '-c', 'import time; time.sleep(.1)']).returncode)"],
                              GPUSTALL_OUT=out)
        self.assertEqual((first.code, run.out, len(os.listdir(out))), (0, "0\n", 1))

    def test_a_data_loader_worker_is_known_by_its_thread_name(self):
        run = self.run_victim(python(
            "import os, time\ncuda.cudaDeviceSynchronize()\nchild = os.fork()\n"
            "if child == 0:\n"
            "    cuda.prctl(15, b'pt_data_worker'); time.sleep(.01); os._exit(0)\n"
            "os.waitpid(child, 0)"))
        self.assertEqual([t.header["role"] for t in run.traces if t.header["epoch"] == 1], [2])

    def test_a_worker_has_clocks_and_its_name_without_a_helper_thread(self):
        run = self.run_victim(python(
            "import os, time\ncuda.cudaDeviceSynchronize()\nchild = os.fork()\n"
            "if child == 0:\n"
            "    for _ in range(25): time.sleep(.1)\n    os._exit(0)\n"
            "os.waitpid(child, 0)"))
        (worker,) = [t for t in run.traces if t.header["epoch"] == 1]
        self.assertGreaterEqual(len(worker.all("Clock")), 3)
        self.assertIn(worker.header["pid"], {r["tid"] for r in worker.all("Thread")})

    def test_exec_after_recording_leaves_both_files(self):
        run = self.run_victim(python(
            f"import os\ncuda.cudaDeviceSynchronize()\nos.execv({PYTHON!r}, {python('')!r}[:2] + "
            f"[{python('')[2] + 'cuda.cudaDeviceSynchronize()'!r}])"))
        self.assertEqual((run.code, len(run.traces)), (0, 2), run.err)
        self.assertEqual(len({t.header["pid"] for t in run.traces}), 1)
        self.assertEqual(len({t.header["run"] for t in run.traces}), 1)

    def test_the_rank_is_in_the_name(self):
        run = self.run_victim(python("cuda.cudaDeviceSynchronize()"), RANK="3")
        trace = self.one_trace(run)
        self.assertEqual(trace.header["rank"], 3)
        self.assertTrue(trace.path.endswith(f"/r3-{trace.header['pid']}.gst"))


if __name__ == "__main__":
    unittest.main()
