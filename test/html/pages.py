"""What the tests of pages in a browser share: the samples, and a page that is open. Skips where there is no Chromium
(GPUSTALL_BROWSER names another)."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import browser

if browser.find() is None:
    print("SKIPPED: no Chromium here; install chromium, or name a browser with GPUSTALL_BROWSER", file=sys.stderr)
    sys.exit(77)

FOLDER = tempfile.mkdtemp(prefix="gpustall-html-")


def duration(ns):
    """As viewer-cli/render/units.cpp."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            value = ns / size
            return "%.*f %s" % (0 if value >= 99.95 else 1 if value >= 9.995 else 2, value, unit)
    return "%.0f ns" % ns


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([os.environ["GPUSTALL_HTML_SAMPLES"], FOLDER], check=True)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(FOLDER)

    def open(self, name, **options):
        self.path = os.path.join(FOLDER, name + ".html")
        self.browser.open(self.path, **options)

    def js(self, expression):
        return self.browser.run(expression)

    def until(self, expression, seconds=30):
        """What the page does in its own time: toggle events come after the click."""
        end = time.monotonic() + seconds
        while not self.js(expression):
            self.assertLess(time.monotonic(), end, expression)
            time.sleep(0.02)

    def count(self, selector):
        return self.js("document.querySelectorAll(%s).length" % json.dumps(selector))

    def text(self, selector):
        return self.js("document.querySelector(%s).textContent" % json.dumps(selector))

    def data(self):
        return json.loads(self.text("#data"))

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual({url.split("#")[0] for url in self.browser.requests}, {"file://" + self.path})
