// Convolutions of inference that are computed together some lines at a time: eager and compiled
// agree, and what is in an image stays where it belongs.
#include <limits>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/depthwise_block.h"
#include "runtime/cpu/convolution/direct/direct_convolution.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
constexpr int calls = 8;  // Weights are kept packed from the fifth on.

Variable picture(int number) { return reshape(batch(number, 3, 57 * 61), {1, 3, 57, 61}); }

/// Three blocks: of a picture, one that adds what it reads, one in steps of two.
struct Net : Chain {
    struct Part : Chain {
        Convolution2D first, apart, last;
        BatchNormalization norm;
        Part(int64_t in, int64_t between, int64_t out, int64_t side, int64_t step,
             int64_t apart_step)
            : first(in, between, side, {.stride = step, .pad = side / 2}),
              apart(between, between, 3,
                    {.stride = apart_step, .pad = 1, .nobias = true, .groups = between}),
              last(between, out, 1),
              norm(between) {
            add_children({{"first", first}, {"apart", apart}, {"last", last}, {"norm", norm}});
        }
        Variable operator()(const Variable& x) { return last(relu6(norm(apart(relu6(first(x)))))); }
    };
    Part a{3, 24, 16, 3, 2, 1}, b{16, 40, 16, 1, 1, 1}, c{16, 40, 20, 1, 1, 2};
    Net() { add_children({{"a", a}, {"b", b}, {"c", c}}); }
    Variable operator()(const Variable& x) {
        const Variable h = a(x);
        return c(relu(h + b(h)));
    }
};

class ConvolutionBlocks : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

void expect_agree(
    const std::function<Variable(int)>& x,
    const std::function<void(int, Net&)>& change = [](int, Net&) {}) {
    const int64_t before = block_runs();
    expect_same([&](Side& side) {
        Net net;
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
    if (are_direct_convolutions_on() && thread_count() <= 2) {
        EXPECT_EQ(block_runs() - before, 2 * calls)
            << "the last one gives the result of the program, which is row-major";
    }
}

TEST_F(ConvolutionBlocks, agree_with_eager_code) { expect_agree(picture); }

TEST_F(ConvolutionBlocks, keep_what_is_not_finite) {
    for (const float bad : {nan, infinity, -infinity})
        expect_agree([&](int i) {
            Variable x = picture(i);
            x.array().data<float>()[(1400 * i + 5) % 10431] = bad;
            return x;
        });
}

TEST_F(ConvolutionBlocks, follow_weights_and_statistics_that_change) {
    expect_agree(picture, [](int i, Net& net) {
        if (i == 3) net.b.apart.W.array().data<float>()[3] = 5;
        if (i == 4) net.a.norm.avg_var.set_array((net.a.norm.avg_var * 0.25f).array());
        if (i == 6) net.b.last.W.set_array((net.b.last.W * -1.0f).array());
        if (i == 7) net.c.first.b.set_array((net.c.first.b + 1.0f).array());
    });
}

std::vector<float> result_on(int threads) {
    const int usual = thread_count();
    set_thread_count(threads);
    set_seed(3);
    Net net;
    auto infer = static_graph([&](const Variable& x) {
        auto test = using_config(&Config::train, false);
        auto silent = no_backprop_mode();
        return net(x);
    });
    std::vector<float> first, y;
    for (int i = 0; i < calls; ++i) {
        y = infer(picture(1)).array().to_vector<float>();
        if (i == 1) first = y;
        if (i > 1) {
            EXPECT_EQ(y, first) << "call " << i;
        }
    }
    set_thread_count(usual);
    return y;
}

TEST_F(ConvolutionBlocks, have_the_same_bits_in_all_calls_and_on_any_number_of_threads) {
    const std::vector<float> alone = result_on(1);
    EXPECT_EQ(alone, result_on(2));
    EXPECT_EQ(alone, result_on(7)) << "one after another, since threads would have few lines";
}

}  // namespace
}  // namespace catena::testing
