// What is said when a library does not take what it is meant for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "runtime/cuda/cuda_device.h"
#include "tests/cuda/library_check.h"
#include "tests/cuda/recording_cublas_lt.h"
#include "tests/cuda/recording_cudnn.h"
#include "tests/cuda/recording_driver.h"

namespace catena::testing {
namespace {

using cuda::CudaDevice;
using ::testing::AllOf;
using ::testing::HasSubstr;

template <class F>
std::string said_by(F&& f) {
    ::testing::internal::CaptureStderr();
    f();
    return ::testing::internal::GetCapturedStderr();
}

#ifdef CATENA_HAS_CUDNN

class CudaDeclinesOfCudnn : public ::testing::Test {
protected:
    void SetUp() override {
        if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    }
    /// A convolution of images of this size.
    void convolve(int64_t size, CudaDevice& device) {
        const Array x = waves({1, 2, size, size}).to(device), W = waves({3, 2, 3, 3}).to(device);
        run_kernel(op_with(LibraryRole::convolution), std::vector{x, W}, plain);
    }
    const Attributes plain{{"stride", Dims{1, 1}}, {"pad", Dims{0, 0}},  {"dilate", Dims{1, 1}},
                           {"groups", int64_t(1)}, {"cover_all", false}, {"size", Dims{}}};
    RecordingDriver driver;
    RecordingCudnn library;
};

TEST_F(CudaDeclinesOfCudnn, for_their_workspace_name_it_the_limit_and_what_runs_instead) {
    library.engines = {{.index = 1, .workspace = int64_t(900) << 20},
                       {.index = 11, .workspace = 1 << 16}};
    CudaDevice device(0);
    const std::string line =
        "catena: cuda:0: convolution(float32[1,2,21,21], float32[3,2,3,3]): cuDNN: its best engine "
        "wants a workspace of 900.0 MiB, "
        "256 are allowed (CATENA_CUDA_WORKSPACE_MB); another of its engines runs instead\n";
    EXPECT_EQ(said_by([&] { convolve(21, device); }), line);
    EXPECT_EQ(said_by([&] { convolve(21, device); }), "") << "once";
    EXPECT_THAT(said_by([&] { convolve(22, device); }), HasSubstr("float32[1,2,22,22]"))
        << "of another size";
    EXPECT_THAT(library.last("cudnnBackendExecute"), HasSubstr("engine 11 "));
    const Environment more("CATENA_CUDA_WORKSPACE_MB", "1000");
    driver.memory_left = size_t(2) << 30;
    CudaDevice roomy(0);
    EXPECT_EQ(said_by([&] { convolve(21, roomy); }), "");
    EXPECT_THAT(library.last("cudnnBackendExecute"), HasSubstr("engine 1 "));
}

TEST_F(CudaDeclinesOfCudnn, leave_a_generated_kernel_where_no_engine_is_left) {
    library.engines = {{.index = 1, .workspace = int64_t(900) << 20}};
    CudaDevice device(0);
    EXPECT_THAT(said_by([&] { convolve(23, device); }),
                HasSubstr("; a generated kernel runs instead\n"));
    library.engines = {{.index = 1, .notes = {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}}};
    EXPECT_THAT(said_by([&] { convolve(24, device); }),
                HasSubstr("cuDNN: none of its engines computes it as exactly as it should be; a "
                          "generated kernel runs instead"));
    EXPECT_EQ(driver.count("cuLaunchKernel"), 2);
}

TEST_F(CudaDeclinesOfCudnn, of_tensors_beyond_32_bits_name_their_size) {
    CudaDevice device(0);
    const Array one = waves({1}).to(device), W = waves({1, 1, 3, 3}).to(device);
    const Array x = one.view({1, 1, 50000, 50000}, {0, 0, 0, 0}, 0);
    std::vector<Array> y{one.view({1, 1, 49998, 49998}, {0, 0, 0, 0}, 0)};
    const std::vector<Array> inputs{x, W};
    const KernelCall call{op_with(LibraryRole::convolution), inputs, y, plain, {}};
    EXPECT_THAT(said_by([&] { EXPECT_FALSE(device.has_library_for(call)); }),
                AllOf(HasSubstr("float32[1,1,50000,50000]"),
                      HasSubstr("cuDNN: a tensor has 2500000000 elements, it takes 2147483647 at "
                                "most; a generated kernel")));
}

TEST_F(CudaDeclinesOfCudnn, that_is_missing_are_one_line) {
    cuda::Cudnn missing;
    missing.complaint = "not there (tried libcudnn.so.9)";
    cuda::replace_cudnn(&missing);
    CudaDevice device(0);
    const std::string line =
        "catena: cuda:0: no cuDNN: not there (tried libcudnn.so.9); convolution, average pooling "
        "and batch normalization are "
        "generated kernels, which are slower\n";
    EXPECT_EQ(said_by([&] {
                  convolve(25, device);
                  convolve(26, device);
              }),
              line);
    const Environment none("CATENA_CUDNN_PATH", "/none");
    CudaDevice without(1);
    EXPECT_EQ(said_by([&] { convolve(25, without); }), "") << "as it was wanted";
}

#endif

#ifdef CATENA_HAS_CUBLAS_LT

TEST(CudaDeclinesOfCublasLt, are_said_once_for_each_shape) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    RecordingDriver driver;
    RecordingCublasLt library;
    library.knows_a_way = false;
    CudaDevice device(0);
    auto multiply = [&](int64_t size) {
        const Array a = waves({size, size}).to(device);
        run_kernel(op_with(LibraryRole::matmul), std::vector{a, a},
                   Attributes{{"transa", false}, {"transb", false}});
    };
    EXPECT_EQ(said_by([&] {
                  multiply(31);
                  multiply(31);
              }),
              "catena: cuda:0: matmul(float32[31,31], float32[31,31]): cuBLASLt: it knows no "
              "algorithm; a generated kernel "
              "runs instead\n");
    EXPECT_THAT(said_by([&] { multiply(32); }), HasSubstr("float32[32,32]"));
}

TEST(CudaDeclinesOfCublasLt, less_workspace_is_what_its_heuristics_are_told) {
    const Environment less("CATENA_CUDA_WORKSPACE_MB", "8");
    RecordingDriver driver;
    RecordingCublasLt library;
    CudaDevice device(0);
    const Array a = waves({8, 8}).to(device);
    run_kernel(op_with(LibraryRole::matmul), std::vector{a, a},
               Attributes{{"transa", false}, {"transb", false}});
    EXPECT_EQ(library.count("cublasLtMatmulPreferenceSetAttribute 1 8388608"), 1);
}

#endif

}  // namespace
}  // namespace catena::testing
