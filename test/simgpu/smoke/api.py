"""The device without torch: entry points called by ctypes, kernels by the driver, exact times by kernel_ns.

Run with GPUSTALL_SIM=kernel_ns=1000000 (1 ms) and small other costs; needs no torch and takes a second.
"""
import ctypes
import os
import threading

runtime, driver = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcuda.so.1")
KERNEL_MS = 1.0
NOT_READY, INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED, CAPTURE_UNSUPPORTED = 600, 1, 400, 801, 900
NON_BLOCKING = 1
PER_THREAD = ctypes.c_void_p(2)
TESTS = []


def check(code):
    assert code == 0, code


def pointer(create, *arguments):
    out = ctypes.c_void_p()
    check(create(ctypes.byref(out), *arguments))
    return out


def kernel(name):
    module = pointer(driver.cuModuleLoadData, b"image")
    return pointer(driver.cuModuleGetFunction, module, name.encode())


def launch(function, stream=None, blocks=1):
    check(driver.cuLaunchKernel(function, blocks, 1, 1, 128, 1, 1, 0, stream, None, None))


def stream(flags=NON_BLOCKING):
    return pointer(runtime.cudaStreamCreateWithFlags, flags)


def recorded_event(on):
    event = pointer(runtime.cudaEventCreate)
    check(runtime.cudaEventRecord(event, on))
    return event


def elapsed(first, last):
    milliseconds = ctypes.c_float()
    check(runtime.cudaEventElapsedTime(ctypes.byref(milliseconds), first, last))
    return milliseconds.value


def synchronize():
    check(runtime.cudaDeviceSynchronize())


work = kernel("some_kernel")
launch(work)  # loads the function
synchronize()


@TESTS.append
def work_of_one_stream_is_serial_and_exact():
    one = stream()
    before = recorded_event(one)
    for _ in range(5):
        launch(work, one)
    after = recorded_event(one)
    assert runtime.cudaEventQuery(after) == NOT_READY
    check(runtime.cudaEventSynchronize(after))
    assert 5 * KERNEL_MS <= elapsed(before, after) < 5 * KERNEL_MS + 1, elapsed(before, after)


@TESTS.append
def streams_overlap_and_events_order_them():
    one, two = stream(), stream()
    start = recorded_event(one)
    for _ in range(10):
        launch(work, one)
    middle = recorded_event(one)
    launch(work, two)
    alone = recorded_event(two)
    check(runtime.cudaStreamWaitEvent(two, middle, 0))
    launch(work, two)
    ordered = recorded_event(two)
    synchronize()
    assert elapsed(start, alone) < elapsed(start, middle), "two streams did not overlap"
    assert elapsed(middle, ordered) >= KERNEL_MS * 0.999, "the second stream did not wait for the event"


@TESTS.append
def the_default_stream_waits_for_blocking_streams_only():
    blocking, free = stream(0), stream()
    for _ in range(5):
        launch(work, blocking)
    for _ in range(20):
        launch(work, free)
    of_blocking = recorded_event(blocking)
    of_free = recorded_event(free)
    launch(work)
    of_default = recorded_event(None)
    synchronize()
    assert elapsed(of_blocking, of_default) >= KERNEL_MS * 0.999
    assert elapsed(of_default, of_free) > 0, "the default stream waited for a non-blocking one"


@TESTS.append
def every_thread_has_a_default_stream_of_its_own():
    ends = []

    def run():
        launch(work, PER_THREAD)
        event = pointer(runtime.cudaEventCreate)
        check(runtime.cudaEventRecord_ptsz(event, None))
        ends.append(event)
        check(runtime.cudaStreamSynchronize_ptsz(None))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert abs(elapsed(*ends)) < 1000


@TESTS.append
def a_full_queue_blocks_the_next_launch():
    one = stream()
    for _ in range(40):  # the test runs with queue=16
        launch(work, one)
    last = recorded_event(one)
    # 40 are submitted, at most 16 are still to come.
    start = recorded_event(stream())
    check(runtime.cudaEventSynchronize(last))
    assert elapsed(start, last) <= 17 * KERNEL_MS


@TESTS.append
def bytes_are_moved_and_set():
    device = pointer(runtime.cudaMalloc, 1 << 20)
    pinned = pointer(runtime.cudaHostAlloc, 1 << 20, 0)
    ctypes.memset(pinned, 7, 1 << 20)
    check(runtime.cudaMemcpyAsync(device, pinned, 1 << 20, 1, None))
    check(runtime.cudaMemsetAsync(ctypes.c_void_p(device.value + 100), 9, 50, None))
    back = ctypes.create_string_buffer(1 << 20)
    check(runtime.cudaMemcpy(back, device, 1 << 20, 2))
    assert back.raw == b"\7" * 100 + b"\x09" * 50 + b"\7" * ((1 << 20) - 150)
    attributes = (ctypes.c_int * 32)()
    for address, kind in ((device, 2), (pinned, 1), (back, 0)):
        check(runtime.cudaPointerGetAttributes(attributes, address))
        assert attributes[0] == kind, (attributes[0], kind)
    check(runtime.cudaFree(device))
    check(runtime.cudaFreeHost(pinned))
    assert runtime.cudaFree(device) == INVALID_VALUE
    assert runtime.cudaGetLastError() == INVALID_VALUE and runtime.cudaGetLastError() == 0


@TESTS.append
def a_graph_runs_as_one_interval_with_parallel_branches():
    one, two = stream(), stream()
    check(runtime.cudaStreamBeginCapture(one, 0))
    launch(work, one)
    fork = recorded_event(one)
    check(runtime.cudaStreamWaitEvent(two, fork, 0))
    launch(work, one)
    launch(work, two)
    check(runtime.cudaStreamWaitEvent(one, recorded_event(two), 0))
    launch(work, one)
    graph = ctypes.c_void_p()
    check(runtime.cudaStreamEndCapture(one, ctypes.byref(graph)))
    executable = pointer(runtime.cudaGraphInstantiate, graph, ctypes.c_ulonglong(0))
    check(runtime.cudaGraphDestroy(graph))
    before = recorded_event(one)
    check(runtime.cudaGraphLaunch(executable, one))
    after = recorded_event(one)
    synchronize()
    assert 3 * KERNEL_MS <= elapsed(before, after) < 3.5 * KERNEL_MS, elapsed(before, after)
    check(runtime.cudaStreamBeginCapture(one, 0))
    assert runtime.cudaStreamSynchronize(one) == CAPTURE_UNSUPPORTED
    assert runtime.cudaStreamEndCapture(one, ctypes.byref(graph)) != 0 and not graph.value


@TESTS.append
def wrong_handles_and_unmodelled_calls_are_errors():
    gone = stream()
    check(runtime.cudaStreamDestroy(gone))
    assert runtime.cudaStreamSynchronize(gone) == INVALID_HANDLE
    assert runtime.cudaMallocArray(None, None, 0, 0, 0) == NOT_SUPPORTED
    function = ctypes.c_void_p()
    assert driver.cuGetProcAddress_v2(b"cuMemAlloc", ctypes.byref(function), 13000, ctypes.c_uint64(0), None) == 0
    assert function.value == ctypes.cast(driver.cuMemAlloc_v2, ctypes.c_void_p).value


@TESTS.append
def a_forked_child_gets_no_device():
    child = os.fork()
    if child == 0:
        os._exit(0 if runtime.cudaFree(None) == 3 and driver.cuInit(0) == 3 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


for test in TESTS:
    test()
    print("ok:", test.__name__.replace("_", " "))
