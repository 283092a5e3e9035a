"""Where walking is dangerous: daemon threads while the interpreter ends, forks from threads, generators
closed late, threads without Python, signals. Each victim must end as it would without the probe.

Run with the probe preloaded; starts itself again for each victim.
"""
import os
import subprocess
import sys


COMMON = """
import ctypes, os, sys, threading, time
probe = ctypes.CDLL(None)
probe.probe_python_stack.restype = ctypes.c_char_p
zero = os.open("/dev/zero", os.O_RDONLY)
"""

VICTIMS = {
    # Threads are inside read() while the main thread frees their states.
    "daemon threads at exit": (0, """
def loop(n):
    if n:
        return loop(n - 1)
    while True:
        os.read(zero, 4242)
for _ in range(4):
    threading.Thread(target=loop, args=(10,), daemon=True).start()
time.sleep(0.05)
"""),
    "sampler at exit": (3, """
def loop(n):
    if n:
        return loop(n - 1)
    while True:
        os.read(zero, 4242)
threading.Thread(target=loop, args=(10,), daemon=True).start()
os.read(zero, 4242)
probe.probe_sampler_start(0, 1000)
time.sleep(0.05)
sys.exit(3)
"""),
    "reads in destructors at exit": (0, """
class Late:
    def __init__(self, read, fd): self.read, self.fd = read, fd
    def __del__(self): self.read(self.fd, 4242)
import atexit
atexit.register(os.read, zero, 4242)
keep = Late(os.read, zero)
sys.modules["late"] = Late(os.read, zero)
def suspended(read=os.read, fd=zero):
    try:
        yield 1
    finally:
        read(fd, 4242)
generator = suspended()
next(generator)
"""),
    "fork from a thread": (0, """
def fork():
    os.read(zero, 4242)
    pid = os.fork()
    os.read(zero, 4242)
    names = probe.probe_python_stack().decode()
    if "fork" not in names:
        os._exit(9)
    if pid == 0:
        os._exit(0)
    if os.waitpid(pid, 0)[1] != 0:
        os._exit(8)
thread = threading.Thread(target=fork)
thread.start()
thread.join()
"""),
    "a thread that Python does not know": (0, """
libc = ctypes.CDLL(None)
thread = ctypes.c_ulong()
buffer = ctypes.create_string_buffer(8192)
# pthread_create runs probe_read_here, which calls read() without a thread state.
libc.pthread_create(ctypes.byref(thread), None, libc.probe_read_here, ctypes.c_void_p(zero))
libc.pthread_join(thread, None)
assert libc.probe_last_foreign() == 0
"""),
    "signals during reads": (0, """
import signal
count = 0
def handler(*_):
    global count
    count += 1
    os.read(zero, 4242)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
end = time.time() + 0.5
while time.time() < end:
    os.read(zero, 4242)
    [i for i in range(10)]
signal.setitimer(signal.ITIMER_REAL, 0)
assert count > 5, count
"""),
    "finalised twice by exec": (5, """
os.read(zero, 4242)
os.execv(sys.executable, [sys.executable, "-c", "import os, sys; os.read(os.open('/dev/zero', 0), 4242); sys.exit(5)"])
"""),
}


def main():
    failures = 0
    for name, (status, source) in VICTIMS.items():
        for attempt in range(3):
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", COMMON + source], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=60)
            if done.returncode != status or done.stdout:
                print("FAILED", name, "attempt", attempt, "status", done.returncode, done.stdout.decode()[-500:])
                failures += 1
                break
    print("%s: %d victims, %d failures" % (sys.version.split()[0], len(VICTIMS), failures))
    return 1 if failures else 0


sys.exit(main())
