"""A part of the run is selected, gaps are looked at, text is copied: by mouse and by keyboard, in a real browser."""
import unittest

from pages import PageTest, duration

# What a browser may refuse: `refuse` is set before the click.
REFUSE_CLIPBOARD = """Object.defineProperty(navigator, 'clipboard',
    {configurable: true, value: {writeText: () => Promise.reject(new Error('not allowed'))}})"""
HEAR_CLIPBOARD = """window.heard = null; Object.defineProperty(navigator, 'clipboard',
    {configurable: true, value: {writeText: (text) => { window.heard = text; return Promise.resolve(); }}})"""


class Selection(PageTest):
    def table(self):
        """The cells of time and share, TOTAL last."""
        return self.js("""[...document.querySelector('.causes tbody').rows].map(row =>
            [row.cells[0].textContent, row.cells[1].textContent])""")

    def titles(self):
        return self.js("""Object.fromEntries([...document.querySelectorAll('h2')].map(h =>
            [h.parentElement.id.replace(/-.*/, ''), h.textContent]))""")

    def select_steps(self, first, last):
        """By keyboard, as numbers from 0."""
        self.js("document.querySelector('.chart.steps').focus()")
        self.browser.press("Home", *["ArrowRight"] * first)
        self.browser.press(*["ArrowRight"] * (last - first), shift=True)

    def check_table(self, first, last):
        """Sums of the page's data; what is printed adds up to what is printed."""
        device, cells = self.data()["devices"][0], self.table()
        idle = sum(sum(ns[first:last + 1]) for ns in device["steps"]["idle"])
        span = idle + sum(device["steps"]["busy"][first:last + 1])
        steps = (last - first + 1) * device["steps"]["per_bin"]
        rows = device["rows"]["ns"]
        self.assertEqual(len(cells), len(rows) + 1)
        digits = len(cells[0][0].split(".")[1])
        for (time, share), row in zip(cells, rows):
            if row:
                ns = sum(row[first:last + 1])
                self.assertAlmostEqual(float(time), ns / steps / 1e6, delta=10 ** -digits)
                self.assertAlmostEqual(float(share[:-2]), 100 * ns / span, delta=0.1)
        self.assertAlmostEqual(float(cells[-1][0]), idle / steps / 1e6, delta=10 ** -digits)
        self.assertAlmostEqual(float(cells[-1][1][:-2]), 100 * idle / span, delta=0.1)
        for column, scale in ((0, 10 ** digits), (1, 10)):
            values = [round(float(cell[column].split()[0]) * scale) for cell in cells]
            self.assertEqual(sum(values[:-1]), values[-1])

    def test_steps_are_selected_by_keyboard_and_the_table_follows(self):
        self.open("loop")
        before = self.table()
        self.select_steps(30, 70)
        device = self.data()["devices"][0]
        self.check_table(30, 70)
        self.assertNotEqual(self.table(), before)
        busy = sum(device["steps"]["busy"][30:71]) / 41
        span = busy + sum(sum(ns[30:71]) for ns in device["steps"]["idle"]) / 41
        self.assertTrue(self.text(".selected").startswith("Selected: steps 31 to 71, %s each. Busy %s (%.1f %%)" % (
            duration(span), duration(busy), 100 * busy / span)), self.text(".selected"))
        self.browser.press("Escape")
        self.assertEqual(self.table(), before)
        self.assertEqual(self.count(".range, h2 .of, .outside, .follows"), 0)
        self.assertFalse(self.js("document.querySelector('.selected').checkVisibility()"))

    def test_every_section_says_whether_it_follows(self):
        self.open("loop")
        plain = self.titles()
        self.select_steps(30, 70)
        titles = self.titles()
        self.assertEqual(titles["where"], plain["where"] + " in steps 31 to 71")
        self.assertEqual(titles["fix"], plain["fix"] + " in all steps")
        for section in ("stacks", "workers", "lengths"):
            self.assertEqual(titles[section], plain[section] + " in the whole run")
        self.assertIn("in steps 31 to 71", titles["gaps"])
        self.browser.click(".selected button")
        self.assertEqual(self.titles(), plain)

    def test_all_steady_steps_have_the_figures_of_the_report(self):
        self.open("loop")
        report = self.table()
        rows = self.data()["devices"][0]["rows"]
        self.browser.drag(".chart.steps .plot", 0.0001, 0.9999)
        self.check_table(rows["first"], rows["end"] - 1)  # the warm-up is no part of it
        for ours, theirs in zip(self.table(), report):
            self.assertAlmostEqual(float(ours[1][:-2]), float(theirs[1][:-2]), delta=0.3)

    def test_steps_are_selected_by_dragging(self):
        self.open("million")  # several steps in each bin
        bins = self.data()["devices"][0]["steps"]
        n, per_bin = len(bins["busy"]), bins["per_bin"]
        self.assertGreater(per_bin, 1)
        self.browser.drag(".chart.steps .plot", (99 + 0.5) / n, (199 + 0.5) / n)
        self.assertIn("Selected: steps %d to %d, " % (99 * per_bin + 1, 200 * per_bin), self.text(".selected"))
        self.check_table(99, 199)
        left, width = self.js("(s => [parseFloat(s.left), parseFloat(s.width)])("
                              "document.querySelector('.steps .range').style)")
        self.assertAlmostEqual(left, 99 / n * 100, places=3)
        self.assertAlmostEqual(width, 101 / n * 100, places=3)

    def test_time_is_selected_and_the_table_says_that_it_does_not_follow(self):
        self.open("loop")
        before, plain = self.table(), self.titles()
        time = self.data()["devices"][0]["time"]
        n = len(time["busy"])
        self.browser.drag(".chart.time .plot", 20.5 / n, 60.5 / n)
        self.assertTrue(self.text(".selected").startswith("Selected: %s to %s, %s. Busy %s" % (
            duration(20 * time["per_bin"]), duration(61 * time["per_bin"]), duration(41 * time["per_bin"]),
            duration(sum(time["busy"][20:61])))), self.text(".selected"))
        self.assertEqual(self.table(), before)
        self.assertEqual(self.titles()["where"], plain["where"] + " in all steps")
        self.assertEqual(self.count(".gap[open]"), 0)  # a drag is no click

    def test_only_gaps_of_the_selected_steps_are_listed(self):
        self.open("loop")
        gaps = self.data()["devices"][0]["gaps"]
        self.select_steps(30, 70)
        shown = self.js("[...document.querySelectorAll('.gap:not(.outside)')].map(g => Number(g.dataset.g))")
        self.assertEqual(shown, [i for i, gap in enumerate(gaps) if 30 <= gap[2] <= 70])
        self.assertIn(": %d of %d, in steps" % (len(shown), len(gaps)), self.titles()["gaps"])
        self.assertEqual(self.text(".more summary"), "%d more" % sum(i >= 12 for i in shown))

    def test_one_cause_in_one_part(self):
        self.open("loop")
        self.browser.click('.legend [data-pick="1"]')
        self.select_steps(30, 70)
        name = self.data()["series"][1]["id"]
        self.assertRegex(self.text(".selected span"), r"\); %s [0-9.]+ [mu]s\.$" % name)
        self.browser.press("Escape")  # the part first, then the cause
        self.assertEqual(self.count(".range"), 0)
        self.assertEqual(self.count('.legend [aria-pressed="true"]'), 1)
        self.browser.press("Escape")
        self.assertEqual(self.count('.legend [aria-pressed="true"]'), 0)

    def test_lengths_of_gaps_are_read_out_and_picked(self):
        self.open("loop")
        lengths = self.data()["devices"][0]["lengths"]
        self.js("document.querySelector('.chart.lengths').focus()")
        self.browser.press("Home")
        idle = [ns[0] for ns in lengths["idle"]]
        self.assertTrue(self.text(".lengths .readout").startswith("%s to %s: %s gaps, %s idle (" % (
            duration(lengths["start"][0]), duration(lengths["start"][1]), format(lengths["gaps"][0], ","),
            duration(sum(idle)))), self.text(".lengths .readout"))
        before = self.js("document.querySelector('.lengths svg').innerHTML")
        self.browser.click('.legend [data-pick="1"]')
        alone = self.js("""[...document.querySelectorAll('.lengths path')].filter(p =>
            p.getAttribute('d') && getComputedStyle(p).opacity > 0.2).map(p => p.dataset.s)""")
        self.assertEqual(alone, ["1"])
        self.browser.press("Escape")
        self.assertEqual(self.js("document.querySelector('.lengths svg').innerHTML"), before)

    def test_a_click_on_a_gap_shows_its_stack(self):
        self.open("loop")
        self.browser.click('.gap[data-g="0"] summary')
        self.until("document.querySelector('.gap[open] .stack li')?.checkVisibility()")
        self.assertEqual(self.js("[...document.querySelectorAll('.gap[open] .stack li')].at(-1).textContent"),
                         "data.py:41 decode")
        self.browser.click('.gap[data-g="1"] summary')  # the same stack stands in the page once
        target = self.js("document.querySelector('.gap[data-g=\"1\"] a').hash")
        self.assertTrue(self.js("document.querySelector(%r).closest('.gap').dataset.g === '0'" % target))

    def test_the_report_is_copied_as_markdown(self):
        self.open("loop")
        self.js(HEAR_CLIPBOARD)
        self.browser.click("[data-copy=all]")
        self.until("window.heard !== null")
        self.assertEqual(self.js("window.heard"), self.data()["markdown"])
        self.until("document.querySelector('[data-copy=all]').textContent === 'Copied'")
        self.browser.click(".findings > li:nth-child(2) .copy")
        self.until("window.heard === data.findings".replace("data.findings", repr(
            self.data()["devices"][0]["findings"][1])))

    def test_without_the_clipboard_the_old_way_copies(self):
        self.open("loop")
        self.js(REFUSE_CLIPBOARD)
        self.js("document.addEventListener('copy', () => { window.heard = getSelection().toString() ||"
                " document.activeElement.value; })")
        self.browser.click("[data-copy=all]")
        self.until("window.heard !== undefined")
        self.assertEqual(self.js("window.heard"), self.data()["markdown"])
        self.assertEqual(self.count("textarea"), 0)

    def test_where_nothing_may_be_copied_the_text_is_there_selected(self):
        self.open("loop")
        self.js(REFUSE_CLIPBOARD)
        self.js("document.execCommand = () => false")
        self.js("document.querySelector('[data-copy=all]').focus()")
        self.browser.press("Enter")
        self.until("document.activeElement.className === 'by-hand'")
        self.assertEqual(self.js("(e => e.value.slice(e.selectionStart, e.selectionEnd))(document.activeElement)"),
                         self.data()["markdown"])
        self.browser.press("Enter")
        self.assertEqual(self.count("textarea"), 1)

    def test_nothing_to_press_without_scripts_or_on_paper(self):
        self.open("loop", scripts=False)
        self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        self.assertFalse(self.js("document.querySelector('.copy').checkVisibility()"))
        self.open("loop", media=("print",))
        self.assertFalse(self.js("document.querySelector('.copy').checkVisibility()"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
