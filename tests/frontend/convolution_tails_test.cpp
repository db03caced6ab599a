// What follows a convolution in inference is done by the library only where no NaN can reach it:
// eager and compiled agree on everything.
#include <limits>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/convolution/direct/direct_convolution.h"
#include "runtime/cpu/convolution/tailed_convolution.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
constexpr int calls = 12;  // Weights are kept packed from the fifth on.

Variable image(int number, float scale = 1) {
    return reshape(batch(number, 3, 9 * 9), {1, 3, 9, 9}) * scale;
}

/// Everything that a tail has: a normalization, biases, bounds, a sum; of ordinary and depthwise
/// windows. Dilated ones are left to the library.
struct Net : Chain {
    Convolution2D first, apart, narrow, wide, last{24, 4, 1};
    BatchNormalization norm{12};
    explicit Net(int64_t dilate)
        : first(3, 12, 3, {.pad = {dilate}, .nobias = true, .dilate = {dilate}}),
          apart(12, 12, 3, {.pad = {dilate}, .dilate = {dilate}, .groups = 12}),
          narrow(12, 12, 1, {.dilate = {dilate}}),
          wide(12, 24, 1, {.dilate = {dilate}}) {
        add_children({{"first", first},
                      {"norm", norm},
                      {"apart", apart},
                      {"narrow", narrow},
                      {"wide", wide},
                      {"last", last}});
    }
    Variable operator()(const Variable& x) {
        const Variable h = relu6(norm(first(x)));
        return last(relu(wide(relu(h + narrow(clip(apart(h), -2.0, 2.0))))));
    }
};

using Change = std::function<void(int, Net&)>;
const Change nothing = [](int, Net&) {};

/// Test-mode calls of the images, with a change before each. Tells how the compiled ones clipped.
TailRuns expect_agree(int64_t dilate, const std::function<Variable(int)>& x, const Change& change) {
    const TailRuns before = tail_runs();
    expect_same([&](Side& side) {
        Net net(dilate);
        auto infer = side.region([&](const Variable& v) {
            auto test = using_config(&Config::train, false);
            auto silent = no_backprop_mode();
            return net(v);
        });
        for (int i = 0; i < calls; ++i) {
            side.call(i);
            change(i, net);
            side.saw("y", infer(x(i)));
        }
    });
    const TailRuns after = tail_runs();
    return {after.in_library - before.in_library, after.direct - before.direct,
            after.ours - before.ours};
}

/// The same of windows that are ours and those that are the library's. Tells of the latter.
TailRuns expect_agree(const std::function<Variable(int)>& x, const Change& change = nothing) {
    const TailRuns direct = expect_agree(1, x, change);
    if (are_direct_convolutions_on()) {
        // With AVX2 the library computes the wide one, of 1x1 windows without a sum
        // (is_direct_fastest()).
        EXPECT_LE(direct.in_library, has_avx512() ? 0 : calls);
        EXPECT_GE(direct.direct, (has_avx512() ? 4 : 3) * calls)
            << "all that are clipped, from the first call on, whatever there is in x";
    }
    return expect_agree(2, x, change);
}

/// The image `i`, with `bad` somewhere.
Variable with(float bad, int i) {
    Variable x = image(i);
    x.array().data<float>()[(17 * i + 5) % 243] = bad;
    return x;
}

class ConvolutionTails : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

TEST_F(ConvolutionTails, of_sound_values_are_done_by_the_library) {
    const TailRuns runs = expect_agree([](int i) { return image(i); });
    EXPECT_GE(runs.in_library, 3 * (calls - 6))
        << "the normalized, the depthwise and the wide one, once weights are kept";
    EXPECT_GT(runs.ours, 0) << "the sum with another image";
}

TEST_F(ConvolutionTails, keep_nan_of_an_image) {
    const TailRuns runs = expect_agree([](int i) { return with(nan, i); });
    EXPECT_EQ(runs.in_library, 0) << "NaN goes through all of them";
    EXPECT_GE(runs.ours, 4 * calls);
}

TEST_F(ConvolutionTails, keep_infinity_of_an_image) {
    for (const float bad : {infinity, -infinity}) {
        const TailRuns runs = expect_agree([&](int i) { return with(bad, i); });
        EXPECT_LE(runs.in_library, 2 * (calls - 4)) << "the first one's bounds end it";
        EXPECT_GE(runs.ours, 2 * calls);
    }
}

TEST_F(ConvolutionTails, of_images_near_the_largest_number_are_ours) {
    expect_agree([](int i) { return with(i % 2 ? 3e38f : -3e38f, i); });
    expect_agree([](int i) { return image(i, 1e38f); });
    expect_agree([](int i) { return image(i, 1e30f); });
    expect_agree([](int i) { return image(i, 1e-42f); });
}

TEST_F(ConvolutionTails, find_a_bad_image_among_sound_ones) {
    const TailRuns runs = expect_agree([](int i) { return i == 9 ? with(nan, i) : image(i); });
    EXPECT_GT(runs.in_library, 0);
}

TEST_F(ConvolutionTails, follow_weights_that_are_not_finite) {
    for (const float bad : {nan, infinity, -infinity, 3e38f})
        for (Convolution2D Net::* link : {&Net::first, &Net::apart, &Net::narrow, &Net::wide})
            expect_agree(
                [](int i) { return image(i); },
                [&](int i, Net& net) {
                    if (i == 8)
                        (net.*link).W.set_array(
                            (net.*link).W.array().astype(Dtype::float64).astype(Dtype::float32));
                    if (i == 8) {
                        const Array W = (net.*link).W.array();
                        copy_elements(Array::full({Dtype::float32, Shape{}}, bad),
                                      W.view(Shape{}, Strides{}, W.size() / 2));
                    }
                });
}

TEST_F(ConvolutionTails, follow_statistics_that_are_not_finite) {
    for (const float bad : {nan, infinity, -infinity, 3e38f, 0.0f, -2e-5f, -1.0f})
        for (int which = 0; which < 4; ++which)
            expect_agree([](int i) { return image(i); },
                         [&](int i, Net& net) {
                             if (i != 8) return;
                             Variable* const all[] = {&net.norm.gamma, &net.norm.beta,
                                                      &net.norm.avg_mean, &net.norm.avg_var};
                             all[which]->set_array((*all[which] * 0.0f + bad).array());
                         });
}

TEST_F(ConvolutionTails, follow_biases_that_are_not_finite) {
    for (const float bad : {nan, infinity, -infinity, 3e38f})
        expect_agree([](int i) { return image(i); },
                     [&](int i, Net& net) {
                         if (i == 8)
                             net.apart.b.set_array(Array::full({Dtype::float32, Shape{12}}, bad));
                         if (i == 10)
                             net.wide.b.set_array(Array::full({Dtype::float32, Shape{24}}, bad));
                     });
}

TEST_F(ConvolutionTails, overflow_in_the_middle_is_ours) {
    const TailRuns runs =
        expect_agree([](int i) { return image(i, i % 2 ? 1.0f : -1.0f); },
                     [](int i, Net& net) {
                         if (i == 0) {
                             net.narrow.W.set_array((net.narrow.W * 1e30f).array());
                             net.wide.W.set_array((net.wide.W * 1e30f).array());
                         }
                     });
    EXPECT_GT(runs.in_library, 0);
}

TEST_F(ConvolutionTails, follow_new_statistics_and_weights) {
    expect_agree([](int i) { return image(i); },
                 [](int i, Net& net) {
                     if (i == 7) net.norm.avg_var.set_array((net.norm.avg_var * 0.25f).array());
                     if (i == 9) net.first.W.set_array((net.first.W * -1.0f).array());
                     if (i == 10) net.apart.W.array().data<float>()[3] = 5;
                 });
}

/// Bounds that are arrays, as in files of ONNX.
TEST_F(ConvolutionTails, follow_bounds_that_change) {
    const TailRuns before = tail_runs();
    expect_same([&](Side& side) {
        Convolution2D a{3, 12, 1}, c{12, 12, 3, {.pad = {2}, .dilate = {2}}}, b{12, 4, 1};
        Variable low(Array::scalar(0.0f), false), high(Array::scalar(1.0f), false);
        auto infer = side.region([&](const Variable& x) {
            auto silent = no_backprop_mode();
            return b(minimum(maximum(c(minimum(maximum(a(x), low), high)), low), high));
        });
        const float lows[] = {0, 0, 0, 0, 0, 0, 0, 0, -1, 0, nan, 3, -infinity, 0, 0.5f, 0.25f, 0};
        const float highs[] = {1,   1, 1, 1,        1,        1,    1,     1, 1,
                               nan, 1, 2, infinity, infinity, 0.5f, 0.75f, 1};
        for (int i = 0; i < int(std::size(lows)); ++i) {
            side.call(i);
            low.set_array(Array::scalar(lows[i]));
            high.set_array(Array::scalar(highs[i]));
            side.saw("y", infer(image(i)));
        }
    });
    EXPECT_GT(tail_runs().in_library, before.in_library);
}

std::vector<float> result_on(int threads, int64_t dilate) {
    const int usual = thread_count();
    set_thread_count(threads);
    set_seed(3);
    Net net(dilate);
    auto infer = static_graph([&](const Variable& x) {
        auto test = using_config(&Config::train, false);
        auto silent = no_backprop_mode();
        return net(x);
    });
    std::vector<float> first, y;
    for (int i = 0; i < calls; ++i) {
        y = infer(image(1)).array().to_vector<float>();
        if (i == 1) first = y;
        if (i > 1) {
            EXPECT_EQ(y, first) << "call " << i
                                << " has other bits than the one before weights were kept";
        }
    }
    set_thread_count(usual);
    return y;
}

TEST_F(ConvolutionTails, have_the_same_bits_in_all_calls_and_on_any_number_of_threads) {
    for (const int64_t dilate : {1, 2}) EXPECT_EQ(result_on(1, dilate), result_on(2, dilate));
}

}  // namespace
}  // namespace catena::testing
