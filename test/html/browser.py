"""A headless Chromium, spoken to by its own protocol through two pipes: no driver, no library.

Opens one page from a file, in a profile of its own, and keeps what must not be there: console messages,
exceptions, requests.
"""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
START_S, ANSWER_S = 60, 30


def find():
    """The browser's path, or None."""
    asked = os.environ.get("GPUSTALL_BROWSER")
    if asked:
        return shutil.which(asked)
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="gpustall-browser-")
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()

        def wire():  # the protocol's pipes are the descriptors 3 and 4
            os.dup2(to_browser, 10)
            os.dup2(from_browser, 11)
            os.dup2(10, 3)
            os.dup2(11, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--user-data-dir=" + self.profile, "--no-first-run",
             "--hide-scrollbars", "--force-color-profile=srgb", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=wire, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session = b"", 0, None
        self.complaints, self.requests, self.events = [], [], []
        target = self.call("Target.createTarget", url="about:blank", seconds=START_S)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, seconds=ANSWER_S, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message(seconds)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]

    def _message(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            if not select.select([self.inp], [], [], max(0, end - time.monotonic()))[0]:
                raise RuntimeError("the browser does not answer")
            data = os.read(self.inp, 1 << 20)
            if not data:
                raise RuntimeError("the browser ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self._note(message)
        return message

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(params)
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method:
            self.events.append(method)

    def open(self, path, width=1100, height=900, scripts=True, media=(), fragment=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Emulation.setEmulatedMedia", media="print" if "print" in media else "",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if "dark" in media else "light"}])
        # By way of an empty page: to the same page with another fragment would be no load.
        for url in ("about:blank", "file://" + os.path.abspath(path) + fragment):
            self.complaints, self.requests, self.events = [], [], []
            self.call("Page.navigate", url=url)
            end = time.monotonic() + ANSWER_S
            while "Page.loadEventFired" not in self.events:
                self._message(end - time.monotonic())

    def run(self, expression):
        """The value of a JavaScript expression in the page; of a promise, what it brings."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
                           userGesture=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def press(self, *keys, shift=False):
        for key in keys:
            event = {"key": key, "code": key, "modifiers": 8 if shift else 0}
            if key == "Enter":
                event.update(windowsVirtualKeyCode=13, text="\r")
            elif key == "Tab":
                event.update(windowsVirtualKeyCode=9)
            elif len(key) > 1:
                event.update(windowsVirtualKeyCode={"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                                                    "ArrowDown": 40, "Escape": 27, "Home": 36,
                                                    "End": 35}[key])
            self.call("Input.dispatchKeyEvent", type="keyDown", **event)
            event.pop("text", None)
            self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def click(self, selector):
        """As a person does: scrolls there, then presses the button in its middle."""
        x, y = self.run("""(() => { const e = document.querySelector(%s); e.scrollIntoView({block: "center"});
            const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"""
                        % json.dumps(selector))
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, selector, start, end):
        """The pointer goes down at one share of the element's width, and up at another."""
        left, width, y = self.run("""(() => { const e = document.querySelector(%s); e.scrollIntoView({block: "center"});
            const b = e.getBoundingClientRect(); return [b.x, b.width, b.y + b.height / 2]; })()""" % json.dumps(selector))
        for kind, share in (("mouseMoved", start), ("mousePressed", start), ("mouseMoved", (start + end) / 2),
                            ("mouseMoved", end), ("mouseReleased", end)):
            self.call("Input.dispatchMouseEvent", type=kind, x=left + share * width, y=y, clickCount=1,
                      button="none" if kind == "mouseMoved" and share == start else "left",
                      buttons=1 if kind == "mousePressed" or share != start else 0)

    def screenshot(self, path, whole=True):
        import base64
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **(
            {"clip": dict(self.call("Page.getLayoutMetrics")["cssContentSize"], scale=1)} if whole else {}))
        with open(path, "wb") as out:
            out.write(base64.b64decode(shot["data"]))

    def pdf(self, path):
        import base64
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        shutil.rmtree(self.profile, ignore_errors=True)
