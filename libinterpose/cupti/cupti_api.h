// The table of CUPTI functions of the libcupti that this process already has. We never link CUPTI,
// never load a second copy beside the program's (one SONAME is loaded once: an older one found
// first breaks `import torch`), and every entry is looked up without a version and may be null.
#pragma once
#include <cupti.h>

#include <cstdint>

namespace gpustall::interpose::cupti {

struct CuptiApi {
  void* library = nullptr;  // kept open for the life of the process
  uint32_t version = 0;     // cuptiGetVersion: small numbers up to 28 (12.9), then xxyyzz
#define GPUSTALL_CUPTI(name, required) decltype(&::cupti##name) name = nullptr;
#include "libinterpose/cupti/cupti_functions.def"
#undef GPUSTALL_CUPTI
  // Not in the headers before 13.0.
  CUptiResult (*Subscribe_v2)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, void*) = nullptr;
};

// Fills `api` from `library` (a dlopen handle); false when a required entry is missing, its name is
// stored in *missing.
bool fill_api(CuptiApi& api, void* library, const char** missing) noexcept;

// A handle of the mapped libcupti, else of the one beside the mapped libcudart, else null.
// `load` false: only a mapped one.
void* find_cupti(bool load) noexcept;

// A handle of a mapped library whose file name starts with `prefix`, else null.
void* find_mapped(const char* prefix) noexcept;

}  // namespace gpustall::interpose::cupti
