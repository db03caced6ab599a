// Arrays from outside a region that are one and the same array in some calls, and two in others.
#include <gtest/gtest.h>

#include <random>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

Array full(double value, const Shape& shape = {2}) {
    return Array::full({Dtype::float64, shape}, value);
}
/// A matrix of 2 x 2.
Array diagonal(double value) {
    return Array::from(std::vector<double>{value, 0, 0, value}, {2, 2});
}

/// For each call whether two arrays are one: they are two first, or one first.
using Calls = std::vector<bool>;
const std::vector<Calls> orders = {{false, true, false, false, true, false, false, true},
                                   {true, false, true, true, false, false, true, false}};

void expect_same_in_all_orders(const std::function<void(Side&, const Calls&)>& body) {
    for (const bool debug : {false, true})
        for (const Calls& calls : orders) {
            SCOPED_TRACE(std::string(debug ? "debug mode" : "no debug mode") +
                         (calls[0] ? ", one first" : ", two first"));
            const auto mode = using_config(&Config::debug, debug);
            expect_same([&](Side& side) { body(side, calls); }, {.modes = all_modes});
        }
}

TEST(SameArrays, a_backward_outside_reads_the_array_of_this_call) {
    expect_same_in_all_orders([](Side& side, const Calls& are_one) {
        const Array ones = full(1), tens = full(10);
        Array first = ones, second = tens;
        bool more = false;
        auto f = side.region([&](const Variable& x) {
            const Variable y = sin(sin(x * Variable(first, false)) * Variable(second, false));
            return more ? y * 3.0 : y;
        });
        for (size_t i = 0; i < are_one.size(); ++i) {
            side.call(int(i));
            second = are_one[i] ? ones : tens;
            more = i > 0;
            const Variable x(full(0.5));
            const Variable y = f(x);
            sum(y).backward();
            side.saw("y", y);
            side.saw("gx", x.grad());
        }
    });
}

TEST(SameArrays, one_array_is_another_path_than_two) {
    expect_same([](Side& side) {
        const Array ones = full(1), tens = full(10);
        Array second = tens;
        auto f = side.region(
            [&](const Variable& x) { return x * Variable(ones, false) + Variable(second, false); });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            second = i % 2 ? ones : tens;
            side.saw("y", f(Variable(full(i))));
        }
        f.expect_programs(2);
    });
}

TEST(SameArrays, a_parameter_that_is_used_twice_is_one_path) {
    expect_same([](Side& side) {
        Parameter w(full(3));
        auto f = side.region([&](const Variable& x) { return tanh(x * w) * w + w * w; });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            w.set_array(full(i + 1));
            const Variable x(full(0.5));
            const Variable y = f(x);
            sum(y).backward();
            side.saw("y", y);
            side.saw("gx", x.grad());
        }
        f.expect_programs(1);
    });
}

TEST(SameArrays, an_array_may_be_that_of_an_argument) {
    expect_same_in_all_orders([](Side& side, const Calls& are_one) {
        Array captured;
        auto f = side.region([&](const Variable& x, const Variable& y) {
            return tanh(x * Variable(captured, false)) * y;
        });
        for (size_t i = 0; i < are_one.size(); ++i) {
            side.call(int(i));
            const Variable x(full(0.5 + double(i))), y(full(0.25));
            captured = are_one[i] ? (i % 4 == 1 ? x : y).array() : full(7);
            const Variable z = f(x, y);
            sum(z).backward();
            side.saw("z", z);
            side.saw("gx", x.grad());
            side.saw("gy", y.grad());
        }
    });
}

TEST(SameArrays, the_kernel_of_a_composite_reads_what_its_body_reads) {
    expect_same_in_all_orders([](Side& side, const Calls& are_one) {
        const Parameter w(diagonal(2)), v(diagonal(10)), b(full(0.5)), c(full(0.25));
        bool one = false, other_bias = false;
        auto f = side.region([&](const Variable& x) {
            const Variable h = linear(x, w, b);
            return linear(h, one ? w : v, other_bias ? c : b);
        });
        for (size_t i = 0; i < are_one.size(); ++i) {
            side.call(int(i));
            one = are_one[i];
            other_bias = i > 0;
            side.saw("y", f(Variable(full(1, {1, 2}))));
        }
    });
}

TEST(SameArrays, what_a_failed_call_has_computed_comes_from_its_own_arrays) {
    expect_same_in_all_orders([](Side& side, const Calls& are_one) {
        const Parameter w(diagonal(2)), v(diagonal(10)), b(full(0.5)), c(full(0.25));
        State s(full(0, {1, 2}));
        bool one = false, other_bias = false;
        auto f = side.region([&](const Variable& x, const Variable& t) {
            const Variable h = linear(x, w, b);
            const Variable y = linear(h, one ? w : v, other_bias ? c : b);
            s = y;
            return softmax_cross_entropy(y, t);
        });
        for (size_t i = 0; i < are_one.size(); ++i) {
            side.call(int(i));
            one = are_one[i];
            other_bias = i > 0;
            const Variable t(Array::from(std::vector<int32_t>{i > 1 ? 7 : 0}, {1}));
            side.fails("loss", [&] { side.saw("loss", f(Variable(full(1, {1, 2})), t)); });
            side.saw("s", s.array());
        }
    });
}

struct Pair : Link {
    Parameter a, b;
    Pair(double x, double y) : a(full(x, {1})), b(full(y, {1})) {
        add_params({{"a", a}, {"b", b}});
    }
};

struct TwoPairs : Chain {
    Pair n{1, 10}, m{100, 1000};
    TwoPairs() { add_children({{"n", n}, {"m", m}}); }
};

TEST(SameArrays, weights_that_are_swapped_inside_are_updated_each_with_its_own_gradient) {
    expect_same_in_all_orders([](Side& side, const Calls& are_swapped) {
        TwoPairs both;  // An optimizer that loses a parameter to another link says so.
        Pair &n = both.n, &m = both.m;
        SGD sgd(0.1);
        sgd.setup(both);
        size_t i = 0;
        auto step = side.region([&](const Variable& x) {
            n.cleargrads();
            m.cleargrads();
            sum(x * 2.0 * n.a + x * 3.0 * m.a + x * 5.0 * n.b + x * 7.0 * m.b).backward();
            if (are_swapped[i]) {
                const Array array = n.a.array();
                n.a.set_array(m.a.array());
                m.a.set_array(array);
            }
            if (i == 0) std::swap(n.b, m.b);
            sgd.update();
        });
        for (; i < are_swapped.size(); ++i) {
            side.call(int(i));
            step(Variable(full(0.001, {1})));
            for (const Parameter* p : {&n.a, &n.b, &m.a, &m.b}) side.saw("weight", p->array());
        }
    });
}

TEST(SameArrays, a_backward_inside_over_a_graph_that_is_known_reads_the_array_of_this_call) {
    expect_same_in_all_orders([](Side& side, const Calls& are_one) {
        Parameter w(full(2)), v(full(10));
        bool one = false;
        auto f = side.region(
            [&](const Variable& x) {
                w.cleargrad();
                v.cleargrad();
                const Variable loss = sum(sin(sin(x * w) * (one ? w : v)));
                loss.backward();
                return loss;
            },
            {.keep_grads = true});
        for (int i = 0; i < 24; ++i) {
            side.call(i);
            one = are_one[size_t(i / 3)];  // Walks are known from their third time on.
            side.saw("loss", f(Variable(full(0.1 * i))));
            side.saw("gw", w.grad());
            side.saw("gv", v.grad());
        }
    });
}

struct Sharing : Chain {
    Linear a{3, 4}, b{4, 2};
    Sharing() { add_children({{"a", a}, {"b", b}}); }
    Variable operator()(const Variable& x) { return b(tanh(a(x))); }
};

TEST(SameArrays, links_whose_arrays_become_those_of_another) {
    expect_same([](Side& side) {
        Sharing online, target;
        int k = 0;
        for (Sharing* net : {&online, &target})
            for (auto& [name, p] : net->namedparams())
                p->set_array(reshape(batch(++k, 1, element_count(p->shape())), p->shape()).array());
        SGD sgd(0.1);
        sgd.setup(online);
        bool synchronized = false;
        auto step = side.region(
            [&](const Variable& x) {
                if (synchronized) target.copy_from(online, CopyMode::share);
                const Variable loss = mean(square(online(x))) + mean(square(online(x) - target(x)));
                online.cleargrads();
                loss.backward();
                sgd.update();
                return loss;
            },
            {.keep_grads = true});
        for (int i = 0; i < 14; ++i) {
            side.call(i);
            synchronized = i == 4 || i == 7;
            side.saw("loss", step(batch(i, 5, 3)));
            side.saw("online", online);
            side.saw("target", target);
        }
    });
}

TEST(SameArrays, in_the_turns_of_nested_loops) {
    expect_same_in_all_orders([](Side& side, const Calls& are_one) {
        std::vector<Variable> outer, inner;
        for (int i = 0; i < 3; ++i)
            outer.emplace_back(full(0.5 + i)), inner.emplace_back(full(1.5 - 0.25 * i));
        bool one = false, more = false;
        auto f = side.region([&](const Variable& x) {
            Variable y = x;
            for (size_t i = 0; i < 3; ++i)
                for (size_t j = 0; j < 3; ++j)
                    y = sin(y * outer[i]) * (one && (i + j) % 2 ? outer[j] : inner[j]);
            return more ? y * 2.0 : y;
        });
        for (size_t i = 0; i < are_one.size(); ++i) {
            side.call(int(i));
            one = are_one[i];
            more = i > 0;
            const Variable x(full(0.7));
            const Variable y = f(x);
            for (const Variable& v : outer) Variable(v).cleargrad();
            for (const Variable& v : inner) Variable(v).cleargrad();
            sum(y).backward();
            side.saw("y", y);
            side.saw("gx", x.grad());
            for (const Variable& v : outer) side.saw("outer", v.grad());
            for (const Variable& v : inner) side.saw("inner", v.grad());
        }
    });
}

TEST(SameArrays, a_call_that_skips_the_code_is_given_a_parameter) {
    for (const Audit audit : {Audit::never, Audit::sampled}) {
        expect_same([&](Side& side) {
            Parameter w(full(2)), v(full(10));
            auto f = side.region([&](const Variable& x) { return sin(sin(x * w) * v); },
                                 {.audit = audit});
            for (int i = 0; i < 24; ++i) {
                side.call(i);
                const Variable given = i % 3 == 0   ? Variable(w)
                                       : i % 3 == 1 ? Variable(v)
                                                    : Variable(full(0.5));
                for (Variable p : {Variable(w), Variable(v), given}) p.cleargrad();
                const Variable y = f(given);
                sum(y).backward();
                side.saw("y", y);
                for (const Variable& p : {Variable(w), Variable(v), given})
                    side.saw("gradient", p.grad());
                if (i % 5 == 4) w.set_array(full(0.3 * i));
            }
        });
    }
}

TEST(SameArrays, a_call_that_skips_the_code_reads_parameters_that_had_one_array) {
    for (const Audit audit : {Audit::never, Audit::sampled})
        for (const Calls& are_one : orders) {
            SCOPED_TRACE(are_one[0] ? "one first" : "two first");
            expect_same([&](Side& side) {
                Parameter w(full(2)), v(full(10));
                auto f = side.region([&](const Variable& x) { return sin(sin(x * w) * v); },
                                     {.audit = audit});
                for (int i = 0; i < 32; ++i) {
                    side.call(i);
                    if (i % 4 == 0) w.set_array(full(1 + 0.1 * i));
                    if (i % 4 == 0) v.set_array(are_one[size_t(i / 4)] ? w.array() : full(10));
                    const Variable x(full(0.5));
                    const Variable y = f(x);
                    sum(y).backward();
                    side.saw("y", y);
                    side.saw("gx", x.grad());
                }
            });
        }
}

//---- any of them

/// Some operations over captured arrays, each of which is one of a few.
struct Drawn {
    std::vector<Variable> read;  ///< The present ones.
    std::vector<int> operations;
    Variable operator()(Variable y) const {
        for (size_t i = 0; i < operations.size(); ++i) {
            const Variable &v = read[i % read.size()], &w = read[(i + 1) % read.size()];
            switch (operations[i]) {
                case 0:
                    y = sin(y * v);
                    break;
                case 1:
                    y = y + v * w;
                    break;
                case 2:
                    y = maximum(y * v, w);
                    break;
                case 3:
                    y = linear(reshape(y, {1, 2}), outer(v, w), v)[0];
                    break;
                case 4:
                    y = sum(concat(std::vector<Variable>{reshape(y, {1, 2}), reshape(v, {1, 2}),
                                                         reshape(w, {1, 2})},
                                   0),
                            0);
                    break;
                default:
                    y = tanh(y) - w;
            }
        }
        return y;
    }
    static Variable outer(const Variable& v, const Variable& w) {
        return reshape(v, {2, 1}) * reshape(w, {1, 2});
    }
};

void draw_program(Side& side, uint32_t seed, bool inside) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return int(random() % n); };
    std::vector<Array> arrays;
    std::vector<Parameter> parameters;
    for (int k = 0; k < 3; ++k) {
        arrays.push_back(Array::from(std::vector<double>{0.3 + 0.4 * k, 1.1 - 0.5 * k}, {2}));
        parameters.emplace_back(
            Array::from(std::vector<double>{0.9 - 0.3 * k, 0.2 + 0.6 * k}, {2}));
    }
    Drawn drawn{std::vector<Variable>(4), {}};
    for (int k = 0; k < 5; ++k) drawn.operations.push_back(below(6));
    bool more = false;
    auto f = side.region(
        [&](const Variable& x) {
            Variable y = drawn(x);
            if (more) y = y * drawn.read[0];
            if (inside) sum(y).backward();
            return y;
        },
        {.keep_grads = true});
    std::vector<std::vector<Variable>> choices;  // A few, so that each comes often.
    for (int c = 0; c < 4; ++c) {
        std::vector<Variable>& made = choices.emplace_back();
        for (size_t k = 0; k < drawn.read.size(); ++k)
            made.push_back(below(2) ? Variable(parameters[size_t(below(3))])
                                    : Variable(arrays[size_t(below(3))], false));
    }
    for (int i = 0; i < 16; ++i) {
        side.call(i);
        drawn.read = choices[size_t(below(4))];
        more = below(3) == 0;
        for (Parameter& p : parameters) p.cleargrad();
        const Variable x(full(0.2 + 0.01 * i));
        const Variable y = f(x);
        if (!inside) sum(y).backward();
        side.saw("y", y);
        side.saw("gx", x.grad());
        for (const Parameter& p : parameters) side.saw("parameter", p.grad());
    }
}

TEST(SameArrays, any_of_those_that_a_drawn_program_reads) {
    for (uint32_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto mode = using_config(&Config::debug, seed % 3 == 2);
        expect_same([&](Side& side) { draw_program(side, seed, seed % 2 == 0); },
                    {.modes = {CompileMode::now, CompileMode::later}});
    }
}

}  // namespace
}  // namespace catena::testing
