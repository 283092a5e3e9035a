// NVTX's client looks for this pointer when the environment names no library: the strong definition
// that overrides the client's weak one.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

extern "C" {
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t) noexcept;
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = &InitializeInjectionNvtx2;
}
