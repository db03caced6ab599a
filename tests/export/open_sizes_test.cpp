// What saving with open sizes refuses, and says of it: arrays and numbers of the host, steps and
// kernels that differ.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "runtime/program/file/program.h"
#include "tests/export/package_fixture.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

class OpenSizePackage : public Package {};

using Model = std::function<Variable(const Variable&)>;

std::string saving(const Model& model, const Variable& x, const std::vector<OpenSize>& open) {
    auto region = static_graph(model);
    region(x);
    return message_of([&] {
        region.save(temporary("x.catena"), {.open_sizes = open, .code_levels = {"scalar"}});
    });
}

Array host_array(std::initializer_list<double> values) {
    return Array::from(values).astype(Dtype::float32);
}

TEST_F(OpenSizePackage, arrays_that_the_host_makes_from_an_open_size_are_refused) {
    const std::vector<OpenSize> rows = {{0, 0, "n"}}, pixels = {{0, 2, "h"}, {0, 3, "w"}};
    const Model mean_of_rows = [](const Variable& x) {
        return sum(x, 0) / Array::scalar(float(x.shape()[0]));
    };
    EXPECT_THAT(saving(mean_of_rows, batch(0, 4), rows),
                ::testing::AllOf(HasSubstr("save: divide (open_sizes_test.cpp:"),
                                 HasSubstr("float32[], element [] is 4 or 5")));
    const Model last_row = [](const Variable& x) {
        return take(x, Array::from({x.shape()[0] - 1}), 0);
    };
    EXPECT_THAT(
        saving(last_row, batch(0, 4), rows),
        ::testing::AllOf(HasSubstr("save: take ("), HasSubstr("int64[1], element [0] is 3 or 4")));
    const Model at_one_run = [](const Variable& x) {
        return x * host_array({0, 1, 2, 3, 4, x.shape()[0] == 11 ? 6. : 5.});
    };
    EXPECT_THAT(saving(at_one_run, batch(0, 4), rows),
                HasSubstr("float32[6], element [5] is 5 or 6"));
    const Model leaf = [](const Variable& x) {
        return x * Variable(host_array({0, 1, 2, 3, 4, double(x.shape()[0])}));
    };
    EXPECT_THAT(saving(leaf, batch(0, 4), rows), HasSubstr("float32[6], element [5] is 4 or 5"));
    const Model mask = [](const Variable& x) {
        return x * Array::zeros({Dtype::float32, {x.shape()[0], 1}});
    };
    EXPECT_THAT(saving(mask, batch(0, 4), rows), HasSubstr("float32[4,1] or float32[5,1]"));
    const Model twice = [](const Variable& x) {
        return resize_images(x, {2 * x.shape()[2], 2 * x.shape()[3]}, "nearest", false);
    };
    EXPECT_THAT(saving(twice, pictures(0, 2), pixels),
                HasSubstr("save: take (open_sizes_test.cpp:"));
    const Model fixed = [](const Variable& x) { return resize_images(x, {6, 6}, "bilinear"); };
    EXPECT_THAT(saving(fixed, pictures(0, 2), pixels),
                HasSubstr("save: take (open_sizes_test.cpp:"));
    const Model grid = [](const Variable& x) {
        return spatial_transformer_grid(Variable(ones({2, 2, 3}), false),
                                        {x.shape()[2], x.shape()[3]}) *
               sum(x);
    };
    EXPECT_THAT(saving(grid, pictures(0, 2), pixels), HasSubstr("at other open sizes"));
}

TEST_F(OpenSizePackage, what_differs_at_other_open_sizes_is_said) {
    const std::vector<OpenSize> rows = {{0, 0, "n"}};
    Linear first(6, 6, {.nobias = true}), second(6, 6, {.nobias = true});
    const auto expect = [&](const Model& model, const std::string& part) {
        EXPECT_THAT(saving(model, batch(0, 4), rows),
                    HasSubstr("save: the program differs at other open sizes: " + part));
    };
    expect([](const Variable& x) { return concat({x, x}, x.shape()[0] == 4 ? 0 : 1); },
           "attribute 'axis' of concat (open_sizes_test.cpp:");
    expect([](const Variable& x) { return x.shape()[0] == 4 ? exp(x) : sin(x); },
           "step 0 is exp, for exp (open_sizes_test.cpp:");
    expect([](const Variable& x) { return x.shape()[0] == 4 ? exp(x) : exp(exp(x)); },
           "it has 1 or 2 steps, the first one more is exp (open_sizes_test.cpp:");
    expect([&](const Variable& x) { return x.shape()[0] == 4 ? first(x) : second(x); }, "what ");
    expect(
        [](const Variable& x) {
            const Variable y = exp(x), z = sin(x);
            return x.shape()[0] == 4 ? y * z : z * y;
        },
        "input 0 of multiply (open_sizes_test.cpp:");
    expect(
        [](const Variable& x) {
            return x * (x.shape()[0] == 4 ? Array::scalar(1.f) : host_array({1}));
        },
        "what multiply (open_sizes_test.cpp:");
}

TEST_F(OpenSizePackage, what_changes_from_run_to_run_is_not_blamed_on_sizes) {
    const std::vector<OpenSize> rows = {{0, 0, "n"}};
    int runs = 0;
    const Model number = [&](const Variable& x) { return x * std::pow(0.5, ++runs); };
    EXPECT_THAT(
        saving(number, batch(0, 4), rows),
        ::testing::AllOf(HasSubstr("save: a number in multiply_scalar (open_sizes_test.cpp:"),
                         HasSubstr("changes from run to run"), HasSubstr("make it a Cell")));
    const Model array = [&](const Variable& x) {
        return x * host_array({double(++runs), 1, 1, 1, 1, 1});
    };
    EXPECT_THAT(saving(array, batch(0, 4), rows),
                ::testing::AllOf(HasSubstr("save: multiply (open_sizes_test.cpp:"),
                                 HasSubstr("changes from run to run of the code"),
                                 HasSubstr("float32[6], element [0] is ")));
    const Model program = [&](const Variable& x) { return ++runs % 2 == 0 ? exp(x) : sin(x); };
    EXPECT_THAT(saving(program, batch(0, 4), rows),
                HasSubstr("save: the program changes from run to run of its code"));
    Cell decay(1);
    auto region = static_graph([&](const Variable& x) { return x * decay; });
    region(batch(0, 4));
    EXPECT_EQ(message_of([&] {
                  region.save(temporary("x.catena"),
                              {.open_sizes = rows, .code_levels = {"scalar"}});
              }),
              "nothing was thrown");
}

TEST_F(OpenSizePackage, the_operation_whose_kernel_differs_is_named) {
    const Model model = [](const Variable& x) {
        return sum(exp(x), x.shape()[0] % 2 == 0 ? 0 : 1);
    };
    EXPECT_THAT(saving(model, batch(0, 4), {{0, 0, "n"}}),
                HasSubstr("save: the program needs other kernels at other open sizes, the first of "
                          "them for exp (open_sizes_test.cpp:"));
}

TEST_F(OpenSizePackage, means_by_numbers_take_any_batch) {
    const Model mean_of_rows = [](const Variable& x) { return sum(x, 0) / double(x.shape()[0]); };
    EXPECT_EQ(saving(mean_of_rows, batch(0, 4), {{0, 0, "n"}}), "nothing was thrown");
    expect_near(
        Program::load(temporary("x.catena")).run({batch(0, 7).array()})[0].to_vector<double>(),
        mean_of_rows(batch(0, 7)).array().to_vector<double>(), 1e-6, "mean");
}

TEST_F(OpenSizePackage, arrays_that_the_host_makes_anew_of_the_same_elements_are_stored) {
    auto f = static_graph([](const Variable& x) { return x * host_array({0, 1, 2, 3, 4, NAN}); });
    f(batch(0, 4));
    f.save(temporary("x.catena"), {.open_sizes = {{0, 0, "n"}}, .code_levels = {"scalar"}});
    const std::vector<double> y =
        Program::load(temporary("x.catena")).run({batch(0, 7).array()})[0].to_vector<double>();
    EXPECT_EQ(y.size(), 42u);
    EXPECT_EQ(y[38], 2 * batch(0, 7).array().to_vector<double>()[38]);
    EXPECT_TRUE(std::isnan(y[41]));
}

struct Perceptron : Chain {
    Linear l1{6, 16}, l2{16, 3};
    Perceptron() { add_children({{"l1", l1}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return l2(relu(l1(x))); }
};

TEST_F(OpenSizePackage, any_batch_may_be_recorded_for_an_open_one) {
    for (const int64_t rows : {8, 31, 32, 48, 63, 64, 100}) {
        SCOPED_TRACE(rows);
        Perceptron net;
        Adam adam;
        adam.setup(net);
        auto step = static_graph([&](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(net(x), t);
            net.cleargrads();
            loss.backward();
            adam.update();
            return loss;
        });
        step(batch(1, rows), labels(1, rows));
        step.save(temporary("x.catena"),
                  {.open_sizes = {{0, 0, "batch"}, {1, 0, "batch"}}, .code_levels = {"avx2"}});
        Program program = Program::load(temporary("x.catena"));
        for (const int64_t other : {int64_t(5), rows, int64_t(64), int64_t(300)}) {
            const Variable x = batch(2, other), t = labels(2, other);
            const double loss = step(x, t).item<double>();
            EXPECT_NEAR(program.run({x.array(), t.array()})[0].item<double>(), loss, 2e-5) << other;
        }
    }
}

TEST_F(OpenSizePackage, saving_says_nothing_of_sizes_that_nobody_asked_for) {
    struct Net : Chain {
        Linear l{6, 16}, o{16, 3};
        BatchNormalization b{16};
        Net() { add_children({{"l", l}, {"b", b}, {"o", o}}); }
    } net;
    AdamW rule;
    rule.setup(net);
    auto step = static_graph([&](const Variable& x, const Variable& t) {
        const auto casting = autocast();
        Variable loss = softmax_cross_entropy(net.o(gelu(net.b(net.l(x)))), t);
        net.cleargrads();
        loss.backward();
        rule.update();
        return loss;
    });
    for (int i = 0; i < 2; ++i) step(batch(i, 8), labels(i, 8));
    ::testing::internal::CaptureStderr();
    step.save(temporary("x.catena"),
              {.open_sizes = {{0, 0, "n"}, {1, 0, "n"}}, .code_levels = {"scalar"}});
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace catena::testing
