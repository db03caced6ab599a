// Arrays as users pass them: empty, of other types, views of each other, written between calls.
#include "tests/frontend/ordinary_programs.h"

namespace catena::ordinary {
namespace {

Variable as(const Variable& x, Dtype dtype, bool requires_grad = false) {
    return Variable(x.array().astype(dtype), requires_grad);
}

void push_gradients(Arrays& out, const Link& link) {
    for (auto& [name, p] : link.namedparams()) out.push_back(p->grad());
}

/// Calls a region of `f` with what `argument` gives; lists the result, its gradient towards the
/// argument and towards w.
void expect_calls(const std::function<Variable(const Variable& x, const Variable& w)>& f,
                  const std::function<Variable(int)>& argument, const Shape& weights = {4, 4},
                  int calls = 18) {
    expect_same_without_regions([&](Arrays& out) {
        Parameter w(numbers(weights, 1, 0.5f).array());
        auto r = static_graph([&](Variable x) { return f(x, w); }, "r");
        for (int i = 0; i < calls; ++i) {
            w.cleargrad();
            Variable x = argument(i), y = r(x);
            if (y.requires_grad()) sum(y * y).backward();
            out.push_back(y.array());
            out.push_back(x.grad());
            out.push_back(w.grad());
        }
    });
}

Variable layer(const Variable& x, const Variable& w) { return tanh(matmul(x, w)) + x; }

TEST(OrdinaryArrays, batches_that_are_empty_sometimes) {
    expect_calls(layer, [](int i) { return numbers({i * 3 % 4, 4}, i, 1, true); });
}

TEST(OrdinaryArrays, sums_and_means_of_empty_batches) {
    expect_calls(
        [](const Variable& x, const Variable& w) { return sum(matmul(x, w), 0) + sum(x * 2.0); },
        [](int i) { return numbers({i % 3, 4}, i, 1, true); });
}

TEST(OrdinaryArrays, one_row_or_many) {
    expect_calls([](const Variable& x,
                    const Variable& w) { return softmax(layer(x, w)) * mean(x, 0, true); },
                 [](int i) { return numbers({1 + i % 2 * 5, 4}, i, 1, true); });
}

TEST(OrdinaryArrays, arguments_that_are_transposed) {
    expect_calls(layer, [](int i) {
        return Variable((i % 2 ? transpose(numbers({4, 4}, i)) : numbers({4, 4}, i)).array(), true);
    });
}

TEST(OrdinaryArrays, arguments_that_are_every_second_row) {
    expect_calls(layer, [](int i) {
        return Variable(numbers({8, 4}, i)[slice(i % 2, 8, 2)].array(), true);
    });
}

TEST(OrdinaryArrays, arguments_that_are_flipped_or_broadcast) {
    expect_calls(layer, [](int i) {
        const Variable x = numbers({3, 4}, i);
        return Variable((i % 3 == 0   ? flip(x, 1)
                         : i % 3 == 1 ? broadcast_to(x[0], {3, 4})
                                      : x)
                            .array(),
                        i % 2 == 0);
    });
}

TEST(OrdinaryArrays, arguments_that_need_a_gradient_sometimes) {
    expect_calls(layer, [](int i) { return numbers({3, 4}, i, 1, i % 3 == 1); });
}

TEST(OrdinaryArrays, a_weight_that_needs_a_gradient_sometimes) {
    expect_same_without_regions([](Arrays& out) {
        const Array content = numbers({4, 4}, 1, 0.5f).array();
        Variable w;
        auto r = static_graph([&](Variable x) { return layer(x, w); }, "r");
        for (int i = 0; i < 16; ++i) {
            w = Variable(content, i % 4 < 2);
            Variable x = numbers({3, 4}, i, 1, i % 2 == 0), y = r(x);
            if (y.requires_grad()) sum(y).backward();
            out.push_back(y.array());
            out.push_back(x.grad());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryArrays, float64_and_float32_in_turn) {
    expect_calls([](const Variable& x,
                    const Variable& w) { return tanh(matmul(x, cast(w, x.dtype()))) * x; },
                 [](int i) {
                     return as(numbers({3, 4}, i), i % 3 == 2 ? Dtype::float64 : Dtype::float32,
                               true);
                 });
}

TEST(OrdinaryArrays, float16_and_bfloat16) {
    expect_calls(
        [](const Variable& x, const Variable& w) {
            return cast(maximum(x * 2.0, -x), Dtype::float32) + matmul(cast(x, Dtype::float32), w);
        },
        [](int i) {
            return as(numbers({3, 4}, i), i % 2 ? Dtype::float16 : Dtype::bfloat16, true);
        });
}

TEST(OrdinaryArrays, integers_and_booleans) {
    expect_calls(
        [](const Variable& x, const Variable& w) {
            const Variable floats = cast(x, Dtype::float32);
            return where(floats > 0.0, floats * 2.0, floats - 1.0) + matmul(floats, w);
        },
        [](int i) {
            const Dtype types[] = {Dtype::int32, Dtype::int64, Dtype::int8, Dtype::bool_};
            return as(numbers({3, 4}, i, 3), types[i % 4]);
        });
}

TEST(OrdinaryArrays, two_arguments_that_are_views_of_one_array) {
    expect_same_without_regions([](Arrays& out) {
        auto r = static_graph([](Variable a, Variable b) { return a * 2.0 + tanh(b) * a; }, "r");
        for (int i = 0; i < 16; ++i) {
            Variable all = numbers({6, 4}, i, 1, true);
            Variable a = all[slice(0, 3)], b = i % 4 == 3 ? a : all[slice(i % 4, i % 4 + 3)],
                     y = r(a, b);
            sum(y * y).backward();
            out.push_back(y.array());
            out.push_back(all.grad());
        }
    });
}

TEST(OrdinaryArrays, views_of_a_parameter) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({6, 4}, 1, 0.5f).array());
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                const Variable part = w[slice(i % 3, i % 3 + 4)];
                return tanh(matmul(x, part)) + transpose(w)[slice(0, 3)][{slice(), slice(1, 5)}];
            },
            "r");
        for (; i < 18; ++i) {
            w.cleargrad();
            if (i == 9) w.set_array(transpose(numbers({4, 6}, 3, 0.5f)).array());
            Variable y = r(numbers({3, 4}, i));
            sum(y * y).backward();
            out.push_back(y.array());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryArrays, an_argument_that_is_written_between_calls) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.5f).array());
        auto r = static_graph([&](Variable x) { return layer(x, w); }, "r");
        Variable x = numbers({3, 4}, 0);
        std::vector<Variable> kept;
        for (int i = 0; i < 16; ++i) {
            x.array().data<float>()[i % 12] = float(i);
            kept.push_back(r(x));
            if (i % 5 == 4) w.array().data<float>()[i] += 0.5f;
        }
        for (const Variable& y : kept) out.push_back(y.array());
    });
}

TEST(OrdinaryArrays, a_result_that_is_written_and_passed_again) {
    expect_same_without_regions([](Arrays& out) {
        auto r = static_graph([](Variable x) { return tanh(x) + x * 0.5; }, "r");
        Variable x = numbers({3, 4}, 0);
        auto q = no_backprop_mode();
        for (int i = 0; i < 16; ++i) {
            Variable y = r(x);
            y.array().data<float>()[i % 12] = 0.25f * float(i);
            out.push_back(x.array());
            x = y;
        }
        out.push_back(x.array());
    });
}

TEST(OrdinaryArrays, results_that_are_the_arguments_of_the_next_call) {
    expect_same_without_regions([](Arrays& out) {
        auto r = static_graph([](Variable x, Variable y) { return std::pair(x + y, x * y); }, "r");
        Variable a = numbers({3, 4}, 0), b = numbers({3, 4}, 1);
        auto q = no_backprop_mode();
        for (int i = 0; i < 16; ++i) {
            auto [c, d] = r(a, b);
            a = i % 3 ? tanh(c) : tanh(d);
            b = i % 4 ? tanh(d) : a;
            out.push_back(a.array());
            out.push_back(b.array());
        }
    });
}

TEST(OrdinaryArrays, indices_that_change_with_their_type) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({10, 4}, 1, 0.5f).array());
        auto r = static_graph([&](Variable t) { return embed_id(t, w, -1); }, "r");
        for (int i = 0; i < 16; ++i) {
            w.cleargrad();
            std::vector<int> t;
            for (int k = 0; k < i % 5; ++k) t.push_back(k == 3 ? -1 : (i * 3 + k) % 10);
            Variable y = r(Variable(
                Array::from(t, {i % 5}).astype(i % 2 ? Dtype::int32 : Dtype::int64), false));
            sum(y * y).backward();
            out.push_back(y.array());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryArrays, an_output_that_is_a_view_of_a_parameter) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.5f).array());
        SGD o(0.1);
        Net n;
        fill(n);
        o.setup(n);
        auto r = static_graph(
            [&](Variable x) { return std::vector<Variable>{w[1], transpose(n.b.W), n(x)}; }, "r");
        for (int i = 0; i < 14; ++i) {
            n.cleargrads();
            w.cleargrad();
            auto y = r(numbers({3, 5}, i));
            (sum(y[0] * y[0]) + sum(y[1] * y[1]) + sum(y[2])).backward();
            out.push_back(w.grad());
            push_gradients(out, n);
            o.update();
            for (auto& each : y) out.push_back(each.array());
            w.array().data<float>()[i] = 2;
        }
    });
}

}  // namespace
}  // namespace catena::ordinary
