# Finds the CUDA and CUPTI headers (types only; nothing of CUDA is linked), defines the target
# gpustall_cupti_headers, and leaves the folders it looked in, with their stand-ins, to the simulated
# device. Looked for in this order: -DGPUSTALL_CUDA_INCLUDE_DIR, a CUDA toolkit (also its
# extras/CUPTI), the PyPI wheels that the project's .venv, the active environment or python3 sees.
include_guard(GLOBAL)

# Where a Python finds the wheels of NVIDIA: also those of an interpreter below a virtual environment.
set(_gpustall_wheels "")
foreach(_python ${PROJECT_SOURCE_DIR}/.venv/bin/python $ENV{VIRTUAL_ENV}/bin/python $ENV{CONDA_PREFIX}/bin/python python3)
  execute_process(COMMAND ${_python} -c "import nvidia; print(*nvidia.__path__, sep=';', end='')"
    OUTPUT_VARIABLE _paths ERROR_QUIET RESULT_VARIABLE _failed)
  if(_failed EQUAL 0)
    list(APPEND _gpustall_wheels ${_paths})
  endif()
endforeach()
list(REMOVE_DUPLICATES _gpustall_wheels)
list(TRANSFORM _gpustall_wheels APPEND /cu13/include OUTPUT_VARIABLE GPUSTALL_CUDA_WHEEL_DIRS)
list(TRANSFORM _gpustall_wheels APPEND /cudnn/include OUTPUT_VARIABLE GPUSTALL_CUDNN_DIRS)

# Of an older CUDA nothing is taken: its headers lack records and calls that CUDA 13 has.
set(GPUSTALL_CUDA_DIRS "")
set(_gpustall_too_old "")
foreach(_dir ${GPUSTALL_CUDA_INCLUDE_DIR} $ENV{CUDA_HOME}/include /usr/local/cuda/include ${GPUSTALL_CUDA_WHEEL_DIRS})
  if(NOT EXISTS ${_dir}/cuda.h)
    continue()
  endif()
  file(STRINGS ${_dir}/cuda.h _version REGEX "^#define CUDA_VERSION [0-9]+" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+" _version "${_version}")
  if(_version GREATER_EQUAL 13000)
    list(APPEND GPUSTALL_CUDA_DIRS ${_dir} ${_dir}/../extras/CUPTI/include)
  else()
    string(APPEND _gpustall_too_old " (${_dir} has another CUDA's)")
  endif()
endforeach()

# In the cache, since only the first folder that includes this file has its variables.
set(GPUSTALL_CUDA_DIRS ${GPUSTALL_CUDA_DIRS} CACHE INTERNAL "")
set(GPUSTALL_CUDA_WHEEL_DIRS ${GPUSTALL_CUDA_WHEEL_DIRS} CACHE INTERNAL "")
set(GPUSTALL_CUDNN_DIRS ${GPUSTALL_CUDNN_DIRS} CACHE INTERNAL "")

find_path(GPUSTALL_CUPTI_INCLUDE_DIR cupti.h HINTS ${GPUSTALL_CUDA_DIRS} NO_DEFAULT_PATH)
find_path(GPUSTALL_CUDA_H_INCLUDE_DIR cuda.h HINTS ${GPUSTALL_CUDA_DIRS} NO_DEFAULT_PATH)
find_path(GPUSTALL_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h HINTS ${GPUSTALL_CUDA_DIRS} NO_DEFAULT_PATH)
if(NOT GPUSTALL_CUPTI_INCLUDE_DIR OR NOT GPUSTALL_CUDA_H_INCLUDE_DIR OR NOT GPUSTALL_NVTX_INCLUDE_DIR)
  message(FATAL_ERROR "CUDA 13 headers (cuda.h, cupti.h, nvtx3) not found${_gpustall_too_old}; run scripts/setup, or "
    "python3 -m pip install nvidia-cuda-cupti nvidia-cuda-runtime nvidia-nvtx, or pass "
    "-DGPUSTALL_CUDA_INCLUDE_DIR=<dir>")
endif()

# What the PyPI wheels of CUDA 13 leave out; a toolkit has it, some of it one folder deeper.
function(gpustall_stand_in_headers dir to)
  set(found "")
  if(EXISTS ${dir}/cccl/nv/target)
    list(APPEND found ${dir}/cccl)
  endif()
  if(NOT EXISTS ${dir}/crt/host_defines.h OR NOT (EXISTS ${dir}/nv/target OR found))
    list(APPEND found ${PROJECT_SOURCE_DIR}/libinterpose/cupti/headers)
  endif()
  set(${to} ${found} PARENT_SCOPE)
endfunction()

gpustall_stand_in_headers(${GPUSTALL_CUDA_H_INCLUDE_DIR} _gpustall_stand_ins)
add_library(gpustall_cupti_headers INTERFACE)
# SYSTEM: foreign headers do not meet our warning flags.
target_include_directories(gpustall_cupti_headers SYSTEM INTERFACE ${GPUSTALL_CUPTI_INCLUDE_DIR}
  ${GPUSTALL_CUDA_H_INCLUDE_DIR} ${GPUSTALL_NVTX_INCLUDE_DIR} ${_gpustall_stand_ins})
