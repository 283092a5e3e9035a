// Result codes as text, and the last error of the thread.
#include <cstdlib>

#include "entry.h"
#include "settings.h"

namespace simgpu::cupti {
namespace {

thread_local CUptiResult t_last_error = CUPTI_SUCCESS;

struct ResultName {
  CUptiResult code;
  const char* name;
};
constexpr ResultName kResults[] = {
#include "result_names.inc"  // generated from cupti_result.h
};

const char* find(CUptiResult code) {
  for (const ResultName& entry : kResults) {
    if (entry.code == code) return entry.name;
  }
  return nullptr;
}

}  // namespace

CUptiResult leave(CUptiResult result) {
  if (result != CUPTI_SUCCESS) t_last_error = result;
  return result;
}

CUptiResult gate() {
  if (forked_child()) return CUPTI_ERROR_NOT_INITIALIZED;
  note_use();
  return settings().subscribe_error == CUPTI_ERROR_UNKNOWN ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  if (text == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  const char* name = find(result);
  *text = name == nullptr ? "<unknown>" : name;
  return leave(name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS);
}

// The real library answers the name here, too, and never fails on an unknown code.
CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text) {
  if (text == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  const char* name = find(result);
  *text = name == nullptr ? "<unknown>" : name;
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiGetLastError() {
  const CUptiResult last = t_last_error;
  t_last_error = CUPTI_SUCCESS;
  return last;
}
