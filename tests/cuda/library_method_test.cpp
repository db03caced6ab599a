// What a profile says of a call that a library computes: the library, its engine or algorithm, and
// the workspace. By the doubles, eagerly and in a compiled program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "frontend/catena.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/profile/method_span.h"
#include "tests/cuda/library_check.h"
#include "tests/cuda/recording_cublas_lt.h"
#include "tests/cuda/recording_cudnn.h"
#include "tests/cuda/recording_driver.h"

#if defined(CATENA_HAS_CUBLAS_LT) && defined(CATENA_HAS_CUDNN)

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

class LibraryMethod : public ::testing::Test {
protected:
    RecordingDriver driver;
    RecordingCublasLt cublas_lt;
    RecordingCudnn cudnn;
    cuda::CudaDevice device{0};

    std::string of(LibraryRole role, const std::vector<Array>& inputs,
                   const Attributes& attributes) {
        profile::take_method();
        std::vector<Array> there;
        for (const Array& input : inputs) there.push_back(input.to(device));
        run_kernel(op_with(role), there, attributes);
        const profile::Label* method = profile::take_method();
        return method ? method->name : "";
    }
    std::string of_product(const Shape& left, const Shape& right) {
        return of(LibraryRole::matmul, {waves(left), waves(right)},
                  {{"transa", false}, {"transb", false}});
    }
    std::string of_convolution() {
        return of(LibraryRole::convolution, {waves({1, 2, 5, 5}), waves({3, 2, 3, 3})},
                  {{"stride", Dims{1, 1}},
                   {"pad", Dims{0, 0}},
                   {"dilate", Dims{1, 1}},
                   {"groups", int64_t(1)},
                   {"cover_all", false},
                   {"size", Dims{}}});
    }
};

TEST_F(LibraryMethod, of_a_product_is_the_algorithm_and_its_tile) {
    const ProfileScope profiling;
    cublas_lt.workspace = 3 << 20;
    EXPECT_EQ(of_product({3, 5}, {5, 4}), "cuBLASLt algorithm 66, tile 20, workspace 3.0 MiB");
}

TEST_F(LibraryMethod, of_a_product_says_how_many_calls_it_took) {
    const ProfileScope profiling;
    cublas_lt.workspace = 0;
    EXPECT_EQ(of_product({3, 1, 4, 5}, {3, 2, 5, 6}), "cuBLASLt algorithm 66, tile 20, 2 calls");
}

TEST_F(LibraryMethod, of_a_convolution_is_the_engine_that_the_rules_leave) {
    const ProfileScope profiling;
    EXPECT_EQ(of_convolution(), "cuDNN engine 11, workspace 0.1 MiB");
    cudnn.engines = {{.index = 58}};
    const Array x = waves({1, 2, 6, 6}), W = waves({3, 2, 3, 3});
    EXPECT_EQ(of(LibraryRole::convolution, {x, W},
                 {{"stride", Dims{1, 1}},
                  {"pad", Dims{0, 0}},
                  {"dilate", Dims{1, 1}},
                  {"groups", int64_t(1)},
                  {"cover_all", false},
                  {"size", Dims{}}}),
              "cuDNN engine 58");
}

TEST_F(LibraryMethod, is_not_looked_for_where_nothing_is_profiled) {
    EXPECT_EQ(of_product({3, 5}, {5, 4}), "");
    EXPECT_EQ(of_convolution(), "");
}

TEST_F(LibraryMethod, stands_in_the_row_of_its_launch) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    const DeviceScope scope(device);
    auto step = static_graph([](const Variable& a, const Variable& b) { return matmul(a, b); },
                             {.name = "step"});
    const Variable a(waves({3, 5}).to(device), false), b(waves({5, 4}).to(device), false);
    step(a, b);
    {
        const ProfileScope profiling;
        for (int i = 0; i < 3; ++i) step(a, b);
    }
    const RegionProfile profile = step.profile();
    ASSERT_EQ(profile.rows.size(), 1u);
    EXPECT_THAT(profile.rows[0].launch.method, HasSubstr("cuBLASLt algorithm 66"));
}

}  // namespace
}  // namespace catena::testing

#endif
