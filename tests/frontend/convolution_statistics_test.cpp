// Batch normalization of a convolution's result, whose statistics the convolution gathers in a
// compiled program: the same as eager code.
#include <limits>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/cpu/convolution/measured_convolution.h"
#include "runtime/cpu/product/measured_product.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

constexpr int calls = 4;

/// Normalized results of windows of one element, with steps and without, of three, and of five,
/// which are left to the library.
struct Net : Chain {
    Convolution2D narrow{32, 48, 1, {.nobias = true}},
        steps{48, 64, 1, {.stride = {2}, .nobias = true}},
        tiles{64, 64, 3, {.pad = {1}, .nobias = true}},
        wide{64, 32, 5, {.pad = {2}, .nobias = true}};
    BatchNormalization first{48}, second{64}, third{64}, fourth{32};
    Net() {
        add_children({{"narrow", narrow},
                      {"steps", steps},
                      {"tiles", tiles},
                      {"wide", wide},
                      {"first", first},
                      {"second", second},
                      {"third", third},
                      {"fourth", fourth}});
    }
    Variable operator()(const Variable& x) {
        const Variable h = relu(second(steps(relu(first(narrow(x))))));
        return fourth(wide(relu(third(tiles(h)) + h)));
    }
};

Variable images(int number) { return reshape(batch(number, 8 * 32, 32 * 32), {8, 32, 32, 32}); }

/// Steps of training with images that x gives. Tells how compiled programs gathered statistics.
MeasuredRuns expect_agree(const std::function<Variable(int)>& x) {
    const MeasuredRuns before = measured_runs();
    expect_same([&](Side& side) {
        Net net;
        SGD optimizer(1e-3);
        optimizer.setup(net);
        auto step = side.region([&](const Variable& v) {
            const Variable y = net(v), loss = mean(y * y * y);
            learn(net, optimizer, loss);
            return loss;
        });
        for (int i = 0; i < calls; ++i) {
            side.call(i);
            side.saw("loss", step(x(i)));
            for (const BatchNormalization* norm :
                 {&net.first, &net.second, &net.third, &net.fourth}) {
                side.saw("mean", norm->avg_mean);
                side.saw("variance", norm->avg_var);
            }
        }
        side.saw("net", net);
    });
    const MeasuredRuns after = measured_runs();
    return {after.in_tiles - before.in_tiles, after.swept - before.swept};
}

class ConvolutionStatistics : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

TEST_F(ConvolutionStatistics, are_gathered_as_results_are_stored) {
    const MeasuredRuns runs = expect_agree(images);
    EXPECT_GE(runs.in_tiles + runs.swept, 3 * (calls - 1)) << "on any processor";
    if (has_measured_products()) {
        EXPECT_GE(runs.in_tiles, 2 * (calls - 1)) << "those of one element, at least";
        EXPECT_GE(runs.swept, calls - 1) << "that of five";
    }
}

TEST_F(ConvolutionStatistics, of_a_mean_that_is_large_beside_the_deviation) {
    expect_agree([](int i) { return images(i) + 10.0f; });
}

/// The squares that a program adds up need not be around the mean.
TEST_F(ConvolutionStatistics, of_differences_from_another_number_than_the_mean) {
    const MeasuredRuns before = measured_runs();
    for (const double part : {1.0, 2.0, 0.5})
        expect_same([&](Side& side) {
            Convolution2D narrow(32, 48, 1, {.nobias = true});
            auto region = side.region([&](const Variable& v) {
                const Variable y = narrow(v),
                               centre = sum(y, {0, 2, 3}, true) * (part / (8 * 32 * 32));
                return sum(square(y - centre), {0, 2, 3}, true);
            });
            for (int i = 0; i < calls; ++i) {
                side.call(i);
                side.saw("squares", region(images(i) + 1.0f));
            }
        });
    EXPECT_GT(measured_runs().in_tiles + measured_runs().swept, before.in_tiles + before.swept);
}

TEST_F(ConvolutionStatistics, keep_numbers_that_are_not_finite) {
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
        expect_agree([&](int i) {
            Variable x = images(i);
            if (i == 2) x.array().data<float>()[12345] = bad;
            return x;
        });
}

}  // namespace
}  // namespace catena::testing
