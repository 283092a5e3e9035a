"""The colours of the families are told apart by people with any of the three forms of colour blindness, on the page in
light and in dark and in timelines: no pair is nearer than NEAREST in CIEDE2000. How they see is simulated as by Machado,
Oliveira and Fernandes (2009), at full severity."""
import itertools
import math
import os
import re
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
NEAREST = 10  # 1 is just visible

VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
FAMILIES = ["sync", "data", "copy", "alloc", "launch", "host", "device", "cold", "tool"]

# What chrome://tracing paints for a name (its color_scheme).
CHROME = {"terrible": (180, 0, 0), "light_memory_dump": (0, 0, 180), "rail_response": (67, 135, 253),
          "cq_build_failed": (238, 136, 136), "bad": (180, 125, 0), "background_memory_dump": (0, 180, 180),
          "startup": (230, 230, 0), "grey": (221, 221, 221), "generic_work": (125, 125, 125), "black": (0, 0, 0)}


def lab(colour, vision):
    """CIELAB of an sRGB colour as somebody sees it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (c / 255 for c in colour)]
    r, g, b = (min(1, max(0, sum(m * c for m, c in zip(row, linear)))) for row in VISIONS[vision])
    xyz = ((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047, 0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
           (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one, other):
    """CIEDE2000, by the names of its definition."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7))
    c1, c2 = math.hypot(a1 * stretch, b1), math.hypot(a2 * stretch, b2)
    h1, h2 = (math.degrees(math.atan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    cos = lambda factor, by: math.cos(math.radians(factor * hue + by))
    t = 1 - 0.17 * cos(1, -30) + 0.24 * cos(2, 0) + 0.32 * cos(3, 6) - 0.2 * cos(4, -63)
    dl = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2))
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    turned = (-2 * math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)) *
              math.sin(math.radians(60 * math.exp(-((hue - 275) / 25) ** 2))))
    return math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + turned * dc * dh)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def nearest(colours):
    """(distance, vision, the two)."""
    return min((distance(lab(colours[a], vision), lab(colours[b], vision)), vision, a, b)
               for vision in VISIONS for a, b in itertools.combinations(sorted(colours), 2))


class Colours(unittest.TestCase):
    def test_the_distance_is_that_of_the_definition(self):
        for one, other, wanted in (((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),  # of Sharma, Wu and Dalal (2005)
                                   ((50, 2.5, 0), (73, 25, -18), 27.1492), ((50, -1, 2), (50, 0, 0), 2.3669)):
            self.assertAlmostEqual(distance(one, other), wanted, 4)

    def test_a_vision_keeps_greys_and_confuses_what_it_should(self):
        for vision in VISIONS:
            for seen, grey in zip(lab((90, 90, 90), vision), lab((90, 90, 90), "normal")):
                self.assertAlmostEqual(seen, grey, 3)
        for vision, one, other in (("protanopia", (110, 0, 0), (40, 45, 0)), ("deuteranopia", (200, 90, 0), (130, 130, 0)),
                                   ("tritanopia", (0, 120, 255), (0, 150, 160))):
            self.assertLess(distance(lab(one, vision), lab(other, vision)),
                            0.5 * distance(lab(one, "normal"), lab(other, "normal")), vision)

    def test_of_the_page(self):
        light, dark = re.findall(r":root \{(.*?)\}", read("viewer-cli/render/html/report.css"), re.S)[:2]
        found = {}
        for mode, text in (("light", light), ("dark", dark)):
            found.update({name: tuple(bytes.fromhex(digits))  # of dark what differs from light
                          for name, digits in re.findall(r"--(busy|f-[a-z]+): #([0-9a-f]{6});", text)})
            self.assertEqual(sorted(found), sorted(["busy", "f-other"] + ["f-" + name for name in FAMILIES]))
            self.assertGreater(nearest(found)[0], NEAREST, (mode, nearest(found)))

    def test_of_timelines(self):
        found = dict(re.findall(r'case CauseFamily::(\w+):\s+return "(\w+)";', read("viewer-cli/export/cause_rows.cpp")))
        self.assertEqual(sorted(name.lower() for name in found), sorted(FAMILIES))
        colours = dict({name: CHROME[colour] for name, colour in found.items()}, unknown=CHROME["black"])
        self.assertGreater(nearest(colours)[0], NEAREST, nearest(colours))


if __name__ == "__main__":
    unittest.main(verbosity=1)
