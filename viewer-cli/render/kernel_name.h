// Names of kernels for people: C++ symbols demangled, and without what hides the name.
#pragma once
#include <string>
#include <string_view>

namespace gpustall::cli {

// "_ZN2at6native..." -> "void at::native::fill<4, ...>(int)"; what is no symbol stays as it is.
std::string demangled(std::string_view name);

// Of a symbol the function with its template arguments, without namespaces and parameters, cut in
// its middle to at most 72 characters: "vectorized_elementwise_kernel<4, FillFunctor<float>, ...>".
// What is no symbol stays as it is.
std::string short_kernel_name(std::string_view name);

}  // namespace gpustall::cli
