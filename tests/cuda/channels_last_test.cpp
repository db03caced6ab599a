// Images of compiled programs with their channels last on a device without a vendor library:
// generated kernels alone, under the emulation, against the host and against the same program with
// rows of pixels.
#include <algorithm>

#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/program/run/portable.h"
#include "tests/cuda/channels_last_check.h"
#include "tests/cuda/emulated_device.h"
#include "tests/cuda/nvrtc_check.h"
#include "tests/support/environment.h"

namespace catena::testing {
namespace {

using test::EnvironmentScope;

class CudaChannelsLast : public ::testing::Test {
protected:
    EnvironmentScope checked{"CATENA_CHECK_SCHEDULES", "1"};

    static DeviceRun run_ordered(const char* wish, const RecordedCall& call,
                                 const std::vector<Array>& inputs) {
        const EnvironmentScope order("CATENA_CUDA_CHANNELS_LAST", wish);
        return run_as_program(call, inputs);
    }

    /// One program in both orders.
    struct Orders {
        Orders(const ArrayFunction& function, const std::vector<Array>& inputs)
            : call(record_arrays(function, inputs)),
              rows(run_ordered("never", call, inputs)),
              last(run_ordered("always", call, inputs)) {
            EXPECT_EQ(rows.images_last, 0);
            EXPECT_GT(last.images_last, 0) << "so this tests something else";
        }
        void expect_host(double tolerance) const {
            for (size_t i = 0; i < call.results.size(); ++i) {
                EXPECT_LE(distance(last.results[i], call.results[i].array()), tolerance)
                    << "result " << i;
                EXPECT_LE(distance(rows.results[i], call.results[i].array()), tolerance)
                    << "result " << i << ", rows";
            }
        }
        void expect_same_bits() const {
            for (size_t i = 0; i < last.results.size(); ++i)
                EXPECT_EQ(distance(last.results[i], rows.results[i]), 0) << "result " << i;
        }
        RecordedCall call;
        DeviceRun rows, last;
    };
};

TEST_F(CudaChannelsLast, networks_and_their_gradients) {
    Orders(network, network_inputs(Dtype::float32)).expect_host(1e-4);
    Orders(network, network_inputs(Dtype::float64)).expect_host(1e-10);
    Orders(network, network_inputs(Dtype::float16)).expect_host(3e-2);
}

TEST_F(CudaChannelsLast, what_only_moves_keeps_its_bits_and_is_not_copied) {
    for (Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
        const Orders orders(moving_network,
                            {smooth({2, 3, 9, 7}, dtype, 1, 0), smooth({5, 3, 3, 3}, dtype, 0.3, 1),
                             smooth({4, 10, 3, 3}, dtype, 0.2, 2)});
        orders.expect_host(dtype == Dtype::float32 ? 1e-4 : 5e-2);
        orders.expect_same_bits();
        EXPECT_EQ(orders.last.launches, orders.rows.launches);
    }
}

TEST_F(CudaChannelsLast, images_of_one_axis_and_of_three) {
    const auto convolved = [](const std::vector<Variable>& v) {
        const Variable y =
            convolution_nd(relu(convolution_nd(v[0], v[1], Variable())), v[2], Variable());
        Variables results{y};
        for (const Variable& g : grad({sum(square(y))}, {v[0], v[1], v[2]})) results.push_back(g);
        return results;
    };
    constexpr auto f32 = Dtype::float32;
    Orders(convolved, {smooth({2, 3, 11}, f32, 1, 0), smooth({6, 3, 3}, f32, 0.3, 1),
                       smooth({4, 6, 2}, f32, 0.3, 2)})
        .expect_host(1e-4);
    Orders(convolved, {smooth({2, 3, 5, 4, 6}, f32, 1, 0), smooth({5, 3, 2, 2, 3}, f32, 0.3, 1),
                       smooth({3, 5, 2, 1, 2}, f32, 0.3, 2)})
        .expect_host(1e-4);
}

TEST_F(CudaChannelsLast, convolutions_in_groups) {
    Orders(
        [](const std::vector<Variable>& v) {
            const Variable y = convolution_2d(convolution_2d(v[0], v[1], {.pad = {1}, .groups = 4}),
                                              v[2], {.groups = 2});
            Variables results{y};
            for (const Variable& g : grad({sum(square(y))}, {v[0], v[1], v[2]}))
                results.push_back(g);
            return results;
        },
        {smooth({2, 4, 6, 5}, Dtype::float32, 1, 0), smooth({8, 1, 3, 3}, Dtype::float32, 0.3, 1),
         smooth({6, 4, 2, 3}, Dtype::float32, 0.3, 2)})
        .expect_host(1e-4);
}

TEST_F(CudaChannelsLast, reductions_over_any_axes) {
    for (const Axes& axes : {Axes{0, 2, 3}, {2, 3}, {1}, {0}, {3}, {0, 1}, {1, 2, 3}, {0, 1, 2, 3}})
        Orders(
            [&](const std::vector<Variable>& v) {
                const Variable h = relu(convolution_2d(v[0], v[1], {.pad = {1}}));
                return Variables{sum(h, axes),
                                 max(h, axes, true),
                                 h - mean(h, axes, true),
                                 convolution_2d(h, v[2]),
                                 convolution_2d(h, v[2] * 2.0),
                                 convolution_2d(h, v[2] * 3.0),
                                 convolution_2d(h, v[2] * 4.0)};
            },
            {smooth({3, 3, 6, 5}, Dtype::float32, 1, 0),
             smooth({8, 3, 3, 3}, Dtype::float32, 0.3, 1),
             smooth({4, 8, 2, 2}, Dtype::float32, 0.3, 2)})
            .expect_host(1e-4);
}

TEST_F(CudaChannelsLast, large_reductions_in_two_launches) {
    Orders(
        [](const std::vector<Variable>& v) {
            const Variable h = convolution_2d(v[0], v[1], {.pad = {1}});
            const Variable n = batch_normalization(h, v[3], v[4]);
            return Variables{sum(n * h, Axes{0, 2, 3}), convolution_2d(n, v[2])};
        },
        {smooth({2, 2, 130, 70}, Dtype::float32, 1, 0),
         smooth({8, 2, 1, 2}, Dtype::float32, 0.3, 1), smooth({2, 8, 2, 2}, Dtype::float32, 0.3, 2),
         smooth({8}, Dtype::float32, 0.5, 3), smooth({8}, Dtype::float32, 0.5, 4)})
        .expect_host(1e-3);
}

TEST_F(CudaChannelsLast, masks_lie_like_their_images) {
    for (Dtype dtype : {Dtype::float32, Dtype::float16})
        Orders(
            [](const std::vector<Variable>& v) {
                const Variable h = convolution_2d(v[0], v[1]);
                return Variables{convolution_2d(dropout(h, 0.5), v[2])};
            },
            {smooth({2, 3, 6, 5}, dtype, 1, 0), smooth({8, 3, 3, 3}, dtype, 0.3, 1),
             smooth({4, 8, 2, 2}, dtype, 0.3, 2)})
            .expect_same_bits();
}

TEST_F(CudaChannelsLast, views_and_the_image_itself) {
    Orders(
        [](const std::vector<Variable>& v) {
            const Variable h = relu(convolution_2d(v[0], v[1]));
            Variables results{h, reshape(h, {h.shape()[0], -1}), transpose(h, {0, 2, 3, 1}),
                              slice_axis(h, 1, 1, 2, 2), flip(h, 3)};
            for (int k = 1; k <= 12; ++k) results.push_back(convolution_2d(h, v[2] * double(k)));
            return results;
        },
        {smooth({2, 3, 6, 5}, Dtype::float32, 1, 0), smooth({8, 3, 3, 3}, Dtype::float32, 0.3, 1),
         smooth({4, 8, 2, 2}, Dtype::float32, 0.3, 2)})
        .expect_host(1e-4);
}

TEST_F(CudaChannelsLast, programs_in_files_have_rows_of_pixels) {
    const EnvironmentScope order("CATENA_CUDA_CHANNELS_LAST", "always");
    const RecordedCall call = record_arrays(network, network_inputs(Dtype::float16));
    const Trace* const runs[] = {&call.trace};
    EXPECT_EQ(compiler().compile_portable_for_device(runs, {}).schedules[0].info.channels_last, 0);
}

/// Whatever convolutions want, where there is no library.
TEST_F(CudaChannelsLast, are_not_chosen_without_a_library) {
    const std::vector<Array> inputs = network_inputs(Dtype::float16);
    EXPECT_EQ(run_as_program(record_arrays(network, inputs), inputs).images_last, 0);
}

TEST_F(CudaChannelsLast, kernels_compile_for_two_architectures) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    for (Dtype dtype : {Dtype::float32, Dtype::float16}) {
        const std::vector<Array> inputs = network_inputs(dtype);
        run_ordered("always", record_arrays(network, inputs), inputs);
    }
    const auto& texts = EmulatedDevice::instance().texts();
    EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
        return text.find("const LastChannels<") != text.npos;
    }));
    expect_nvrtc_takes(texts);
}

}  // namespace
}  // namespace catena::testing
