// OpenBLAS takes a processor that it does not know for one with SSE3 alone, whose kernels read
// beyond their matrix (runtime/cpu/linalg/lapack.cpp): eigenvalues must be computed by others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <dlfcn.h>

#include "runtime/core/array/array.h"
#include "runtime/ops/math/linalg/linalg.h"

namespace catena {
namespace {

TEST(LapackLibrary, computes_with_vectors_where_the_processor_has_them) {
#ifndef __x86_64__
    GTEST_SKIP() << "another architecture";
#else
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "the processor has no AVX2";
    if (std::getenv("OPENBLAS_CORETYPE")) GTEST_SKIP() << "OPENBLAS_CORETYPE says what is taken";
    EXPECT_EQ(eigvalsh(Array::full({Dtype::float32, {2, 2}}, 1)).shape(), Shape({2}));
    EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), nullptr) << "the environment is as it was";
    void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (!library) GTEST_SKIP() << "LAPACK is not OpenBLAS";
    const auto core = reinterpret_cast<const char* (*)()>(dlsym(library, "openblas_get_corename"));
    ASSERT_NE(core, nullptr);
    EXPECT_NE(std::string(core()), "Prescott");
    dlclose(library);
#endif
}

}  // namespace
}  // namespace catena
