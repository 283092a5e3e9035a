#!/bin/sh
# Runs a command on the simulated device: run.sh [-l BUILD_LIB_DIR] COMMAND...
# The libraries are those of the build tree named by -l or GPUSTALL_SIM_LIB, else of build/release, else beside this file.
here=$(cd "$(dirname "$0")" && pwd)
dir=${GPUSTALL_SIM_LIB:-}
if [ "$1" = "-l" ]; then dir=$2; shift 2; fi
for candidate in "$dir" "$here" "$here/../../build/release/lib/gpustall/simgpu"; do
  if [ -n "$candidate" ] && [ -e "$candidate/libgpustall_simcore.so" ]; then dir=$candidate; break; fi
done
if [ ! -e "$dir/libgpustall_simcore.so" ]; then
  echo "run.sh: no simulated device in '$dir'; build the target simgpu, or name its folder with -l" >&2
  exit 2
fi
dir=$(cd "$dir" && pwd)
preload=
# This order: a library's dependencies before it; cupti only where it was built.
for library in libgpustall_simcore.so libcudart.so.13 libcuda.so.1 libcublasLt.so.13 libcublas.so.13 libcudnn.so.9 \
  libcupti.so.13; do
  if [ -e "$dir/$library" ]; then preload="$preload${preload:+:}$dir/$library"; fi
done
LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$preload" exec "$@"
