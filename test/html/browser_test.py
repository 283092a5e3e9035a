"""The pages in a real browser: nothing is fetched, nothing complains, and picking, reading out and opening work by
mouse and by keyboard."""
import unittest

from pages import PageTest, duration

PAGES = ("loop", "million", "hostile", "stalled", "healthy", "empty", "diff")


class Pages(PageTest):
    def test_every_page_opens_and_fits_every_width(self):
        for name in PAGES:
            for width, media in ((1280, ()), (700, ("dark",)), (360, ()), (800, ("print",))):
                with self.subTest(page=name, width=width):
                    self.open(name, width=width, media=media)
                    self.assertLessEqual(self.js("document.documentElement.scrollWidth"), width)
                    self.assertGreater(self.js("document.querySelector('h1').offsetHeight"), 20)
                    self.tearDown()

    def test_places_stay_whole_on_a_narrow_screen(self):
        for name in ("loop", "stalled"):
            self.open(name, width=360)
            heights = self.js("[...document.querySelectorAll('.causes td.where')].map(e => e.offsetHeight)")
            self.assertGreater(max(heights), 0)
            self.assertLess(max(heights), 45)  # two lines

    def test_dark_mode_is_dark_and_readable(self):
        def brightness(media):
            self.open("loop", media=media)
            colors = self.js("""(() => { const s = getComputedStyle(document.body);
                return [s.backgroundColor, s.color]; })()""")
            return [sum(map(int, c[4:-1].split(","))) / 765 for c in colors]
        paper, ink = brightness(())
        self.assertGreater(paper - ink, 0.7)
        paper, ink = brightness(("dark",))
        self.assertGreater(ink - paper, 0.7)

    def test_names_in_a_recording_run_no_script(self):
        self.open("hostile")
        self.assertEqual(self.js("typeof window.hit"), "undefined")
        self.assertEqual(self.count("img, [onmouseover]"), 0)
        self.assertIn("</script><script>window.hit=1</script>", self.text(".findings"))

    def test_the_main_content_needs_no_script(self):
        self.open("loop", scripts=False)
        for selector in ("h1", ".lead", "table.causes", ".findings", ".chart.steps path", ".flame b", ".workers"):
            self.assertGreater(self.count(selector), 0, selector)
        self.browser.click(".gap summary")
        self.assertEqual(self.count(".gap[open]"), 1)

    def picked_alone(self, series):
        shown = self.js("""[...document.querySelectorAll('.chart.steps path')].filter(p =>
            p.getAttribute('d') && getComputedStyle(p).opacity > 0.2).map(p => p.dataset.s)""")
        self.assertEqual(shown, [series])
        self.assertRegex(self.js("document.querySelector('.chart.steps path[data-s=\"%s\"]')"
                                 ".getAttribute('d')" % series), r"^M\d+(\.1)? 1000")

    def test_picking_a_cause_shows_it_alone(self):
        self.open("loop")
        before = self.js("document.querySelector('.chart.time .down svg').innerHTML")
        self.browser.click('.legend [data-pick="1"]')
        self.picked_alone("1")
        self.assertEqual(self.count('.legend [aria-pressed="true"]'), 1)
        fits = self.js("""[...document.querySelectorAll('.gap')].every(g =>
            (getComputedStyle(g).display === 'none') === !g.dataset.s.split(' ').includes('1'))""")
        self.assertTrue(fits)
        dimmed = self.js("""[...document.querySelectorAll('.causes tbody tr[data-s]')].every(r =>
            (getComputedStyle(r).opacity < 1) === (r.dataset.s !== '1'))""")
        self.assertTrue(dimmed)
        self.assertEqual(self.js("location.hash"), "#cause=" + self.data()["series"][1]["id"])
        self.browser.press("Escape")
        self.assertEqual(self.count(".off"), 0)
        self.assertEqual(self.js("document.querySelector('.chart.time .down svg').innerHTML"), before)
        self.browser.click("table.causes tbody tr")  # its rows pick, too
        self.assertEqual(self.count('.legend [aria-pressed="true"]'), 1)

    def test_a_cause_is_picked_by_keyboard(self):
        self.open("loop")
        self.browser.press("Tab", "Tab", "Tab", "Enter")  # past the button for Markdown
        self.assertEqual(self.js("document.querySelector('[aria-pressed=true]').dataset.pick"), "1")
        self.picked_alone("1")
        self.browser.press("Enter")
        self.assertEqual(self.count(".off"), 0)

    def test_a_link_opens_with_its_cause(self):
        self.open("loop")
        series = self.data()["series"]
        self.open("loop", fragment="#cause=" + series[0]["id"])
        self.picked_alone("0")

    def test_a_gap_is_marked_on_the_timeline_and_found_from_it(self):
        self.open("loop")
        device = self.data()["devices"][0]
        span = device["time"]["count"]
        self.browser.click('.gap[data-g="3"] summary')
        start, length, _ = device["gaps"][3]
        self.until("document.querySelector('.mark').style.left !== ''")
        self.assertAlmostEqual(self.js("parseFloat(document.querySelector('.mark').style.left)"),
                               (start + length / 2) / span * 100, places=3)
        self.open("loop")
        x, y = self.js("""(() => { const p = document.querySelector('.chart.time .plot');
            p.scrollIntoView({block: 'center'}); const b = p.getBoundingClientRect();
            return [b.x + b.width * %f, b.y + b.height / 3]; })()""" % ((start + length / 2) / span))
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        opened = self.js("Number(document.activeElement.parentElement.dataset.g)")
        start, length, _ = device["gaps"][opened]
        bin_ns = device["time"]["per_bin"]
        clicked = (x - self.js("document.querySelector('.chart.time .plot').getBoundingClientRect().x")) * span \
            / self.js("document.querySelector('.chart.time .plot').getBoundingClientRect().width")
        self.assertLess(start - bin_ns, clicked)
        self.assertLess(clicked, start + length + bin_ns)

    def test_pictures_are_read_out_by_arrow_keys(self):
        self.open("loop")
        steps = self.data()["devices"][0]["steps"]
        self.assertEqual(steps["per_bin"], 1)
        total = lambda i: duration(steps["busy"][i] + sum(ns[i] for ns in steps["idle"]))
        self.js("document.querySelector('.chart.steps').focus()")
        for key, at in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1),
                        ("End", len(steps["busy"]) - 1)):
            self.browser.press(key)
            self.assertTrue(self.text(".chart.steps .readout").startswith(
                "Step %d: %s. Busy %s; " % (at + 1, total(at), duration(steps["busy"][at]))),
                self.text(".chart.steps .readout"))
        self.js("document.querySelector('.chart.time').focus()")
        self.browser.press("Home")
        self.assertTrue(self.text(".chart.time .readout").startswith("At 0 ns, "))

    def test_a_call_is_widened_and_left_again(self):
        self.open("loop")
        widths = """[...document.querySelectorAll('.flame b')].map(b => b.hidden ? 0 : b.offsetWidth)"""
        before = self.js(widths)
        flame = self.data()["devices"][0]["flame"]
        self.js("document.querySelector('.flame b').focus()")
        self.browser.press("ArrowDown", "ArrowDown", "ArrowRight", "Enter")
        self.js("document.getAnimations().forEach(a => a.finish())")
        i = self.js("[...document.querySelectorAll('.flame b')].indexOf(document.activeElement)")
        self.assertGreater(i, 0)
        after = self.js(widths)
        self.assertEqual(after[i], before[0])
        self.assertEqual(after[0], before[0])  # what calls it stays in sight
        below = [j for j, parent in enumerate(flame["parent"]) if parent == i and j != i]
        self.assertGreater(len(below), 0)
        for j in below:
            self.assertAlmostEqual(after[j], before[0] * flame["ns"][j] / flame["ns"][i], delta=2)
        self.browser.press("Enter")  # once more: back to its caller
        self.js("document.getAnimations().forEach(a => a.finish())")
        up = flame["parent"][i]
        self.assertAlmostEqual(self.js(widths)[i], before[0] * flame["ns"][i] / flame["ns"][up], delta=2)
        self.browser.press("ArrowUp", "ArrowUp", "ArrowUp", "Enter")
        self.js("document.getAnimations().forEach(a => a.finish())")
        self.assertEqual(self.js(widths), before)

    def test_everything_on_the_way_can_be_reached_by_tab(self):
        self.open("loop")
        seen = set()
        for _ in range(60):
            self.browser.press("Tab")
            seen.add(self.js("(e => e.dataset.chart || e.dataset.pick && 'pick' || e.tagName)(document.activeElement)"))
        self.assertLessEqual({"pick", "steps", "time", "SUMMARY", "B"}, seen)


if __name__ == "__main__":
    unittest.main(verbosity=1)
