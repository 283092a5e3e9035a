"""Reads a ground-truth log of the simulated device: what was really busy when, in integer nanoseconds.

The oracle of the tests: nothing here knows anything about gpustall's own trace or its rules of attribution.
    python truth.py LOG...            prints one line per device and the invariants that are broken
"""
import collections
import sys

DEVICE_WORK = ("kernel", "memcpy", "memset", "graph")


class Activity:
    """One line of the log: kind, times, ids, and the remaining fields as a dict of strings."""

    __slots__ = ("kind", "node", "device", "context", "stream", "correlation", "start", "end", "name", "fields")

    def __init__(self, line):
        head, _, self.name = line.partition(" name=")  # names may hold anything, so they come last
        words = head.split()
        self.node = words[0] == "node"  # inside a graph launch: not device work of its own
        fields = dict(word.split("=", 1) for word in words[1:])
        self.kind = fields.pop("kind") if self.node else words[0]
        self.device, self.context = int(fields.pop("dev")), int(fields.pop("ctx"))
        self.stream, self.correlation = int(fields.pop("stream")), int(fields.pop("corr"))
        self.start, self.end = int(fields.pop("start")), int(fields.pop("end"))
        self.fields = fields

    @property
    def is_device_work(self):
        return not self.node and self.kind in DEVICE_WORK

    @property
    def is_copy(self):
        return self.kind == "memcpy"


def read(path):
    """All activities of a log, in the order in which they were submitted."""
    activities = []
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            line = line.strip("\n\0")
            if line:
                activities.append(Activity(line))
    return activities


def union(intervals):
    """Merged, sorted intervals; touching ones are one."""
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return [tuple(pair) for pair in merged]


def length(intervals):
    return sum(end - start for start, end in intervals)


class DeviceTruth:
    """span, busy, idle, compute and exposed copy of one device; the gaps themselves for finer checks."""

    def __init__(self, work):
        everything = union((a.start, a.end) for a in work)
        computing = union((a.start, a.end) for a in work if not a.is_copy)
        self.activities = len(work)
        self.first, self.last = everything[0][0], everything[-1][1]
        self.span_ns = self.last - self.first
        self.busy_ns = length(everything)
        self.compute_ns = length(computing)  # kernels, memsets and graph launches
        self.exposed_copy_ns = self.busy_ns - self.compute_ns  # a copy runs and nothing else
        self.gaps = [(left[1], right[0]) for left, right in zip(everything, everything[1:])]
        self.idle_ns = length(self.gaps)

    def as_dict(self):
        return {key: value for key, value in vars(self).items() if key != "gaps"}


def devices(activities):
    """{ordinal: DeviceTruth} for every device that did any work."""
    work = collections.defaultdict(list)
    for activity in activities:
        if activity.is_device_work:
            work[activity.device].append(activity)
    return {device: DeviceTruth(found) for device, found in sorted(work.items())}


def broken_invariants(activities):
    """Sentences about what a log of the simulated device must never show; empty when all is well."""
    broken = []
    by_stream = collections.defaultdict(list)
    launches = collections.Counter()
    for activity in activities:
        if activity.end < activity.start:
            broken.append(f"{activity.kind} corr={activity.correlation} ends before it starts")
        if not activity.is_device_work:
            continue
        by_stream[activity.device, activity.stream].append(activity)
        launches[activity.correlation] += 1
    for (device, stream), work in by_stream.items():
        work.sort(key=lambda a: (a.start, a.end))
        for before, after in zip(work, work[1:]):
            if after.start < before.end:
                broken.append(f"device {device} stream {stream}: corr {after.correlation} overlaps "
                              f"corr {before.correlation} by {before.end - after.start} ns")
    for correlation, count in launches.items():
        if count > 1 or correlation == 0:
            broken.append(f"correlation {correlation} belongs to {count} launches")
    for device, found in devices(activities).items():
        if found.idle_ns + found.busy_ns != found.span_ns:
            broken.append(f"device {device}: idle {found.idle_ns} + busy {found.busy_ns} != span {found.span_ns}")
    return broken


def main(paths):
    failed = False
    for path in paths:
        activities = read(path)
        for device, found in devices(activities).items():
            print(path, f"device={device}", *(f"{key}={value}" for key, value in found.as_dict().items()))
        for sentence in broken_invariants(activities):
            failed = True
            print(path, "BROKEN:", sentence)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
