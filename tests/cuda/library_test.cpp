// Contractions by cuBLASLt, against a double of it that computes on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "frontend/catena.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/library_call.h"
#include "runtime/ops/declare/library_role.h"
#include "tests/cuda/library_check.h"
#include "tests/cuda/recording_cublas_lt.h"
#include "tests/cuda/recording_driver.h"

namespace catena::testing {
namespace {

using cuda::CudaDevice;
using ::testing::AllOf;
using ::testing::HasSubstr;

#ifdef CATENA_HAS_CUBLAS_LT

class CudaContractions : public ::testing::Test {
protected:
    RecordingDriver driver;
    RecordingCublasLt library;
    CudaDevice device{0};
    const OpDef& product = op_with(LibraryRole::matmul);

    Attributes transposes(bool a, bool b) { return {{"transa", a}, {"transb", b}}; }
};

TEST_F(CudaContractions, are_said_by_columns) {
    for (Dtype dtype : {Dtype::float32, Dtype::float64})
        for (bool transa : {false, true})
            for (bool transb : {false, true}) {
                const Array a = waves(transa ? Shape{5, 3} : Shape{3, 5}, dtype);
                const Array b = waves(transb ? Shape{4, 5} : Shape{5, 4}, dtype, 1);
                expect_same(device, product, {a, b}, transposes(transa, transb));
            }
    EXPECT_EQ(library.count("cublasLtMatmul "), 8);
    EXPECT_EQ(library.last("cublasLtMatmul "),
              "cublasLtMatmul TT [5x4 step 5] [3x5 step 3] [4x3 step 4] workspace 4096");
    EXPECT_EQ(driver.count("cuLaunchKernel"), 0);
}

TEST_F(CudaContractions, batches_are_steps_and_what_is_repeated_has_none) {
    expect_same(device, product, {waves({3, 2, 4, 5}), waves({3, 2, 5, 6})},
                transposes(false, false));
    EXPECT_THAT(library.last("cublasLtMatmul "),
                HasSubstr("[6x5 step 6 6 times 30 apart] [5x4 step 5 6 times 20 apart]"));
    expect_same(device, product, {waves({4, 5}), waves({7, 5, 6})}, transposes(false, false));
    EXPECT_THAT(library.last("cublasLtMatmul "), HasSubstr("[5x4 step 5 7 times 0 apart]"));
}

TEST_F(CudaContractions, what_is_repeated_over_some_axes_takes_several_calls) {
    expect_same(device, product, {waves({3, 1, 4, 5}), waves({3, 2, 5, 6})},
                transposes(false, false));
    EXPECT_EQ(library.count("cublasLtMatmul "), 2);
    EXPECT_THAT(library.last("cublasLtMatmul "),
                HasSubstr("[6x5 step 6 3 times 60 apart] [5x4 step 5 3 times 20 apart] [6x4 step 6 "
                          "3 times 48 apart]"));
    expect_same(device, product, {waves({2, 1, 3, 4, 5}), waves({1, 5, 1, 5, 6})},
                transposes(false, false));
    EXPECT_EQ(library.count("cublasLtMatmul "), 8) << "the longest axis is one call's";
    EXPECT_EQ(library.count("cublasLtMatmulAlgoGetHeuristic"), 2);
    const std::vector<Array> far{Array::empty({Dtype::float32, {70, 1, 4, 5}}, device),
                                 Array::empty({Dtype::float32, {1, 70, 5, 6}}, device)};
    std::vector<Array> y{Array::empty({Dtype::float32, {70, 70, 4, 6}}, device)};
    EXPECT_FALSE(device.has_library_for({product, far, y, transposes(false, false), {}}))
        << "70 calls";
}

TEST_F(CudaContractions, batches_of_views_are_read_as_they_lie) {
    // The upper left corners of larger matrices.
    auto corner = [](const Array& x) {
        Shape shape = x.shape();
        shape[2] = 4;
        shape[3] = 5;
        return x.view(shape, x.strides(), 0);
    };
    const Array a = waves({3, 2, 6, 7}), b = waves({3, 2, 5, 6});
    const Attributes plain = transposes(false, false);
    const Array expected = run_kernel(product, std::vector{corner(a), b}, plain)[0],
                actual =
                    run_kernel(product, std::vector{corner(a.to(device)), b.to(device)}, plain)[0];
    EXPECT_EQ(actual.to(cpu_device()).to_vector<float>(), expected.to_vector<float>());
    EXPECT_EQ(driver.count("cuLaunchKernel"), 0);
    EXPECT_THAT(library.last("cublasLtMatmul "), HasSubstr("[5x4 step 7 6 times 42 apart]"));
}

TEST_F(CudaContractions, read_views_as_they_lie) {
    const Variable x(waves({6, 9}).to(device), false),
        w(waves({4, 3}, Dtype::float32, 2).to(device), false);
    const Variable hx(waves({6, 9}), false), hw(waves({4, 3}, Dtype::float32, 2), false);
    auto compute = [](const Variable& x, const Variable& w) {
        return std::vector<Variable>{matmul(x[{Slice{}, slice(2, 6)}], w),
                                     matmul(transpose(w), transpose(x[{Slice{}, slice(1, 5)}]))};
    };
    const std::vector<Variable> actual = compute(x, w), expected = compute(hx, hw);
    for (size_t i = 0; i < actual.size(); ++i)
        EXPECT_EQ(actual[i].array().to(cpu_device()).to_vector<float>(),
                  expected[i].array().to_vector<float>());
    EXPECT_EQ(driver.count("cuLaunchKernel"), 0) << "nothing is copied";
    EXPECT_THAT(library.last("cublasLtMatmul "), HasSubstr("[4x6 step 9]"));
}

TEST_F(CudaContractions, add_the_bias_of_a_linear_layer) {
    expect_same(device, op_with(LibraryRole::linear), {waves({3, 5}), waves({4, 5}), waves({4})});
    EXPECT_EQ(library.count("cublasLtMatmul "), 1);
}

TEST_F(CudaContractions, ask_for_an_algorithm_once_for_each_shape_and_alignment) {
    const Array a = waves({8, 8}).to(device), b = waves({8, 8}).to(device);
    for (int i = 0; i < 3; ++i) run_kernel(product, std::vector{a, b}, transposes(false, false));
    EXPECT_EQ(library.count("cublasLtMatmulAlgoGetHeuristic"), 1);
    EXPECT_EQ(library.count("cublasLtMatmul "), 3);
    EXPECT_EQ(library.count("cublasLtMatmulPreferenceSetAttribute 5 256"), 1);
    run_kernel(product, std::vector{a, b}, transposes(true, false));
    EXPECT_EQ(library.count("cublasLtMatmulAlgoGetHeuristic"), 2);
    const Array wide = waves({8, 9}).to(device);
    run_kernel(product, std::vector{a, wide.view({8, 8}, {9, 1}, 1)}, transposes(false, false));
    EXPECT_EQ(library.count("cublasLtMatmulPreferenceSetAttribute 5 4"), 1)
        << "an address that is a multiple of 4 only";
}

TEST_F(CudaContractions, of_float32_are_rounded_to_tf32_where_that_is_allowed) {
    const Attributes plain = transposes(false, false);
    const auto computed_as = [&](Dtype dtype, bool tf32) {
        const auto scope = using_config(&Config::tf32, tf32);
        run_kernel(product,
                   std::vector{waves({3, 5}, dtype).to(device), waves({5, 4}, dtype).to(device)},
                   plain);
        return library.last("cublasLtMatmulDescCreate");
    };
    const std::string exact = fmt::format("cublasLtMatmulDescCreate compute {} scale 0",
                                          int(CUBLAS_COMPUTE_32F)),
                      rounded = fmt::format("cublasLtMatmulDescCreate compute {} scale 0",
                                            int(CUBLAS_COMPUTE_32F_FAST_TF32));
    EXPECT_EQ(computed_as(Dtype::float32, false), exact);
    EXPECT_EQ(computed_as(Dtype::float32, true), rounded);
    EXPECT_EQ(computed_as(Dtype::float16, true), exact);
    EXPECT_EQ(library.count("cublasLtMatmulDescCreate"), 3);
    computed_as(Dtype::float16, false);
    computed_as(Dtype::float32, false);
    EXPECT_EQ(library.count("cublasLtMatmulDescCreate"), 3) << "each is planned once";
}

TEST_F(CudaContractions, that_are_recorded_go_to_another_stream) {
    const Array a = waves({3, 5}).to(device), b = waves({5, 4}).to(device),
                y = Array::empty({Dtype::float32, {3, 4}}, device);
    std::vector<Array> inputs{a, b}, outputs{y};
    const Attributes plain = transposes(false, false);
    const auto multiply = [&] {
        EXPECT_TRUE(device.launch_in_library(KernelCall{product, inputs, outputs, plain, {}}));
    };
    multiply();
    const cudaStream_t own = library.stream;
    const CodeDevice::Work work{{}, multiply};
    ASSERT_TRUE(device.record({&work, 1}));
    EXPECT_NE(library.stream, own);
    multiply();
    EXPECT_EQ(library.stream, own);
}

TEST_F(CudaContractions, take_their_workspace_from_the_pool) {
    library.workspace = 3 << 20;
    const Array a = waves({8, 8}).to(device);
    for (int i = 0; i < 3; ++i) run_kernel(product, std::vector{a, a}, transposes(false, false));
    EXPECT_EQ(driver.count("cuMemAlloc "), 2) << "a segment for it and a slab for the matrices";
    EXPECT_GE(device.memory_statistics().peak_bytes, size_t(3) << 20);
}

TEST_F(CudaContractions, without_an_algorithm_are_generated_kernels) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    library.knows_a_way = false;
    const Array a = waves({8, 8}).to(device);
    for (int i = 0; i < 2; ++i) run_kernel(product, std::vector{a, a}, transposes(false, false));
    EXPECT_EQ(library.count("cublasLtMatmul "), 0);
    EXPECT_EQ(library.count("cublasLtMatmulAlgoGetHeuristic"), 1);
    EXPECT_EQ(driver.count("cuLaunchKernel"), 2);
}

TEST_F(CudaContractions, errors_name_the_call_the_shapes_and_the_line) {
    library.failing = "cublasLtMatmul";
    const Variable a(waves({3, 5}).to(device), false), b(waves({5, 4}).to(device), false);
    EXPECT_THAT(message_of([&] { matmul(a, b); }),
                AllOf(HasSubstr("cuda:0: cublasLtMatmul (float32 of 3 by 4, inner 5, batch 1): "
                                "CUBLAS_STATUS_EXECUTION_FAILED"),
                      HasSubstr("library_test.cpp")));
}

TEST(CudaLibraries, that_are_missing_or_lack_entries_say_so) {
    {
        const Environment nowhere("CATENA_CUBLASLT_PATH", "/nowhere/libcublasLt.so");
        EXPECT_EQ(
            cuda::load_cublas_lt().complaint,
            "not there (tried /nowhere/libcublasLt.so); install it or set CATENA_CUBLASLT_PATH");
    }
    const Environment another("CATENA_CUBLASLT_PATH", "libc.so.6");
    EXPECT_EQ(cuda::load_cublas_lt().complaint, "too old: libc.so.6 has no cublasLtGetVersion");
    cuda::CublasLt missing;
    missing.complaint = "not there";
    cuda::replace_cublas_lt(&missing);
    EXPECT_EQ(cuda::cublas_lt_version(), "no cuBLASLt: not there");
    cuda::replace_cublas_lt(nullptr);
}

#endif

}  // namespace
}  // namespace catena::testing
