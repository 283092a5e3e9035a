# Finds the CUDA and CUPTI headers (types only; nothing of CUDA is linked) and defines the target
# gpustall_cupti_headers. Looked for in this order: -DGPUSTALL_CUDA_INCLUDE_DIR, a CUDA toolkit
# (also its extras/CUPTI), the PyPI wheels below the project's .venv or the active environment.
include_guard(GLOBAL)

file(GLOB _gpustall_wheel_dirs
  ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/include
  $ENV{VIRTUAL_ENV}/lib/python3*/site-packages/nvidia/cu13/include
  $ENV{CONDA_PREFIX}/lib/python3*/site-packages/nvidia/cu13/include)
set(_gpustall_cuda_hints
  ${GPUSTALL_CUDA_INCLUDE_DIR}
  $ENV{CUDA_HOME}/include $ENV{CUDA_HOME}/extras/CUPTI/include
  /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include
  ${_gpustall_wheel_dirs})

find_path(GPUSTALL_CUPTI_INCLUDE_DIR cupti.h HINTS ${_gpustall_cuda_hints} NO_DEFAULT_PATH)
find_path(GPUSTALL_CUDA_H_INCLUDE_DIR cuda.h HINTS ${_gpustall_cuda_hints} NO_DEFAULT_PATH)
find_path(GPUSTALL_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h HINTS ${_gpustall_cuda_hints} NO_DEFAULT_PATH)
if(NOT GPUSTALL_CUPTI_INCLUDE_DIR OR NOT GPUSTALL_CUDA_H_INCLUDE_DIR OR NOT GPUSTALL_NVTX_INCLUDE_DIR)
  message(FATAL_ERROR "CUDA 13 headers (cuda.h, cupti.h, nvtx3) not found; run scripts/setup, or "
    "pip install nvidia-cuda-cupti nvidia-cuda-runtime nvidia-nvtx, or pass "
    "-DGPUSTALL_CUDA_INCLUDE_DIR=<dir>")
endif()

add_library(gpustall_cupti_headers INTERFACE)
# SYSTEM: foreign headers do not meet our warning flags.
target_include_directories(gpustall_cupti_headers SYSTEM INTERFACE
  ${GPUSTALL_CUPTI_INCLUDE_DIR} ${GPUSTALL_CUDA_H_INCLUDE_DIR} ${GPUSTALL_NVTX_INCLUDE_DIR})
# The PyPI wheels of CUDA 13 leave out the one header that depends on the compiler.
if(NOT EXISTS ${GPUSTALL_CUDA_H_INCLUDE_DIR}/crt/host_defines.h)
  target_include_directories(gpustall_cupti_headers SYSTEM INTERFACE ${CMAKE_CURRENT_LIST_DIR}/headers)
endif()
