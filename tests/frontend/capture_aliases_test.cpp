// Arrays that share their elements, and arrays that lie in memory in unusual ways, among a region's
// arguments and results.
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

Variable numbers(int number, const Shape& shape, bool requires_grad = false) {
    return Variable(reshape(batch(number, 1, element_count(shape)), shape).array(), requires_grad);
}

/// The elements [begin, begin + n) of an array of one dimension, not copied.
Variable part(const Array& base, int64_t begin, int64_t n, bool requires_grad = false) {
    return Variable(base.view({n}, {1}, begin), requires_grad);
}

void write(const Variable& v, int64_t i, float value) { v.array().data<float>()[i] = value; }

TEST(CaptureAliases, a_result_that_views_an_argument_shares_its_elements) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            return std::vector<Variable>{x, reshape(x, {6}), transpose(x), x * 2.0, x};
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            const Variable x = numbers(i, {2, 3});
            std::vector<Variable> ys = f(x);
            write(x, 1, 100);
            side.saw("after x was written", ys);
            write(ys[1], 2, 200);
            side.saw("after a view was written", ys);
            side.saw("x", x);
        }
    });
}

TEST(CaptureAliases, results_that_view_one_value_share_its_elements) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            const Variable y = x * 2.0;
            return std::vector<Variable>{y, reshape(y, {6}), y, transpose(y),
                                         reshape(transpose(y), {6})};
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            std::vector<Variable> ys = f(numbers(i, {2, 3}));
            write(ys[size_t(i % 2)], 1, 100);
            side.saw("ys", ys);
            side.saw("same", ys[0].array().body() == ys[2].array().body());
        }
    });
}

TEST(CaptureAliases, arguments_that_overlap_and_belong_to_nobody_else) {
    expect_same([](Side& side) {
        auto shifted = side.region(
            [](const Variable& a, const Variable& b) { return std::pair(a * 2.0 + b, b - a); });
        auto summed = side.region([](const Variable& a, const Variable& b, const Variable& c) {
            return std::pair(tanh(a) + c, b * c + a);
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            const int64_t n = 40 + i % 3;
            const auto fresh = [&](int k) { return numbers(i + k, {n + 9}).array(); };
            Array base = fresh(0);
            const auto overlapping = [&](int64_t begin) { return part(base, begin, n); };
            Variable a = overlapping(0), b = overlapping(1 + i % 2), c = overlapping(8);
            base = Array();
            if (i % 2) std::swap(a, b);
            auto [p, q] = shifted(std::move(a), std::move(b));
            side.saw("p", p);
            side.saw("q", q);
            base = fresh(3);
            auto [r, s] = summed(overlapping(2), overlapping(0), overlapping(1));
            base = Array();
            side.saw("r", r);
            side.saw("s", s);
        }
    });
}

TEST(CaptureAliases, a_repeated_argument_that_belongs_to_nobody_else) {
    expect_same([](Side& side) {
        auto f = side.region(
            [](const Variable& a, const Variable& b) { return std::pair(a + b, a * b); });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            const Array row = numbers(i, {1, 9}).array();
            auto [p, q] =
                i % 2 ? f(Variable(row.view({4, 9}, {0, 1}, 0), false), numbers(i + 1, {4, 9}))
                      : f(numbers(i + 1, {4, 9}),
                          Variable(numbers(i, {9}).array().view({4, 9}, {0, 1}, 0), false));
            side.saw("p", p);
            side.saw("q", q);
        }
    });
}

TEST(CaptureAliases, an_argument_lies_otherwise_at_every_call) {
    expect_same([](Side& side) {
        const Variable w = numbers(77, {6, 5}, true);
        auto f = side.region(
            [&](const Variable& x) { return std::pair(matmul(tanh(x), w), sum(x * x, 0)); });
        for (int i = 0; i < 14; ++i) {
            side.call(i);
            Variable x;
            switch (i % 7) {
                case 0:
                    x = numbers(i, {4, 6});
                    break;
                case 1:
                    x = transpose(numbers(i, {6, 4}));
                    break;
                case 2:
                    x = Variable(numbers(i, {6}).array().view({4, 6}, {0, 1}, 0), false);
                    break;
                case 3:
                    x = Variable(numbers(i, {25}).array().view({4, 6}, {6, 1}, 1), false);
                    break;
                case 4:
                    x = Variable(numbers(i, {48}).array().view({4, 6}, {12, 2}, 1), false);
                    break;
                case 5:
                    x = Variable(numbers(i, {24}).array().view({4, 6}, {-6, -1}, 23), false);
                    break;
                default:
                    x = Variable(numbers(i, {1}).array().view({4, 6}, {0, 0}, 0), false);
            }
            x = Variable(x.array(), i % 3 != 2);
            w.cleargrad();
            auto [y, s] = f(x);
            side.saw("y", y);
            side.saw("s", s);
            (sum(square(y)) + sum(s)).backward();
            if (x.requires_grad()) side.saw_gradient("x", x);
            side.saw_gradient("w", w);
        }
    });
}

TEST(CaptureAliases, a_weight_is_a_view_for_a_while) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, sgd, loss);
            return loss;
        });
        Array base;
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            if (i == 2) model.l1.W.set_array(transpose(numbers(5, {3, 4})).array());
            if (i == 4) {
                base = numbers(6, {30}).array();
                model.l2.W.set_array(base.view({3, 4}, {5, 1}, 3));
                model.l1.W.set_array(base.view({4, 3}, {3, 1}, 7));  // The two overlap.
            }
            if (i == 8) base = Array();
            side.saw("loss", step(batch(i, 2, 3)));
            if (base.defined()) side.saw("base", base);
            side.saw("model", model);
        }
    });
}

TEST(CaptureAliases, the_same_result_twice_and_an_argument_as_a_result_have_gradients) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x, const Variable& w) {
            const Variable y = x * w;
            return std::vector<Variable>{y, x, y, exp(y), reshape(y, {3, 2}), w};
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            const Variable x = numbers(i, {2, 3}, i % 3 != 1),
                           w = numbers(i + 1, {2, 3}, i % 4 != 3);
            const std::vector<Variable> ys = f(x, w);
            Variable loss = sum(ys[0]) * 2.0;
            if (i % 2) loss = loss + sum(square(ys[2])) + sum(ys[1]);
            if (i % 3 == 0) loss = loss + sum(square(transpose(ys[4])));
            if (i % 5 == 0) loss = loss + sum(ys[3] * ys[5]);
            if (!loss.requires_grad()) continue;
            loss.backward();
            if (x.requires_grad()) side.saw_gradient("x", x);
            if (w.requires_grad()) side.saw_gradient("w", w);
        }
    });
}

TEST(CaptureAliases, sizes_dtypes_and_gradients_are_toggled) {
    expect_same(
        [](Side& side) {
            auto f = side.region([](const Variable& x, const Variable& y) {
                return std::pair(exp(x * 0.1) * y, sum(x + y, 0));
            });
            const Dtype dtypes[] = {Dtype::float32, Dtype::float64, Dtype::float16,
                                    Dtype::bfloat16};
            const int64_t rows[] = {3, 0, 1, 5, 2, 0, 1};
            for (int i = 0; i < 28; ++i) {
                side.call(i);
                const Dtype dtype = dtypes[i % 4], other = dtypes[(i / 4) % 4];
                const Variable x(numbers(i, {rows[i % 7], 3}).array().astype(dtype), i % 3 != 0);
                const Variable y(numbers(i + 1, {i % 2 ? rows[i % 7] : 1, 3}).array().astype(other),
                                 i % 5 != 0);
                auto [p, q] = f(x, y);
                side.saw("p", p);
                side.saw("q", q);
                if (!p.requires_grad()) continue;
                (sum(p) + sum(q)).backward();
                if (x.requires_grad()) side.saw_gradient("x", x);
                if (y.requires_grad()) side.saw_gradient("y", y);
            }
        },
        {.nearness = {.float32 = 1e-4}});
}

TEST(CaptureAliases, what_is_held_of_the_previous_call_is_not_written_over) {
    expect_same([](Side& side) {
        State total(Array::zeros({Dtype::float32, {4}}));
        auto f = side.region([&](const Variable& x) {
            const Variable before = total;
            assign(total, total * 0.5 + x);
            return std::pair(reshape(total, {2, 2}), before);
        });
        std::vector<Variable> held;
        Variable x = numbers(0, {4});
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            auto [now, before] = f(x);
            held.push_back(now);
            if (i % 2) held.push_back(before);
            x = i % 3 ? reshape(now, {4}) : numbers(i, {4});
            if (i % 4 == 3) held.clear();
            for (const Variable& v : held) side.saw("held", v);
        }
    });
}

}  // namespace
}  // namespace catena::testing
