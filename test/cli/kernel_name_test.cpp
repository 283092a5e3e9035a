// Names of kernels for people.
#include "viewer-cli/render/kernel_name.h"
#include "test/catch.h"

using namespace gpustall::cli;
using gpustall::test::contains;

TEST_CASE("a symbol becomes its function, without namespaces, return type and parameters") {
  CHECK(short_kernel_name("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE"
                          "St5arrayIPcLm1EEEEviT0_T1_") ==
        "vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1ul> >");
  CHECK(short_kernel_name("_ZN2at6native28amp_update_scale_cuda_kernelEPfPiPKfddi") ==
        "amp_update_scale_cuda_kernel");
  CHECK(short_kernel_name("_ZN43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f6320softmax_warp_"
                          "forwardIN3c104HalfES2_fLi4ELb1ELb0EEEvPT0_PKT_iiiPKbib") ==
        "softmax_warp_forward<Half, Half, float, 4, true, false>");
}

TEST_CASE("long names are cut, and whole where they are asked for") {
  const char* symbol =
      "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13AUnaryFunctorIfffNS0_15binary_"
      "internal10MulFunctorIfEEEESt5arrayIPcLm2EEEEviT0_T1_";
  CHECK(short_kernel_name(symbol).size() <= 72);
  CHECK_THAT(short_kernel_name(symbol),
             contains("vectorized_elementwise_kernel<4, AUnaryFunctor<"));
  CHECK_THAT(demangled(symbol), contains("at::native::binary_internal::MulFunctor<float>"));
}

TEST_CASE("what is no symbol stays as it is") {
  for (const char* name : {"ampere_fp16_s16816gemm_fp16_128x64_tn", "_Z", "", "_Zbroken", "memset",
                           "decode_jpeg (data.py:41)"})
    CHECK(short_kernel_name(name) == name);
}
