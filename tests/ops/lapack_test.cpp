#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "runtime/core/system/error.h"
#include "runtime/ops/math/linalg/linalg.h"

namespace catena::testing {
namespace {

/// In a process of its own, since the library is loaded once.
[[noreturn]] void invert_without_library() {
    setenv("CATENA_LAPACK_PATH", "/nowhere/liblapack.so", 1);
    try {
        inv(Variable(Array::full({Dtype::float32, {1, 1}}, 2), false));
    } catch (const DeviceError& error) {
        std::cerr << error.what();
        std::exit(3);
    }
    std::exit(0);
}

TEST(Lapack, a_missing_library_is_told_with_a_remedy) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(invert_without_library(), ::testing::ExitedWithCode(3),
                "matrix_inverse: cpu: no LAPACK: /nowhere/liblapack.so.*install one .Debian: "
                "libopenblas0., or set CATENA_LAPACK_PATH");
}

}  // namespace
}  // namespace catena::testing
