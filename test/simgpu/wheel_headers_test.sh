#!/bin/sh
# wheel_headers_test.sh CXX STAND_INS SOURCE DIR...: the source compiles with the headers of the PyPI wheels (DIR...) and our
# stand-ins for what they leave out, with none of a toolkit that this machine happens to have. 77 (skipped) without wheels.
cxx=$1 stand_ins=$2 source=$3
shift 3
includes=
for dir in "$@"; do
  [ -d "$dir" ] && includes="$includes -isystem $dir"
done
[ -n "$includes" ] || { echo "SKIPPED: no wheels with CUDA headers; run scripts/setup" >&2; exit 77; }
used=$($cxx -std=c++20 -fsyntax-only -I"${stand_ins%/libinterpose/*}" $includes -isystem "$stand_ins" "$source" &&
  $cxx -std=c++20 -M -I"${stand_ins%/libinterpose/*}" $includes -isystem "$stand_ins" "$source") || exit 1
! echo "$used" | tr ' ' '\n' | grep -E '^/usr/local/(cuda|include)'
