// Contractions by cuBLASLt and windows by cuDNN, against doubles of both that compute on the host.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "frontend/catena.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/library_call.h"
#include "runtime/ops/element_text.h"
#include "tests/cuda/recording_driver.h"
#include "tests/cuda/recording_libraries.h"

namespace catena::testing {
namespace {

using cuda::CudaDevice;
using ::testing::AllOf;
using ::testing::HasSubstr;

Array waves(const Shape& shape, Dtype dtype = Dtype::float32, int phase = 0) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = double((i * 37 + size_t(phase)) % 19) - 9;
    return Array::from(values, shape).astype(dtype);
}

template <class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

/// Sets an environment variable while it lives.
struct Environment {
    Environment(const char* name, const char* value) : name(name) { setenv(name, value, 1); }
    ~Environment() { unsetenv(name); }
    const char* name;
};

const OpDef& op_with(LibraryRole role) {
    for (const OpDef* op : all_ops())
        if (library_role_of(*op) == role) return *op;
    throw std::logic_error("no op has this role");
}

/// The op on the device and on the host.
void expect_same(CudaDevice& device, const OpDef& op, const std::vector<Array>& inputs,
                 const Attributes& attributes = {}) {
    std::vector<Array> there;
    for (const Array& input : inputs) there.push_back(input.to(device));
    const std::vector<double> actual = run_kernel(op, there, attributes)[0].to(cpu_device()).to_vector<double>(),
                              expected = run_kernel(op, inputs, attributes)[0].to_vector<double>();
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) ASSERT_EQ(actual[i], expected[i]) << "element " << i;
}

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
    expect_same(device, product, {waves({3, 2, 4, 5}), waves({3, 2, 5, 6})}, transposes(false, false));
    EXPECT_THAT(library.last("cublasLtMatmul "),
                HasSubstr("[6x5 step 6 6 times 30 apart] [5x4 step 5 6 times 20 apart]"));
    expect_same(device, product, {waves({4, 5}), waves({7, 5, 6})}, transposes(false, false));
    EXPECT_THAT(library.last("cublasLtMatmul "), HasSubstr("[5x4 step 5 7 times 0 apart]"));
    // Repeated over one of two axes: no step says that.
    const std::vector<Array> partly{Array::empty({Dtype::float32, {3, 1, 4, 5}}, device),
                                    Array::empty({Dtype::float32, {3, 2, 5, 6}}, device)};
    std::vector<Array> y{Array::empty({Dtype::float32, {3, 2, 4, 6}}, device)};
    EXPECT_FALSE(device.has_library_for({product, partly, y, transposes(false, false), {}}));
}

TEST_F(CudaContractions, read_views_as_they_lie) {
    const Variable x(waves({6, 9}).to(device), false), w(waves({4, 3}, Dtype::float32, 2).to(device), false);
    const Variable hx(waves({6, 9}), false), hw(waves({4, 3}, Dtype::float32, 2), false);
    auto compute = [](const Variable& x, const Variable& w) {
        return std::vector<Variable>{matmul(x[{Slice{}, slice(2, 6)}], w),
                                     matmul(transpose(w), transpose(x[{Slice{}, slice(1, 5)}]))};
    };
    const std::vector<Variable> actual = compute(x, w), expected = compute(hx, hw);
    for (size_t i = 0; i < actual.size(); ++i)
        EXPECT_EQ(actual[i].array().to(cpu_device()).to_vector<float>(), expected[i].array().to_vector<float>());
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

TEST_F(CudaContractions, take_their_workspace_from_the_pool) {
    library.workspace = 3 << 20;
    const Array a = waves({8, 8}).to(device);
    for (int i = 0; i < 3; ++i) run_kernel(product, std::vector{a, a}, transposes(false, false));
    EXPECT_EQ(driver.count("cuMemAlloc 3145728"), 1);
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
    EXPECT_THAT(
        message_of([&] { matmul(a, b); }),
        AllOf(HasSubstr("cuda:0: cublasLtMatmul (float32 of 3 by 4, inner 5, batch 1): CUBLAS_STATUS_EXECUTION_FAILED"),
              HasSubstr("library_test.cpp")));
}

TEST(CudaLibraries, that_are_missing_or_lack_entries_say_so) {
    {
        const Environment nowhere("CATENA_CUBLASLT_PATH", "/nowhere/libcublasLt.so");
        EXPECT_EQ(cuda::load_cublas_lt().complaint,
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

#ifdef CATENA_HAS_CUDNN

class CudaWindows : public ::testing::Test {
protected:
    RecordingDriver driver;
    RecordingCudnn library;
    CudaDevice device{0};

    Attributes steps(Dims stride, Dims pad, Dims dilate, int64_t groups, Dims size = {}) {
        return {{"stride", stride}, {"pad", pad},         {"dilate", dilate},
                {"groups", groups}, {"cover_all", false}, {"size", size}};
    }
};

TEST_F(CudaWindows, convolve_forwards_and_backwards) {
    const Array x = waves({2, 4, 7, 6}), W = waves({6, 2, 3, 2}, Dtype::float32, 1);
    const Attributes a = steps({2, 1}, {1, 0}, {1, 2}, 2, {7, 6});
    expect_same(device, op_with(LibraryRole::convolution), {x, W}, a);
    EXPECT_EQ(library.last("cudnnSetConvolutionNdDescriptor"),
              "cudnnSetConvolutionNdDescriptor pad [1, 0] stride [2, 1] dilate [1, 2] mode 1 compute 0");
    EXPECT_EQ(library.last("cudnnSetConvolutionGroupCount"), "cudnnSetConvolutionGroupCount 2");
    EXPECT_EQ(library.last("cudnnSetFilterNdDescriptor"), "cudnnSetFilterNdDescriptor 0 [6, 2, 3, 2]");
    EXPECT_EQ(library.last("cudnnSetConvolutionMathType"), "cudnnSetConvolutionMathType 3") << "float stays float";
    EXPECT_EQ(library.last("cudnnConvolutionForward"), "cudnnConvolutionForward algorithm 1 workspace 65536");
    const Array gy = waves({2, 6, 4, 4}, Dtype::float32, 2);
    expect_same(device, op_with(LibraryRole::convolution_data), {gy, W}, a);
    EXPECT_EQ(library.count("cudnnConvolutionBackwardData algorithm 1"), 1);
    expect_same(device, op_with(LibraryRole::convolution_weights), {x, gy}, steps({2, 1}, {1, 0}, {1, 2}, 2, {3, 2}));
    EXPECT_EQ(library.count("cudnnConvolutionBackwardFilter algorithm 1"), 1);
    EXPECT_EQ(driver.count("cuLaunchKernel"), 0);
    EXPECT_EQ(library.count("cudnnSetStream given"), 1);
}

TEST_F(CudaWindows, one_axis_is_two_to_the_library) {
    expect_same(device, op_with(LibraryRole::convolution), {waves({2, 3, 9}), waves({4, 3, 3})},
                steps({2}, {1}, {1}, 1));
    EXPECT_EQ(library.count("cudnnSetTensorNdDescriptor 0 [2, 3, 1, 9] steps [27, 9, 9, 1]"), 1);
    EXPECT_THAT(library.last("cudnnSetConvolutionNdDescriptor"), HasSubstr("pad [0, 1] stride [1, 2] dilate [1, 1]"));
}

TEST_F(CudaWindows, plans_are_kept_by_shape) {
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    const OpDef& op = op_with(LibraryRole::convolution);
    for (int i = 0; i < 3; ++i) run_kernel(op, std::vector{x, W}, steps({1, 1}, {0, 0}, {1, 1}, 1));
    EXPECT_EQ(library.count("cudnnGetConvolutionForwardAlgorithm_v7"), 1);
    EXPECT_EQ(library.count("cudnnConvolutionForward"), 3);
    run_kernel(op, std::vector{x, W}, steps({1, 1}, {1, 1}, {1, 1}, 1));
    EXPECT_EQ(library.count("cudnnGetConvolutionForwardAlgorithm_v7"), 2);
}

TEST_F(CudaWindows, only_what_gives_one_result_is_chosen) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    library.deterministic = false;
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    run_kernel(op_with(LibraryRole::convolution), std::vector{x, W}, steps({1, 1}, {0, 0}, {1, 1}, 1));
    EXPECT_EQ(library.count("cudnnConvolutionForward"), 0);
    EXPECT_EQ(driver.count("cuLaunchKernel"), 1) << "a generated kernel";
}

TEST_F(CudaWindows, that_reach_over_the_border_are_not_the_librarys) {
    const OpDef& op = op_with(LibraryRole::convolution);
    std::vector<Array> inputs{Array::empty({Dtype::float32, {1, 1, 6, 6}}, device),
                              Array::empty({Dtype::float32, {1, 1, 3, 3}}, device)};
    std::vector<Array> fits{Array::empty({Dtype::float32, {1, 1, 2, 2}}, device)},
        covers{Array::empty({Dtype::float32, {1, 1, 3, 3}}, device)};
    const Attributes a = steps({2, 2}, {0, 0}, {1, 1}, 1);
    EXPECT_TRUE(device.has_library_for({op, inputs, fits, a, {}}));
    EXPECT_FALSE(device.has_library_for({op, inputs, covers, a, {}}));
}

TEST_F(CudaWindows, pool_and_normalize) {
    const Attributes a{
        {"ksize", Dims{3, 2}}, {"stride", Dims{2, 2}}, {"pad", Dims{1, 0}}, {"height_width", Dims{5, 6}}};
    run_kernel(op_with(LibraryRole::average_pooling), std::vector{waves({2, 3, 5, 6}).to(device)}, a);
    EXPECT_EQ(library.last("cudnnSetPoolingNdDescriptor"),
              "cudnnSetPoolingNdDescriptor mode 1 window [3, 2] pad [1, 0] stride [2, 2]");
    EXPECT_EQ(library.last("cudnnPoolingForward"), "cudnnPoolingForward [2, 3, 5, 6] to [2, 3, 3, 3]");
    run_kernel(op_with(LibraryRole::average_pooling_gradient), std::vector{waves({2, 3, 3, 3}).to(device)}, a);
    EXPECT_EQ(library.last("cudnnPoolingBackward"), "cudnnPoolingBackward [2, 3, 3, 3] to [2, 3, 5, 6]");

    const Array x = waves({2, 3, 4, 5}).to(device), keys = waves({3}).to(device);
    const Attributes axis{{"axis", Axes{0, 2, 3}}};
    const double eps[] = {0.5};
    run_kernel(op_with(LibraryRole::batch_normalization), std::vector{x, keys, keys}, axis, eps);
    EXPECT_EQ(library.last("cudnnBatchNormalizationForwardTraining"),
              "cudnnBatchNormalizationForwardTraining mode 1 [2, 3, 20, 1] keys [1, 3, 1, 1] factor 1 epsilon 0.5");
    EXPECT_EQ(library.count("cudnnSetTensor [1, 3, 1, 1] 0"), 2);
    EXPECT_EQ(library.last("cudnnScaleTensor"), "cudnnScaleTensor [1, 3, 1, 1] 0.975") << "n - 1 of n = 40";
    run_kernel(op_with(LibraryRole::batch_normalization_gradient), std::vector{x, keys, keys, keys, x}, axis, eps);
    EXPECT_EQ(library.last("cudnnBatchNormalizationBackward"),
              "cudnnBatchNormalizationBackward [2, 3, 20, 1] keys [1, 3, 1, 1] epsilon 0.5");
    EXPECT_EQ(driver.count("cuLaunchKernel"), 0);
}

TEST_F(CudaWindows, errors_name_the_call_and_its_types) {
    library.failing = "cudnnConvolutionForward";
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    EXPECT_THAT(message_of([&] {
                    run_kernel(op_with(LibraryRole::convolution), std::vector{x, W}, steps({1, 1}, {0, 0}, {1, 1}, 1));
                }),
                AllOf(HasSubstr("cuda:0: cudnnConvolutionForward for "), HasSubstr("float32[1,2,5,5]"),
                      HasSubstr("so says the double")));
}

TEST(CudaLibraries, cudnn_that_is_missing_says_so) {
    const Environment nowhere("CATENA_CUDNN_PATH", "/nowhere/libcudnn.so");
    EXPECT_EQ(cuda::load_cudnn().complaint,
              "not there (tried /nowhere/libcudnn.so); install it or set CATENA_CUDNN_PATH");
}

#endif

}  // namespace
}  // namespace catena::testing
