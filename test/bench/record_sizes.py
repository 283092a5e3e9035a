"""Bytes per record kind in trace files, by walking the frames of FORMAT.md: tag, length, payload."""
import collections
import pathlib
import struct
import sys

HEADER_BYTES, CHUNK_BYTES, CHUNK_HEADER_BYTES = 4096, 65536, 48


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def sizes(paths):
    """{tag: (count, bytes with frame)} over all files."""
    count, total = collections.Counter(), collections.Counter()
    for path in paths:
        data = path.read_bytes()
        for chunk in range(HEADER_BYTES, len(data) - CHUNK_HEADER_BYTES, CHUNK_BYTES):
            magic, committed = struct.unpack_from("<II", data, chunk)
            if magic != 0x48435347:
                continue
            at, end = chunk + CHUNK_HEADER_BYTES, chunk + CHUNK_HEADER_BYTES + committed
            while at < end:
                start, tag = at, data[at]
                length, at = varint(data, at + 1)
                at += length
                count[tag] += 1
                total[tag] += at - start
    return {tag: (count[tag], total[tag]) for tag in count}


if __name__ == "__main__":
    for tag, (n, size) in sorted(sizes(pathlib.Path(sys.argv[1]).glob("*.gst")).items()):
        print(f"tag {tag:3}  {n:9} records  {size / n:6.1f} bytes each")
