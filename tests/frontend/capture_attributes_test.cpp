// Numbers, axes, sizes and which number goes where: whatever stands in the code's calls is that of
// this call.
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Twelve calls of f with a host number that changes, and gradients through each.
template <class F>
void expect_follows(F f, const Shape& shape = {2, 3, 4}) {
    expect_same([&](Side& side) {
        int i = 0;
        auto region = side.region([&](const Variable& x) { return f(x, i); });
        for (; i < 12; ++i) {
            side.call(i);
            Variable x(reshape(batch(i, 1, element_count(shape)), shape).array());
            Variable y = region(x);
            side.saw("y", y);
            Variable weighted = sum(y * reshape(batch(i + 1, 1, y.size()), y.shape()));
            weighted.backward();
            side.saw_gradient("x", x);
        }
    });
}

TEST(CaptureAttributes, an_index_that_counts) {
    expect_follows(
        [](const Variable& x, int i) { return get_item(x, {i % 2, slice({}), i % 4}) * 2.0; });
}
TEST(CaptureAttributes, the_bounds_of_a_slice) {
    expect_follows([](const Variable& x, int i) {
        return get_item(x, {ellipsis, slice(i % 2, 3 + i % 2)}) * 2.0;
    });
}
TEST(CaptureAttributes, the_step_of_a_slice) {
    expect_follows(
        [](const Variable& x, int i) { return exp(x[{ellipsis, slice({}, {}, i % 2 ? 1 : -1)}]); });
}
TEST(CaptureAttributes, the_axes_of_a_transposition) {
    const std::vector<Axes> orders = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}};
    expect_follows(
        [&](const Variable& x, int i) { return tanh(transpose(x, orders[size_t(i) % 3])); },
        {3, 3, 3});
}
TEST(CaptureAttributes, the_axis_of_a_sum) {
    expect_follows([](const Variable& x, int i) { return sum(square(x), i % 3); }, {3, 3, 3});
}
TEST(CaptureAttributes, the_axis_of_a_maximum) {
    expect_follows([](const Variable& x, int i) { return max(x, i % 3, true) - x; }, {3, 3, 3});
}
TEST(CaptureAttributes, the_axis_of_a_softmax) {
    expect_follows([](const Variable& x, int i) { return softmax(x, i % 3); }, {3, 3, 3});
}
TEST(CaptureAttributes, the_axis_of_an_argmax) {
    expect_follows([](const Variable& x, int i) { return x * as_number(argmax(x, i % 3) > 0); },
                   {3, 3, 3});
}
TEST(CaptureAttributes, the_axis_that_is_flipped) {
    expect_follows([](const Variable& x, int i) { return flip(x, i % 3) * x; }, {3, 3, 3});
}
TEST(CaptureAttributes, the_axis_of_a_join) {
    expect_follows([](const Variable& x, int i) { return concat({x, x * 2.0}, i % 3); }, {3, 3, 3});
}
TEST(CaptureAttributes, the_axis_and_the_length_of_a_running_sum) {
    expect_follows([](const Variable& x, int i) { return cumsum(x, i % 3); }, {3, 3, 3});
}
TEST(CaptureAttributes, a_shape) {
    const std::vector<Shape> shapes = {{24}, {4, 6}, {6, 4}, {2, -1, 3}};
    expect_follows(
        [&](const Variable& x, int i) { return reshape(x, shapes[size_t(i) % 4]) * 3.0; });
}
TEST(CaptureAttributes, how_often_it_is_tiled_or_repeated) {
    expect_follows([](const Variable& x, int i) { return tile(x, {1 + i % 3}) + 1.0; });
    expect_follows([](const Variable& x, int i) { return repeat(x, 1 + i % 2, i % 3); }, {3, 3, 3});
}
TEST(CaptureAttributes, the_pad_stride_and_window_of_a_pooling) {
    auto pooled = [](const Variable& x, int i) {
        return max_pooling_2d(x, 2 + i % 2, {.stride = {1 + i % 2}, .pad = {i % 2}});
    };
    expect_follows(pooled, {1, 2, 6, 6});
}
TEST(CaptureAttributes, the_pad_stride_and_dilation_of_a_convolution) {
    const Variable W = reshape(batch(1, 2, 18), {2, 2, 3, 3});
    expect_follows(
        [&](const Variable& x, int i) {
            const int64_t pad = i % 2, stride = 1 + i % 3 / 2, dilate = 1 + i % 4 / 3;
            const ConvolutionOptions options{.stride = {stride}, .pad = {pad}, .dilate = {dilate}};
            return convolution_2d(x, W, options);
        },
        {1, 2, 7, 7});
}
TEST(CaptureAttributes, a_dtype) {
    expect_same([](Side& side) {
        const std::vector<Dtype> dtypes = {Dtype::float64, Dtype::float32, Dtype::int32};
        int i = 0;
        auto f =
            side.region([&](const Variable& x) { return cast(x * 2.0, dtypes[size_t(i) % 3]); });
        for (; i < 9; ++i) {
            side.call(i);
            side.saw("y", f(batch(i, 2, 2)));
        }
    });
}
TEST(CaptureAttributes, a_text) {
    expect_follows([](const Variable& x, int i) { return gelu(x, i % 2 ? "tanh" : "none"); });
}
TEST(CaptureAttributes, an_optional_bound) {
    expect_follows([](const Variable& x, int i) {
        std::optional<Scalar> low, high;
        if (i % 3) low = -0.5;
        if (i % 2) high = 0.25;
        return clip(x, low, high);
    });
}
TEST(CaptureAttributes, an_ignored_label) {
    expect_same([](Side& side) {
        int i = 0;
        auto f = side.region([&](const Variable& x, const Variable& t) {
            return softmax_cross_entropy(x, t, {.normalize = i % 4 < 2, .ignore_label = i % 3});
        });
        for (; i < 12; ++i) {
            side.call(i);
            Variable x(batch(i, 5, 3).array());
            Variable loss = f(x, labels(i, 5, 3));
            loss.backward();
            side.saw("loss", loss);
            side.saw_gradient("x", x);
        }
    });
}

TEST(CaptureAttributes, which_of_two_cells_stands_where) {
    expect_same([](Side& side) {
        Cell a(2.0, "a"), b(5.0, "b");
        int i = 0;
        auto f = side.region([&](const Variable& x, const Variable& y) {
            return x * a + y * (i % 2 ? b : a) + x * (i % 3 ? a : b);
        });
        for (; i < 18; ++i) {
            side.call(i);
            a = 2.0 + i;
            b = -1.0 - 2 * i;
            Variable x = doubles({1, 10}), y = doubles({100, 1000});
            Variable z = f(x, y);
            side.saw("z", z);
            sum(z).backward();
            side.saw_gradient("x", x);
            side.saw_gradient("y", y);
        }
    });
}

TEST(CaptureAttributes, which_number_is_a_cell_and_which_is_plain) {
    expect_same([](Side& side) {
        Cell rate(0.5, "rate");
        int i = 0;
        auto f = side.region(
            [&](const Variable& x) { return i % 2 ? x * rate + 0.25 : x * 0.25 + rate; });
        for (; i < 10; ++i) {
            side.call(i);
            rate = 0.5 + i;
            side.saw("y", f(doubles({1, 2})));
        }
    });
}

TEST(CaptureAttributes, numbers_that_become_equal_or_part_again) {
    expect_same([](Side& side) {
        int i = 0;
        auto f = side.region([&](const Variable& x) {
            return (x * double(i % 3) + double(i % 2)) * 2.0 - double(i / 4);
        });
        for (; i < 15; ++i) {
            side.call(i);
            side.saw("y", f(doubles({1, 2})));
        }
        f.expect_programs(1);
    });
}

TEST(CaptureAttributes, a_captured_number_is_this_calls_for_ever) {
    expect_same([](Side& side) {
        double factor = 1;
        auto f = side.region([&](const Variable& x) { return x * factor; });
        for (int i = 0; i < 1100; ++i) {
            side.call(i);
            if (i > 1020) factor = i;
            Variable y = f(doubles({1}));
            if (i > 1018) side.saw("y", y);
        }
        f.expect_programs(1);
    });
}

struct Rates {
    double rate;
    std::string name;
    std::vector<int> steps;
};

TEST(CaptureAttributes, numbers_texts_and_structures_among_the_arguments_compile_nothing) {
    expect_same([](Side& side) {
        Mlp model;
        auto step = side.region([&](const Variable& x, double rate, const Rates& more) {
            Variable loss = sum(square(model(x)));
            model.cleargrads();
            loss.backward();
            for (Parameter* p : model.params())
                assign(*p, *p - p->grad_variable() * (rate * more.rate));
            return loss * double(more.steps.back());
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            const Rates rates{1.0 - 0.01 * i, "rate " + std::to_string(i), {i, i + 1}};
            side.saw("loss", step(batch(i, 2, 3), 0.1 / (1 + i), rates));
            side.saw("model", model);
        }
        step.expect_programs(1);
    });
}

TEST(CaptureAttributes, a_switch_among_the_arguments_takes_its_way) {
    expect_same([](Side& side) {
        enum class Kind { doubled, squared };
        auto f =
            side.region([&](const Variable& x, bool negate, const std::string& name, Kind kind) {
                Variable y = kind == Kind::doubled ? x * 2.0 : x * x;
                if (negate) y = -y;
                return name == "shifted" ? y + 1.0 : y;
            });
        for (int i = 0; i < 16; ++i) {
            side.call(i);
            const Kind kind = i % 8 < 4 ? Kind::doubled : Kind::squared;
            side.saw("y", f(doubles({3, 4}), i % 2 == 1, i % 4 < 2 ? "shifted" : "not", kind));
        }
        f.expect_programs(8);
    });
}

TEST(CaptureAttributes, a_captured_array_is_the_one_of_this_call) {
    expect_same([](Side& side) {
        Array table = Array::from<double>({1, 2});
        auto f = side.region([&](const Variable& x) { return x * table; });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            if (i % 3 == 0) table = Array::from<double>({i + 1.0, i + 2.0});
            side.saw("y", f(doubles({1, 10})));
        }
        f.expect_programs(1);
    });
}

TEST(CaptureAttributes, a_captured_array_of_another_shape_is_another_program) {
    expect_same([](Side& side) {
        Array table;
        auto f = side.region([&](const Variable& x) { return x * table; });
        for (int i = 0; i < 9; ++i) {
            side.call(i);
            table = Array::full(
                {i % 3 == 2 ? Dtype::float32 : Dtype::float64, i % 3 ? Shape{2} : Shape{3, 1}}, i);
            side.saw("y", f(doubles({1, 10})));
        }
    });
}

TEST(CaptureAttributes, a_learning_rate_schedule_on_the_host_compiles_one_program) {
    expect_same([](Side& side) {
        Mlp model;
        Adam adam(0.01);
        adam.setup(model);
        adam.add_hook(GradientClipping(0.5));
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, adam, loss);
            return loss;
        });
        for (int i = 0; i < 50; ++i) {
            side.call(i);
            adam.alpha = 0.01 / (1 + 0.1 * i);
            if (i % 10 == 9) adam.beta1 = 0.8 + 0.001 * i;
            side.saw("loss", step(batch(i, 3, 3)));
            side.saw("model", model);
            side.saw("adam", adam);
        }
        step.expect_programs(1);
    });
}

}  // namespace
}  // namespace catena::testing
