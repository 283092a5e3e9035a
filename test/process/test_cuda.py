"""The CUDA runtime's PLT hooks, with a runtime that does nothing."""
import unittest

from harness import CUDART, PYTHON, ProcessTest, python


class Cuda(ProcessTest):
    def test_calls_are_recorded_with_their_results_and_arguments(self):
        run = self.run_victim(python(
            "d = ctypes.c_void_p()\n"
            "print(cuda.cudaDeviceSynchronize(), cuda.cudaMalloc(ctypes.byref(d), 4096), d.value,\n"
            "      cuda.cudaMemcpy(None, None, 123, 1), cuda.cudaStreamSynchronize(ctypes.c_void_p(5)))"))
        self.assertEqual(run.out, "0 2 4096 0 400\n")
        trace = self.one_trace(run)
        calls = {r.text: r for r in trace.all("Api")}
        self.assertEqual(calls["cudaMalloc"]["result"], 2)
        self.assertEqual(calls["cudaMalloc"]["bytes"], 4096)
        self.assertEqual((calls["cudaMemcpy"]["bytes"], calls["cudaMemcpy"]["copy_kind"]), (123, 1))
        self.assertEqual(calls["cudaStreamSynchronize"]["stream"], 5)
        self.assertGreaterEqual(calls["cudaDeviceSynchronize"]["duration"], 1000000)
        self.assertEqual(trace.header["role"], 1)

    def test_launch_arguments_pass_by_value(self):
        run = self.run_victim(python(
            "class Dim3(ctypes.Structure): _fields_ = [(n, ctypes.c_uint) for n in 'xyz']\n"
            "f = cuda.cudaLaunchKernel\n"
            "f.argtypes = [ctypes.c_void_p, Dim3, Dim3, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]\n"
            "print(f(None, Dim3(1, 2, 3), Dim3(4, 5, 6), None, 0, 7))"))
        self.assertEqual(run.out, "0\n")
        (call,) = self.one_trace(run).all("Api", "cudaLaunchKernel")
        self.assertEqual(call["stream"], 7)

    def test_a_runtime_loaded_with_rtld_local_is_found(self):
        run = self.run_victim([PYTHON, "-c", f"import ctypes; ctypes.CDLL({CUDART!r})\n"
                               "print(ctypes.CDLL(None).cudaDeviceSynchronize())"])
        self.assertEqual((run.code, run.out), (0, "0\n"))
        self.one_trace(run)

    def test_without_a_runtime_the_proper_error_comes_back(self):
        run = self.run_victim([PYTHON, "-c", "import ctypes\n"
                               "print(ctypes.CDLL(None).cudaDeviceSynchronize())"])
        self.assertEqual((run.code, run.out), (0, "302\n"))

    def test_the_profiler_range_is_the_window(self):
        run = self.run_victim(python(
            "cuda.cudaDeviceSynchronize()\ncuda.cudaProfilerStart()\n"
            "cuda.cudaMemcpy(None, None, 1, 1)\ncuda.cudaProfilerStop()\n"
            "cuda.cudaMemcpy(None, None, 2, 1)"), GPUSTALL_RANGE="cuda-profiler")
        trace = self.one_trace(run)
        self.assertEqual([r["bytes"] for r in trace.all("Api", "cudaMemcpy")], [1])
        self.assertEqual(len([r for r in trace.all("Notice") if r["kind"] in (9, 10)]), 2)

    def test_the_window_by_time(self):
        run = self.run_victim(python(
            "import time\n"
            "for i in range(20): cuda.cudaMemcpy(None, None, i + 1, 1); time.sleep(.1)"),
            GPUSTALL_DELAY="0.5", GPUSTALL_DURATION="0.5")
        seen = [r["bytes"] for r in self.one_trace(run).all("Api", "cudaMemcpy")]
        self.assertTrue(3 <= len(seen) <= 7 and seen[0] > 3 and seen[-1] < 15, seen)


if __name__ == "__main__":
    unittest.main()
