// Windows and batch normalization by cuDNN's graph interface, against a double of it that computes
// on the host what the descriptors say.
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/file/disk_cache.h"
#include "runtime/graph/settings/config.h"
#include "tests/cuda/emulated_device.h"
#include "tests/cuda/library_check.h"
#include "tests/cuda/recording_cudnn.h"
#include "tests/cuda/recording_driver.h"

#ifdef CATENA_HAS_CUDNN

namespace catena::testing {
namespace {

using cuda::CudaDevice;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

Attributes steps(Dims stride, Dims pad, Dims dilate, int64_t groups, Dims size = {}) {
    return {{"stride", stride}, {"pad", pad},         {"dilate", dilate},
            {"groups", groups}, {"cover_all", false}, {"size", size}};
}

class CudaWindows : public ::testing::Test {
protected:
    RecordingDriver driver;
    RecordingCudnn library;
    CudaDevice device{0};

    /// That the op has been computed by the engine that the rules leave.
    void expect_by_library(LibraryRole role, const std::vector<Array>& inputs, const Attributes& a,
                           double tolerance = 0) {
        SCOPED_TRACE(op_with(role).name);
        const int before = library.count("cudnnBackendExecute");
        expect_same(device, op_with(role), inputs, a, tolerance);
        EXPECT_EQ(library.count("cudnnBackendExecute"), before + 1);
        EXPECT_THAT(library.last("cudnnBackendExecute"), HasSubstr("engine 11 workspace 65536"));
        EXPECT_EQ(driver.count("cuLaunchKernel"), 0);
    }
};

TEST_F(CudaWindows, convolve_forwards_and_backwards) {
    const Array x = waves({2, 4, 7, 6}), W = waves({6, 2, 3, 2}, Dtype::float32, 1);
    const Array gy = waves({2, 6, 4, 4}, Dtype::float32, 2);
    const Attributes a = steps({2, 1}, {1, 0}, {1, 2}, 2, {7, 6});
    expect_by_library(LibraryRole::convolution, {x, W}, a);
    expect_by_library(LibraryRole::convolution_data, {gy, W}, a);
    expect_by_library(LibraryRole::convolution_weights, {x, gy},
                      steps({2, 1}, {1, 0}, {1, 2}, 2, {3, 2}));
    EXPECT_EQ(library.count("cudnnSetStream given"), 1);
}

TEST_F(CudaWindows, of_one_axis_and_of_three) {
    expect_by_library(LibraryRole::convolution, {waves({2, 3, 9}), waves({4, 3, 3})},
                      steps({2}, {1}, {1}, 1));
    expect_by_library(LibraryRole::convolution_data, {waves({2, 4, 5}), waves({4, 3, 3})},
                      steps({2}, {1}, {1}, 1, {9}));
    expect_by_library(LibraryRole::convolution, {waves({1, 2, 4, 5, 3}), waves({3, 2, 2, 3, 1})},
                      steps({1, 2, 1}, {1, 1, 0}, {1, 1, 1}, 1));
}

TEST_F(CudaWindows, of_float64_are_rounded_as_such) {
    library.engines = {
        {.index = 11, .notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}, .workspace = 1 << 16}};
    expect_by_library(LibraryRole::convolution,
                      {waves({1, 2, 5, 5}, Dtype::float64), waves({3, 2, 3, 3}, Dtype::float64)},
                      steps({1, 1}, {0, 0}, {1, 1}, 1));
}

TEST_F(CudaWindows, of_halves_may_use_tensor_cores) {
    run_kernel(op_with(LibraryRole::convolution),
               std::vector{waves({1, 2, 5, 5}, Dtype::float16).to(device),
                           waves({3, 2, 3, 3}, Dtype::float16).to(device)},
               steps({1, 1}, {0, 0}, {1, 1}, 1));
    EXPECT_THAT(library.last("cudnnBackendExecute"), HasSubstr("engine 8 "));
}

TEST_F(CudaWindows, of_float32_use_tensor_cores_where_tf32_is_allowed) {
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    const auto engine_of = [&](bool tf32) {
        const auto scope = using_config(&Config::tf32, tf32);
        run_kernel(op_with(LibraryRole::convolution), std::vector{x, W},
                   steps({1, 1}, {0, 0}, {1, 1}, 1));
        return library.last("cudnnBackendExecute");
    };
    EXPECT_THAT(engine_of(false), Not(HasSubstr("engine 8 ")));
    EXPECT_THAT(engine_of(true), HasSubstr("engine 8 "));
    EXPECT_THAT(engine_of(false), Not(HasSubstr("engine 8 "))) << "its plan is another";
}

class MeasuredWindows : public CudaWindows {
protected:
    MeasuredWindows() {
        library.pass_time = [&](float milliseconds) { driver.now += milliseconds; };
        library.engines = {
            {.index = 1, .notes = {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}, .milliseconds = 1},
            {.index = 2, .milliseconds = 9},
            {.index = 3, .workspace = 1 << 16, .milliseconds = 4},
            {.index = 4, .works = false, .milliseconds = 1},
            {.index = 5, .mode = CUDNN_HEUR_MODE_FALLBACK, .milliseconds = 5}};
    }
    std::string engine_of(int64_t pad, LibraryRole role = LibraryRole::convolution) {
        run_kernel(op_with(role), std::vector{x, W}, steps({1, 1}, {pad, pad}, {1, 1}, 1));
        return library.last("cudnnBackendExecute");
    }
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
};

TEST_F(MeasuredWindows, are_computed_by_the_fastest_engine_that_may) {
    EXPECT_THAT(engine_of(0), HasSubstr("engine 2 ")) << "the first, where nothing is measured";
    const auto scope = using_config(&Config::autotune, true);
    library.calls.clear();
    EXPECT_THAT(engine_of(0), HasSubstr("engine 3 "));
    EXPECT_EQ(library.count("cudnnBackendExecute"), 3 * 4 + 1)
        << "three engines may, each four times";
    const size_t living = library.living();
    EXPECT_THAT(engine_of(0), HasSubstr("engine 3 "));
    EXPECT_EQ(library.count("cudnnBackendExecute"), 3 * 4 + 2) << "measured once";
    EXPECT_EQ(library.living(), living);
    expect_same(device, op_with(LibraryRole::convolution),
                {waves({1, 2, 5, 5}), waves({3, 2, 3, 3})}, steps({1, 1}, {1, 1}, {1, 1}, 1), 0);
    const auto back = using_config(&Config::autotune, false);
    EXPECT_THAT(engine_of(0), HasSubstr("engine 2 ")) << "its plan is another";
}

TEST_F(MeasuredWindows, are_convolutions_alone) {
    const auto scope = using_config(&Config::autotune, true);
    expect_same(device, op_with(LibraryRole::average_pooling), {waves({2, 3, 5, 6})},
                {{"ksize", Dims{3, 2}},
                 {"stride", Dims{2, 2}},
                 {"pad", Dims{1, 0}},
                 {"height_width", Dims{5, 6}}},
                1e-5);
    EXPECT_EQ(library.count("cudnnBackendExecute"), 1);
}

TEST_F(MeasuredWindows, do_not_take_an_engine_that_is_refused_when_it_runs) {
    library.refused = 3;
    const auto scope = using_config(&Config::autotune, true);
    EXPECT_THAT(engine_of(0), HasSubstr("engine 5 "));
}

TEST_F(MeasuredWindows, find_what_was_measured_on_disk) {
    std::string folder = (std::filesystem::temp_directory_path() / "catena_plans_XXXXXX").string();
    ASSERT_TRUE(mkdtemp(folder.data()));
    const Environment cache("CATENA_KERNEL_CACHE", folder.c_str());
    if (DiskCache::instance().folder() != folder) {
        std::filesystem::remove(folder);
        GTEST_SKIP() << "the process has looked for its cache before";
    }
    const auto scope = using_config(&Config::autotune, true);
    EXPECT_THAT(engine_of(0), HasSubstr("engine 3 "));
    const int measured = library.count("cudnnBackendExecute");
    CudaDevice another(0);
    expect_same(another, op_with(LibraryRole::convolution),
                {waves({1, 2, 5, 5}), waves({3, 2, 3, 3})}, steps({1, 1}, {0, 0}, {1, 1}, 1), 0);
    EXPECT_EQ(library.count("cudnnBackendExecute"), measured + 1);
    EXPECT_THAT(library.last("cudnnBackendExecute"), HasSubstr("engine 3 "));
    std::filesystem::remove_all(folder);
}

TEST_F(CudaWindows, that_reach_over_the_border_pad_its_end) {
    const Attributes a{{"stride", Dims{2, 2}}, {"pad", Dims{0, 0}}, {"dilate", Dims{1, 1}},
                       {"groups", int64_t(1)}, {"cover_all", true}, {"size", Dims{6, 6}}};
    expect_by_library(LibraryRole::convolution, {waves({1, 1, 6, 6}), waves({1, 1, 3, 3})}, a);
}

TEST_F(CudaWindows, are_taken_of_views_as_they_lie) {
    const Array x = waves({2, 5, 7, 6}), W = waves({3, 2, 3, 3});
    // Two channels of five, from the second on.
    auto part = [](const Array& x) { return x.view({2, 2, 7, 6}, x.strides(), x.strides()[1]); };
    const Attributes a = steps({1, 1}, {0, 0}, {1, 1}, 1);
    const OpDef& op = op_with(LibraryRole::convolution);
    const auto expected = run_kernel(op, std::vector{part(x), W}, a)[0].to_vector<double>();
    const Array there = x.to(device), W_there = W.to(device);
    const Array y = run_kernel(op, std::vector{part(there), W_there}, a)[0];
    EXPECT_EQ(y.to(cpu_device()).to_vector<double>(), expected);
    EXPECT_EQ(driver.count("cuLaunchKernel"), 0);
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    library.takes_views = false;
    run_kernel(op, std::vector{part(there), W_there}, steps({1, 1}, {1, 1}, {1, 1}, 1));
    EXPECT_EQ(driver.count("cuLaunchKernel"), 1) << "a copy, where the library takes no views";
    EXPECT_EQ(library.count("cudnnBackendExecute"), 2);
}

TEST_F(CudaWindows, plans_are_kept_by_shape) {
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    const OpDef& op = op_with(LibraryRole::convolution);
    run_kernel(op, std::vector{x, W}, steps({1, 1}, {0, 0}, {1, 1}, 1));
    const size_t living = library.living();
    for (int i = 0; i < 3; ++i) run_kernel(op, std::vector{x, W}, steps({1, 1}, {0, 0}, {1, 1}, 1));
    EXPECT_EQ(library.count("heuristics"), 1);
    EXPECT_EQ(library.count("cudnnBackendExecute"), 4);
    EXPECT_EQ(library.living(), living) << "descriptors are destroyed";
    run_kernel(op, std::vector{x, W}, steps({1, 1}, {1, 1}, {1, 1}, 1));
    EXPECT_EQ(library.count("heuristics"), 2);
}

TEST_F(CudaWindows, plans_that_were_compiled_are_kept_on_disk) {
    std::string folder = (std::filesystem::temp_directory_path() / "catena_plans_XXXXXX").string();
    ASSERT_TRUE(mkdtemp(folder.data()));
    const Environment cache("CATENA_KERNEL_CACHE", folder.c_str());
    DiskCache& disk = DiskCache::instance();
    if (disk.folder() != folder) {
        std::filesystem::remove(folder);
        GTEST_SKIP() << "the process has looked for its cache before";
    }
    library.engines = {{.index = 11, .workspace = 1 << 16, .compiled = true}};
    const Array x = waves({1, 2, 5, 5}), W = waves({3, 2, 3, 3});
    const Attributes a = steps({1, 1}, {0, 0}, {1, 1}, 1);
    expect_by_library(LibraryRole::convolution, {x, W}, a);
    CudaDevice another(0);
    expect_same(another, op_with(LibraryRole::convolution), {x, W}, a);
    EXPECT_EQ(library.count("heuristics"), 1);
    EXPECT_EQ(library.count("cudnnBackendExecute"), 2);
    EXPECT_EQ(disk.counts().found, 1);
    std::filesystem::remove_all(folder);
}

TEST_F(CudaWindows, the_fallback_is_asked_when_nothing_else_is_left) {
    library.engines.resize(4);
    library.engines.push_back({.index = 3, .mode = CUDNN_HEUR_MODE_FALLBACK});
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    run_kernel(op_with(LibraryRole::convolution), std::vector{x, W},
               steps({1, 1}, {0, 0}, {1, 1}, 1));
    EXPECT_THAT(library.last("cudnnBackendExecute"), HasSubstr("engine 3 "));
}

TEST_F(CudaWindows, only_what_gives_one_result_is_chosen) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    library.engines.resize(4);
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    run_kernel(op_with(LibraryRole::convolution), std::vector{x, W},
               steps({1, 1}, {0, 0}, {1, 1}, 1));
    EXPECT_EQ(library.count("cudnnBackendExecute"), 0);
    EXPECT_EQ(driver.count("cuLaunchKernel"), 1) << "a generated kernel";
}

TEST_F(CudaWindows, pool_by_means) {
    const Attributes a{{"ksize", Dims{3, 2}},
                       {"stride", Dims{2, 2}},
                       {"pad", Dims{1, 0}},
                       {"height_width", Dims{5, 6}}};
    expect_by_library(LibraryRole::average_pooling, {waves({2, 3, 5, 6})}, a, 1e-5);
    expect_by_library(LibraryRole::average_pooling_gradient, {waves({2, 3, 3, 3})}, a, 1e-5);
}

TEST_F(CudaWindows, errors_name_the_call_and_its_types) {
    library.failing = "cudnnBackendExecute";
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    EXPECT_THAT(message_of([&] {
                    run_kernel(op_with(LibraryRole::convolution), std::vector{x, W},
                               steps({1, 1}, {0, 0}, {1, 1}, 1));
                }),
                AllOf(HasSubstr("cuda:0: cudnnBackendExecute for "), HasSubstr("float32[1,2,5,5]"),
                      HasSubstr("CUDNN_STATUS_EXECUTION_FAILED: so says the double")));
}

TEST_F(CudaWindows, whose_plan_is_refused_when_it_runs_are_generated_kernels) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    library.failing = "cudnnBackendExecute";
    library.failure = CUDNN_STATUS_BAD_PARAM;
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    const auto compute = [&] {
        run_kernel(op_with(LibraryRole::convolution), std::vector{x, W},
                   steps({1, 1}, {0, 0}, {1, 1}, 1));
    };
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) compute();
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr("cuDNN: it does not execute its own plan: "));
    EXPECT_EQ(library.count("cudnnBackendExecute"), 1) << "it is not asked again";
    EXPECT_EQ(driver.count("cuLaunchKernel"), 2);
}

TEST_F(CudaWindows, that_are_recorded_go_to_another_stream) {
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device),
                y = Array::empty({Dtype::float32, {1, 3, 3, 3}}, device);
    std::vector<Array> inputs{x, W}, outputs{y};
    const Attributes a = steps({1, 1}, {0, 0}, {1, 1}, 1);
    const auto convolve = [&] {
        EXPECT_TRUE(device.launch_in_library(
            KernelCall{op_with(LibraryRole::convolution), inputs, outputs, a, {}}));
    };
    convolve();
    convolve();
    EXPECT_EQ(library.count("cudnnSetStream"), 1);
    const CodeDevice::Work work{{}, convolve};
    ASSERT_TRUE(device.record({&work, 1}));
    EXPECT_EQ(library.count("cudnnSetStream"), 2) << "that of the capture";
    convolve();
    EXPECT_EQ(library.count("cudnnSetStream"), 3) << "and back";
}

TEST_F(CudaWindows, whose_plan_has_run_before_are_errors_when_it_is_refused) {
    const Array x = waves({1, 2, 5, 5}).to(device), W = waves({3, 2, 3, 3}).to(device);
    const auto compute = [&] {
        run_kernel(op_with(LibraryRole::convolution), std::vector{x, W},
                   steps({1, 1}, {0, 0}, {1, 1}, 1));
    };
    compute();
    library.failing = "cudnnBackendExecute";
    library.failure = CUDNN_STATUS_BAD_PARAM;
    EXPECT_THROW(compute(), DeviceError);
}

/// Statistics are turned into those of Catena by generated kernels, which the emulation runs.
class CudaNormalization : public ::testing::Test {
protected:
    RecordingCudnn library;
    EmulatedDevice& device = EmulatedDevice::instance();
    std::unique_ptr<cuda::LibraryProvider> provider =
        cuda::make_windows({device, reinterpret_cast<CUstream>(size_t(1))});

    /// The op's outputs by the library, which are those of the host.
    Arrays expect_same_outputs(LibraryRole role, const std::vector<Array>& inputs,
                               const Axes& axis) {
        const OpDef& op = op_with(role);
        SCOPED_TRACE(op.name);
        const Attributes a{{"axis", axis}};
        const double eps[] = {2e-5};
        const Arrays expected = run_kernel(op, inputs, a, eps);
        Arrays there, outputs;
        for (const Array& input : inputs) there.push_back(input.to(device));
        for (const Array& output : expected) outputs.push_back(Array::empty(output.type(), device));
        const KernelCall call{op, there, outputs, a, eps};
        EXPECT_TRUE(provider->takes(call));
        EXPECT_TRUE(provider->launch(call));
        EXPECT_THAT(library.last("cudnnBackendExecute"), HasSubstr("engine 11 "));
        for (size_t i = 0; i < expected.size(); ++i)
            EXPECT_THAT(
                outputs[i].to(cpu_device()).to_vector<double>(),
                Pointwise(DoubleNear(inputs[0].dtype() == Dtype::float16 && i == 0 ? 1e-2 : 2e-4),
                          expected[i].to_vector<double>()))
                << "output " << i;
        return outputs;
    }
};

TEST_F(CudaNormalization, is_that_of_the_host) {
    const Array gamma = waves({8}), beta = waves({8}, Dtype::float32, 3);
    const Array mean = Array::from<float>({0.5, -0.25, 0, 1, 2, -1, 0, 3});
    const Array variance = Array::from<float>({30, 28, 31, 25, 20, 35, 30, 1});
    for (Dtype dtype : {Dtype::float32, Dtype::float16}) {
        if (dtype == Dtype::float16) library.engines.erase(library.engines.begin() + 1);
        const Array x = waves({13, 8}, dtype), gy = waves({13, 8}, dtype, 5);
        expect_same_outputs(LibraryRole::batch_normalization, {x, gamma, beta}, {0});
        expect_same_outputs(LibraryRole::batch_normalization_gradient,
                            {x, gamma, mean, variance, gy}, {0});
    }
}

TEST_F(CudaNormalization, of_views_and_of_several_axes) {
    const Array x = waves({8, 12}), images = waves({3, 4, 5, 8}), keys = waves({8});
    expect_same_outputs(LibraryRole::batch_normalization, {x.view({12, 8}, {1, 12}, 0), keys, keys},
                        {0});
    expect_same_outputs(LibraryRole::batch_normalization, {images, keys, keys}, {0, 1, 2});
}

TEST_F(CudaNormalization, of_a_constant_has_no_negative_variance) {
    const Array x = Array::full({Dtype::float32, {5, 4}}, 0.1), keys = waves({4});
    const Arrays outputs =
        expect_same_outputs(LibraryRole::batch_normalization, {x, keys, keys}, {0});
    for (double variance : outputs[2].to(cpu_device()).to_vector<double>()) EXPECT_GE(variance, 0);
}

TEST_F(CudaNormalization, that_engines_would_copy_or_do_not_know_is_generated) {
    const OpDef& op = op_with(LibraryRole::batch_normalization);
    const double eps[] = {2e-5};
    auto takes = [&](Dtype dtype, const Shape& shape, const Axes& axis, int64_t keys) {
        const Attributes a{{"axis", axis}};
        const Type statistic{dtype == Dtype::float64 ? dtype : Dtype::float32, {keys}};
        Arrays inputs{Array::empty({dtype, shape}, device), Array::empty(statistic, device),
                      Array::empty(statistic, device)};
        Arrays outputs = inputs;
        return provider->takes({op, inputs, outputs, a, eps});
    };
    EXPECT_TRUE(takes(Dtype::float32, {2, 4}, {0}, 4));
    EXPECT_TRUE(takes(Dtype::float16, {2, 8}, {0}, 8));
    EXPECT_FALSE(takes(Dtype::float16, {2, 4}, {0}, 4)) << "half a vector";
    EXPECT_FALSE(takes(Dtype::float32, {1, 4}, {0}, 4)) << "of one value";
    EXPECT_FALSE(takes(Dtype::float64, {2, 4}, {0}, 4));
    EXPECT_FALSE(takes(Dtype::float32, {2, 4, 3, 3}, {0, 2, 3}, 4)) << "channels outside";
}

TEST(CudaLibraries, cudnn_that_is_missing_says_so) {
    const Environment nowhere("CATENA_CUDNN_PATH", "/nowhere/libcudnn.so");
    EXPECT_EQ(cuda::load_cudnn().complaint,
              "not there (tried /nowhere/libcudnn.so); install it or set CATENA_CUDNN_PATH");
}

}  // namespace
}  // namespace catena::testing

#endif
