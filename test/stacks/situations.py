"""Thirty shapes of Python stacks: what the probe captured inside read() against sys._getframe.

Run with the probe preloaded. Prints one line per mismatch and a summary; exit 1 on any mismatch.
"""
import ctypes
import functools
import os
import sys
import threading

probe = ctypes.CDLL(None)
for name in ("probe_python_stack", "probe_native_stack", "probe_state"):
    getattr(probe, name).restype = ctypes.c_char_p
probe.probe_cost.restype = ctypes.c_double
zero = os.open("/dev/zero", os.O_RDONLY)
failures = []
checked = 0


def expected(frame):
    out = []
    while frame is not None:
        code = frame.f_code
        # A frame's own line may lag behind by one statement of the same expression: f_lineno is asked.
        out.append((getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return out


def captured():
    lines = probe.probe_python_stack().decode().splitlines()
    return [(f, file, int(line)) for f, file, line in (text.split("\t") for text in lines)]


def check(_, frame, what):
    global checked
    checked += 1
    want, got = expected(frame), captured()
    if want != got:
        failures.append(what)
        print("MISMATCH", what)
        for a, b in zip(want + [None] * 3, got + [None] * 3):
            if a != b:
                print("   want", a, "got", b)
                break


# Each use reads and asks for the frame on one line, as the comparison needs.
def plain(): check(os.read(zero, 4242), sys._getframe(), "function")


def nested():
    def inner():
        check(os.read(zero, 4242), sys._getframe(), "closure")
    inner()


class Thing:
    def method(self):
        check(os.read(zero, 4242), sys._getframe(), "method")

    @property
    def value(self):
        check(os.read(zero, 4242), sys._getframe(), "property")
        return 1

    @staticmethod
    def static():
        check(os.read(zero, 4242), sys._getframe(), "static method")

    @classmethod
    def of_class(cls):
        check(os.read(zero, 4242), sys._getframe(), "class method")

    def __call__(self):
        check(os.read(zero, 4242), sys._getframe(), "__call__")

    def __enter__(self):
        check(os.read(zero, 4242), sys._getframe(), "__enter__")

    def __exit__(self, *_):
        check(os.read(zero, 4242), sys._getframe(), "__exit__")

    def __lt__(self, other):
        check(os.read(zero, 4242), sys._getframe(), "comparison from C")
        return True

    def __getattr__(self, name):
        check(os.read(zero, 4242), sys._getframe(), "__getattr__")
        return 1

    def __del__(self):
        if checked < 100:
            check(os.read(zero, 4242), sys._getframe(), "__del__")


def generator():
    check(os.read(zero, 4242), sys._getframe(), "generator")
    yield 1
    check(os.read(zero, 4242), sys._getframe(), "generator resumed")


def delegating():
    yield from generator()


async def coroutine(depth):
    if depth:
        return await coroutine(depth - 1)
    check(os.read(zero, 4242), sys._getframe(), "coroutine")


def recursion(depth):
    if depth:
        return recursion(depth - 1)
    check(os.read(zero, 4242), sys._getframe(), "recursion of 50")


def decorated(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)
    return wrapper


@decorated
def with_decorator(): check(os.read(zero, 4242), sys._getframe(), "decorator")


def multi_line():
    max(
        [1,
         2],
        key=lambda x: (
            check(os.read(zero, 4242), sys._getframe(), "lambda in a call of many lines"), x))


def handlers():
    try:
        raise ValueError
    except ValueError:
        check(os.read(zero, 4242), sys._getframe(), "except")
    finally:
        check(os.read(zero, 4242), sys._getframe(), "finally")


def comprehensions():
    [check(os.read(zero, 4242), sys._getframe(), "list comprehension") for _ in range(1)]
    {0: check(os.read(zero, 4242), sys._getframe(), "dict comprehension") for _ in range(1)}
    list(check(os.read(zero, 4242), sys._getframe(), "generator expression") for _ in range(1))


def far_lines():
    source = "def far():\n    x = 1\n" + "\n" * 400 + (
        "    check(os.read(zero, 4242), sys._getframe(), 'after 400 empty lines')\n"
        "    return x\nfar()\n")
    exec(compile(source, "/generated/far.py", "exec"), globals())


def evaluated():
    exec("check(os.read(zero, 4242), sys._getframe(), 'exec')", globals())
    eval("check(os.read(zero, 4242), sys._getframe(), 'eval')", globals())
    exec("def naïve_größe_日本():\n  check(os.read(zero, 4242), sys._getframe(), 'non-ASCII name')\n"
         "naïve_größe_日本()", globals())


def class_body():
    class Local:
        check(os.read(zero, 4242), sys._getframe(), "class body")


def traced():
    sys.settrace(lambda *_: None)
    check(os.read(zero, 4242), sys._getframe(), "settrace")
    sys.settrace(None)


def in_thread():
    thread = threading.Thread(target=plain)
    thread.start()
    thread.join()


def big_method_chain():
    sorted([Thing(), Thing()])
    list(map(lambda _: check(os.read(zero, 4242), sys._getframe(), "map and lambda"), [1]))
    functools.reduce(lambda a, b: check(os.read(zero, 4242), sys._getframe(), "reduce"), [1, 2])


def main():
    state = probe.probe_state().decode()
    if state != "ready":
        print("Python stacks are not ready:", state)
        return 1
    plain(), nested()
    thing = Thing()
    thing.method(), thing.value, Thing.static(), Thing.of_class(), thing(), thing.missing
    with thing:
        pass
    for _ in delegating():
        pass
    for _ in generator():
        pass
    try:
        coroutine(3).send(None)
    except StopIteration:
        pass
    recursion(50), with_decorator(), multi_line(), handlers(), comprehensions()
    far_lines(), evaluated(), class_body(), traced(), in_thread(), big_method_chain()
    del thing

    def deep(n):
        if n:
            return deep(n - 1)
        os.read(zero, 4242)
        return captured(), probe.probe_cost(0, 20000)
    stack, cost = deep(300)
    if len(stack) != 129 or stack[-1][0] != "[truncated]":
        failures.append("truncation")
        print("MISMATCH truncation:", len(stack), stack[-1])

    def twenty(n):
        if n:
            return twenty(n - 1)
        os.read(zero, 4242)
        return probe.probe_cost(0, 50000), probe.probe_cost(1, 50000)
    python_ns, native_ns = twenty(17)
    print("%s: %d stacks compared, %d mismatches; 20 frames %.0f ns, 128 frames %.0f ns, native again %.0f ns"
          % (sys.version.split()[0], checked, len(failures), python_ns, cost, native_ns))
    if checked < 30 or python_ns > 3000:
        print("too few comparisons or far too slow")
        return 1
    return 1 if failures else 0


sys.exit(main())
