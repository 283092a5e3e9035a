#!/bin/sh
# run_test.sh NAME: test/pytorch/test_NAME.py with the .venv's Python; exit 77 (skipped) where it has no CUDA build of torch.
here=$(cd "$(dirname "$0")" && pwd)
python=$GPUSTALL_SOURCE/.venv/bin/python
if ! "$python" -c 'import torch, sys; sys.exit(torch.version.cuda is None)' 2>/dev/null; then
  echo "SKIPPED: no .venv with a CUDA build of torch; run scripts/setup" >&2
  exit 77
fi
exec "$python" "$here/test_$1.py"
