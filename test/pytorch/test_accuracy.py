"""A subset of the labelled stalls in three pairs each: the right leaf at the right line, and nothing promised where nothing is
to gain. The whole suite with its gains is scripts/accuracy."""
import os
import subprocess
import sys

SUBSET = ["sync_item", "sync_print", "sync_explicit", "data_main", "launch_dispatch", "alloc_empty_cache", "host_sleep",
          "negative_busy"]

source = os.environ["GPUSTALL_SOURCE"]
sys.exit(subprocess.run([sys.executable, f"{source}/scripts/accuracy", "--pairs", "3", *SUBSET]).returncode)
