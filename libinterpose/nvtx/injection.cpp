// The entry points that NVTX 3 looks for in the library of NVTX_INJECTION64_PATH. NVTX is
// header-only: each library that uses it (torch, cudart, cuBLAS, cuDNN, NCCL) has its own function
// table and calls us once for it, on its first NVTX call; the functions are the same for all.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include "libinterpose/nvtx/ranges.h"

namespace gpustall::interpose::nvtx {
namespace {

constexpr unsigned kNarrowBytes = 1024;

const Domain& default_domain() noexcept {
  return *domain_of_handle(nullptr);
}

// The attributes' message, as UTF-8; older and newer programs pass structs of other sizes.
std::string_view message_of(const nvtxEventAttributes_t* attributes, char* buffer) noexcept {
  if (attributes == nullptr || attributes->size < sizeof(nvtxEventAttributes_t)) return {};
  const nvtxMessageValue_t& message = attributes->message;
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return message.ascii == nullptr ? std::string_view{} : message.ascii;
    case NVTX_MESSAGE_TYPE_UNICODE:
      if (message.unicode == nullptr) return {};
      return narrow(message.unicode, buffer, kNarrowBytes);
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      const auto* kept = reinterpret_cast<const KeptText*>(message.registered);
      return kept == nullptr ? std::string_view{} : kept->text;
    }
    default:
      return {};
  }
}

std::string_view text_of(const char* text) noexcept {
  return text == nullptr ? std::string_view{} : text;
}

// -- the default domain
void mark_ex(const nvtxEventAttributes_t* attributes) {
  char buffer[kNarrowBytes];
  mark(default_domain(), message_of(attributes, buffer));
}
void mark_a(const char* text) {
  mark(default_domain(), text_of(text));
}
void mark_w(const wchar_t* text) {
  char buffer[kNarrowBytes];
  mark(default_domain(), narrow(text, buffer, kNarrowBytes));
}
nvtxRangeId_t start_ex(const nvtxEventAttributes_t* attributes) {
  char buffer[kNarrowBytes];
  return start_range(default_domain(), message_of(attributes, buffer));
}
nvtxRangeId_t start_a(const char* text) {
  return start_range(default_domain(), text_of(text));
}
nvtxRangeId_t start_w(const wchar_t* text) {
  char buffer[kNarrowBytes];
  return start_range(default_domain(), narrow(text, buffer, kNarrowBytes));
}
void end(nvtxRangeId_t id) {
  end_range(id);
}
int push_ex(const nvtxEventAttributes_t* attributes) {
  char buffer[kNarrowBytes];
  return push_range(default_domain(), message_of(attributes, buffer));
}
int push_a(const char* text) {
  return push_range(default_domain(), text_of(text));
}
int push_w(const wchar_t* text) {
  char buffer[kNarrowBytes];
  return push_range(default_domain(), narrow(text, buffer, kNarrowBytes));
}
int pop() {
  return pop_range(default_domain());
}

// -- other domains
void domain_mark_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  char buffer[kNarrowBytes];
  mark(*domain_of_handle(domain), message_of(attributes, buffer));
}
nvtxRangeId_t domain_start_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  char buffer[kNarrowBytes];
  return start_range(*domain_of_handle(domain), message_of(attributes, buffer));
}
void domain_end(nvtxDomainHandle_t, nvtxRangeId_t id) {
  end_range(id);
}
int domain_push_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  char buffer[kNarrowBytes];
  return push_range(*domain_of_handle(domain), message_of(attributes, buffer));
}
int domain_pop(nvtxDomainHandle_t domain) {
  return pop_range(*domain_of_handle(domain));
}
nvtxStringHandle_t register_a(nvtxDomainHandle_t, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<KeptText*>(register_text(text_of(text))));
}
nvtxStringHandle_t register_w(nvtxDomainHandle_t, const wchar_t* text) {
  char buffer[kNarrowBytes];
  return reinterpret_cast<nvtxStringHandle_t>(
      const_cast<KeptText*>(register_text(narrow(text, buffer, kNarrowBytes))));
}
nvtxDomainHandle_t create_a(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<Domain*>(domain_of_name(text_of(name))));
}
nvtxDomainHandle_t create_w(const wchar_t* name) {
  char buffer[kNarrowBytes];
  return reinterpret_cast<nvtxDomainHandle_t>(
      const_cast<Domain*>(domain_of_name(narrow(name, buffer, kNarrowBytes))));
}
uint8_t domain_is_enabled(nvtxDomainHandle_t domain) {
  return domain_of_handle(domain)->keep != Keep::Nothing;
}

struct Callback {
  unsigned id;
  NvtxFunctionPointer function;
};
template <typename Type, typename Function>
NvtxFunctionPointer as(Function* function) noexcept {
  return reinterpret_cast<NvtxFunctionPointer>(static_cast<Type>(function));
}

void fill(const NvtxExportTableCallbacks& exports, NvtxCallbackModule module,
          const Callback* callbacks, unsigned count) noexcept {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (exports.GetModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) return;
  for (unsigned i = 0; i < count; ++i)
    if (callbacks[i].id < size && table[callbacks[i].id] != nullptr)
      *table[callbacks[i].id] = callbacks[i].function;
}

void fill_core(const NvtxExportTableCallbacks& exports) noexcept {
  const Callback callbacks[] = {
      {NVTX_CBID_CORE_MarkEx, as<nvtxMarkEx_impl_fntype>(mark_ex)},
      {NVTX_CBID_CORE_MarkA, as<nvtxMarkA_impl_fntype>(mark_a)},
      {NVTX_CBID_CORE_MarkW, as<nvtxMarkW_impl_fntype>(mark_w)},
      {NVTX_CBID_CORE_RangeStartEx, as<nvtxRangeStartEx_impl_fntype>(start_ex)},
      {NVTX_CBID_CORE_RangeStartA, as<nvtxRangeStartA_impl_fntype>(start_a)},
      {NVTX_CBID_CORE_RangeStartW, as<nvtxRangeStartW_impl_fntype>(start_w)},
      {NVTX_CBID_CORE_RangeEnd, as<nvtxRangeEnd_impl_fntype>(end)},
      {NVTX_CBID_CORE_RangePushEx, as<nvtxRangePushEx_impl_fntype>(push_ex)},
      {NVTX_CBID_CORE_RangePushA, as<nvtxRangePushA_impl_fntype>(push_a)},
      {NVTX_CBID_CORE_RangePushW, as<nvtxRangePushW_impl_fntype>(push_w)},
      {NVTX_CBID_CORE_RangePop, as<nvtxRangePop_impl_fntype>(pop)},
  };
  fill(exports, NVTX_CB_MODULE_CORE, callbacks, sizeof callbacks / sizeof callbacks[0]);
}

void fill_core2(const NvtxExportTableCallbacks& exports) noexcept {
  const Callback callbacks[] = {
      {NVTX_CBID_CORE2_DomainMarkEx, as<nvtxDomainMarkEx_impl_fntype>(domain_mark_ex)},
      {NVTX_CBID_CORE2_DomainRangeStartEx, as<nvtxDomainRangeStartEx_impl_fntype>(domain_start_ex)},
      {NVTX_CBID_CORE2_DomainRangeEnd, as<nvtxDomainRangeEnd_impl_fntype>(domain_end)},
      {NVTX_CBID_CORE2_DomainRangePushEx, as<nvtxDomainRangePushEx_impl_fntype>(domain_push_ex)},
      {NVTX_CBID_CORE2_DomainRangePop, as<nvtxDomainRangePop_impl_fntype>(domain_pop)},
      {NVTX_CBID_CORE2_DomainRegisterStringA,
       as<nvtxDomainRegisterStringA_impl_fntype>(register_a)},
      {NVTX_CBID_CORE2_DomainRegisterStringW,
       as<nvtxDomainRegisterStringW_impl_fntype>(register_w)},
      {NVTX_CBID_CORE2_DomainCreateA, as<nvtxDomainCreateA_impl_fntype>(create_a)},
      {NVTX_CBID_CORE2_DomainCreateW, as<nvtxDomainCreateW_impl_fntype>(create_w)},
  };
  fill(exports, NVTX_CB_MODULE_CORE2, callbacks, sizeof callbacks / sizeof callbacks[0]);
}

// Of nvtxDetail/nvtxExtTypes.h, which cannot be included alone.
struct ExtensionSegment {
  size_t id, slot_count;
  intptr_t* slots;
};
struct ExtensionModule {
  uint16_t nvtx_version, struct_size, module, compatibility;
  size_t segment_count;
  ExtensionSegment* segments;
};
constexpr uint16_t kPayloadModule = 2;
constexpr size_t kDomainIsEnabledSlot = 7;  // NVTX3EXT_CBID_nvtxDomainIsEnabled, since 3.2

}  // namespace
}  // namespace gpustall::interpose::nvtx

using namespace gpustall::interpose::nvtx;

// 1: attached. Never starts the recording: programs without CUDA use NVTX too.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) noexcept {
  if (get_export_table == nullptr) return 0;
  const auto* exports =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (exports == nullptr || exports->struct_size < sizeof(NvtxExportTableCallbacks)) return 0;
  fill_core(*exports);
  fill_core2(*exports);
  return 1;
}

// Extension modules (NVTX 3.1 on). Of these only the question whether a domain is of interest is
// answered, so that a library can skip its ranges.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    ExtensionModule* module) noexcept {
  if (module == nullptr || module->module != kPayloadModule || module->segment_count == 0) return 1;
  ExtensionSegment& segment = module->segments[0];
  if (segment.slot_count > kDomainIsEnabledSlot)
    segment.slots[kDomainIsEnabledSlot] = reinterpret_cast<intptr_t>(&domain_is_enabled);
  return 1;
}
