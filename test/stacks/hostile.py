"""A loop that changes its stack all the time, sampled at 1 kHz from another thread.

Run with the probe preloaded; arguments: seconds, then "mem" to refuse process_vm_readv, so that
/proc/self/mem is read. At least 99 % of the walks must give a stack that the
program can have had. Exit 1 otherwise.
"""
import ctypes
import json
import os
import re
import sys
import time

probe = ctypes.CDLL(None)
probe.probe_sampler_stop.restype = ctypes.c_char_p
probe.probe_state.restype = ctypes.c_char_p
seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3


def level_5(n):
    return sum(i for i in range(n))


def level_4(n):
    try:
        if n % 3 == 0:
            raise KeyError(n)
    except KeyError:
        return level_5(n)
    return [level_5(i) for i in range(3)]


def level_3(n): return (lambda: 0)() or level_4(n)


def level_2(n):
    def level_3_generator():
        yield n
        yield from (i * i for i in range(5))
    list(level_3_generator())
    return level_3(n)


def level_1(n):
    namespace = {"level_2": level_2, "n": n}
    # The generated function is recycled at the address of the one before.
    exec("def made_%d(x):\n%s    return x\nmade_%d(n)" % (n % 7, "    x += 1\n" * (n % 5), n % 7), namespace)
    re.sub("a+", lambda m: "b", "aaa%dbbb" % n)
    json.loads(json.dumps({"a": [n, {"b": None}]}))
    return level_2(n)


def level_0(n):
    return level_1(n)


zero = os.open("/dev/zero", os.O_RDONLY)
os.read(zero, 4242)
state = probe.probe_state().decode()
if state != "ready":
    sys.exit("Python stacks are not ready: " + state)
if "mem" in sys.argv and probe.probe_refuse_readv() != 0:
    print("SKIPPED: no seccomp filter can be set here")
    sys.exit(77)
probe.probe_sampler_start(0, 1000)
begin = time.time()
rounds = 0
# On a busy machine the sampler gets little of the CPU too: it has a minute for 500 walks.
while time.time() - begin < seconds or (probe.probe_sampler_walks() < 500 and time.time() - begin < 60):
    level_0(rounds)
    rounds += 1
walks, failed, unreadable, bad_root, bad_link, cpu = map(int, probe.probe_sampler_stop().split())
bad = failed + unreadable + bad_root + bad_link
print("%s: %d rounds, %d walks, %d failed, %d unreadable, %d with a wrong root, %d with a wrong link: "
      "%.2f %% good; %.1f us per walk" % (
          sys.version.split()[0], rounds, walks, failed, unreadable, bad_root, bad_link,
          100 * (1 - bad / max(walks, 1)), cpu / max(walks, 1) / 1000))
sys.exit(0 if walks >= 200 and bad * 100 <= walks else 1)
