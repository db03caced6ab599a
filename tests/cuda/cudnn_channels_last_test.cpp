// Compiled programs of halves whose convolutions cuDNN computes: images with their channels last,
// against a double of cuDNN that computes from the descriptors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/array/in_order.h"
#include "runtime/cuda/library_call.h"
#include "runtime/graph/settings/config.h"
#include "tests/cuda/channels_last_check.h"
#include "tests/cuda/emulated_device.h"
#include "tests/cuda/recording_cudnn.h"
#include "tests/support/environment.h"

#ifdef CATENA_HAS_CUDNN

namespace catena::testing {
namespace {

using test::EnvironmentScope;

class CudnnChannelsLast : public ::testing::Test {
protected:
    CudnnChannelsLast() {
        EmulatedDevice::instance().set_library(
            {.takes = [this](const KernelCall& call) { return provider->takes(call); },
             .launch = [this](const KernelCall& call) { return launch(call); }});
    }
    ~CudnnChannelsLast() override { EmulatedDevice::instance().set_library({}); }

    bool launch(const KernelCall& call) {
        for (std::span<const Array> arrays : {call.inputs, std::span<const Array>(call.outputs)})
            for (const Array& x : arrays) orders += lies_channels_last(x) ? 'l' : 'r';
        orders += ' ';
        return provider->launch(call);
    }

    /// On the device, near to the host.
    DeviceRun expect_host(Dtype dtype, double tolerance) {
        const std::vector<Array> inputs = network_inputs(dtype);
        const RecordedCall call = record_arrays(network, inputs);
        const DeviceRun run = run_as_program(call, inputs);
        for (size_t i = 0; i < call.results.size(); ++i)
            EXPECT_LE(distance(run.results[i], call.results[i].array()), tolerance)
                << "result " << i;
        return run;
    }

    EnvironmentScope checked{"CATENA_CHECK_SCHEDULES", "1"};
    RecordingCudnn library;
    std::unique_ptr<cuda::LibraryProvider> provider =
        cuda::make_windows({EmulatedDevice::instance(), reinterpret_cast<CUstream>(size_t(1))});
    std::string orders;  ///< Of the operands of each call: rows or channels last.
};

TEST_F(CudnnChannelsLast, are_chosen_for_halves) {
    EXPECT_GT(expect_host(Dtype::float16, 3e-2).images_last, 0);
    EXPECT_EQ(library.count("cudnnBackendExecute"), 8)
        << "convolutions and average pooling, and their gradients";
    EXPECT_THAT(orders, ::testing::HasSubstr("l")) << "images are not copied for it";
}

TEST_F(CudnnChannelsLast, are_not_chosen_for_float32) {
    EXPECT_EQ(expect_host(Dtype::float32, 1e-4).images_last, 0);
    EXPECT_EQ(library.count("cudnnBackendExecute"), 8);
    EXPECT_THAT(orders, ::testing::Not(::testing::HasSubstr("l")));
}

TEST_F(CudnnChannelsLast, are_chosen_for_float32_where_tensor_cores_may_round_it) {
    const auto scope = using_config(&Config::tf32, true);
    EXPECT_GT(expect_host(Dtype::float32, 1e-4).images_last, 0) << "the double does not round";
    EXPECT_THAT(library.last("cudnnBackendExecute"), ::testing::HasSubstr("engine 8 "));
}

TEST_F(CudnnChannelsLast, cost_no_copies_but_of_weights) {
    const EnvironmentScope rows("CATENA_CUDA_CHANNELS_LAST", "never");
    const int launches = expect_host(Dtype::float16, 3e-2).launches;
    unsetenv("CATENA_CUDA_CHANNELS_LAST");
    EXPECT_LE(expect_host(Dtype::float16, 3e-2).launches, launches + 6);
}

TEST_F(CudnnChannelsLast, are_copied_where_no_engine_takes_them) {
    library.takes_views = false;
    EXPECT_GT(expect_host(Dtype::float16, 3e-2).images_last, 0);
    EXPECT_EQ(library.count("cudnnBackendExecute"), 8);
}

TEST_F(CudnnChannelsLast, are_read_by_generated_kernels_where_there_is_no_engine) {
    library.engines.clear();
    EXPECT_GT(expect_host(Dtype::float16, 3e-2).images_last, 0);
    EXPECT_EQ(library.count("cudnnBackendExecute"), 0);
}

}  // namespace
}  // namespace catena::testing

#endif
