// Programs whose own code decides what is computed: branches, loops, recursion and errors.
#include <map>
#include <optional>
#include <stdexcept>

#include "tests/frontend/ordinary_programs.h"

namespace catena::ordinary {
namespace {

void push_gradients(Arrays& out, const Link& link) {
    for (auto& [name, p] : link.namedparams()) out.push_back(p->grad());
}

TEST(OrdinaryControl, a_loop_that_ends_where_a_value_says) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.6f).array());
        auto r = static_graph(
            [&](Variable x) {
                Variable y = x;
                for (int k = 0; k < 12 && sum(y * y).item<float>() > 2; ++k)
                    y = tanh(matmul(y, w)) * 0.9;
                Variable l = sum(y * y);
                if (l.requires_grad()) l.backward();
                return l;
            },
            "r");
        for (int i = 0; i < 24; ++i) {
            w.cleargrad();
            out.push_back(r(numbers({3, 4}, i, i % 5 ? 1.f : 0.1f)).array());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryControl, a_branch_for_each_row) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        auto r = static_graph(
            [&](Variable x) {
                std::vector<Variable> rows;
                for (int k = 0; k < 3; ++k) {
                    Variable row = reshape(x[k], {1, 5});
                    rows.push_back(sum(row).item<float>() > 0 ? n(row) : n(-row) * 2.0);
                }
                return concat(rows, 0);
            },
            "r");
        for (int i = 0; i < 20; ++i) {
            n.cleargrads();
            Variable y = r(numbers({3, 5}, i));
            sum(y * y).backward();
            out.push_back(y.array());
            push_gradients(out, n);
        }
    });
}

Variable tree(const Variable& x, const Variable& w, int64_t from, int64_t to) {
    if (to - from == 1) return x[from];
    const int64_t middle = from + (to - from + 1) / 2;
    return tanh(matmul(tree(x, w, from, middle), w) + tree(x, w, middle, to));
}

TEST(OrdinaryControl, a_tree_of_another_shape_at_each_call) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.5f).array());
        auto r = static_graph([&](Variable x) { return tree(x, w, 0, x.shape()[0]); }, "r");
        for (int i = 0; i < 24; ++i) {
            w.cleargrad();
            Variable x = numbers({2 + i * 5 % 9, 2, 4}, i, 1, true), y = r(x);
            sum(y).backward();
            out.push_back(y.array());
            out.push_back(x.grad());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryControl, a_region_that_calls_itself) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.5f).array());
        StaticFunction<Variable(Variable, int)> r;
        r = static_graph(
            [&](Variable x, int depth) -> Variable {
                return depth == 0 ? tanh(x) : tanh(matmul(r(x, depth - 1), w)) + x;
            },
            "r");
        for (int i = 0; i < 16; ++i) {
            w.cleargrad();
            Variable x = numbers({3, 4}, i, 1, true), y = r(x, i % 4);
            sum(y * y).backward();
            out.push_back(y.array());
            out.push_back(x.grad());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryControl, regions_that_call_each_other) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        auto inner = static_graph([&](Variable x) { return tanh(x) * 0.5; }, "inner");
        auto outer = static_graph(
            [&](Variable x, bool both) { return both ? inner(n(inner(x))) : n(x); }, "outer");
        for (int i = 0; i < 18; ++i) {
            n.cleargrads();
            Variable x = numbers({3, 5}, i, 1, true),
                     y = i % 5 == 4 ? inner(x) : outer(x, i % 3 != 0);
            sum(y * y).backward();
            out.push_back(y.array());
            out.push_back(x.grad());
            push_gradients(out, n);
        }
    });
}

TEST(OrdinaryControl, an_exception_of_the_users_in_the_middle) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        Adam o(0.05);
        o.setup(n);
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable l = sum(n(x) * n(x));
                n.cleargrads();
                if (i % 5 == 2) throw std::runtime_error("before backward");
                l.backward();
                if (i % 5 == 4) throw std::runtime_error("before update");
                o.update();
                if (i % 7 == 3) throw std::runtime_error("after update");
                return l;
            },
            "r");
        for (; i < 30; ++i) {
            try {
                out.push_back(r(numbers({3, 5}, i)).array());
            } catch (const std::runtime_error&) {
            }
            for (auto& [k, p] : n.namedparams()) out.push_back(p->array());
            out.push_back(Array::from(std::vector<float>{float(o.t())}, {1}));
        }
    });
}

TEST(OrdinaryControl, a_bad_label_in_some_steps) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        MomentumSGD o(0.1);
        o.setup(n);
        auto r = static_graph(
            [&](Variable x, Variable t) {
                Variable l = softmax_cross_entropy(n(x), t);
                n.cleargrads();
                l.backward();
                o.update();
                return l;
            },
            "r");
        for (int i = 0; i < 24; ++i) {
            const std::vector<int> labels = {i % 4, 1, i % 6 == 5 ? 9 : 2};
            try {
                out.push_back(
                    r(numbers({3, 5}, i), Variable(Array::from(labels, {3}), false)).array());
            } catch (const Error&) {
                out.push_back(numbers({1}, 1).array());
            }
            for (auto& [k, p] : n.namedparams()) out.push_back(p->array());
        }
    });
}

TEST(OrdinaryControl, a_result_that_is_there_sometimes) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.5f).array());
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                std::vector<Variable> made{matmul(x, w)};
                if (i % 3 == 1) made.push_back(exp(-x));
                if (i % 4 == 2) made.insert(made.begin(), sum(x, 0));
                return made;
            },
            "r");
        for (; i < 24; ++i) {
            w.cleargrad();
            Variable x = numbers({3, 4}, i, 1, true), l;
            for (const Variable& y : r(x)) {
                out.push_back(y.array());
                l = l.defined() ? l + sum(y * y) : sum(y * y);
            }
            l.backward();
            out.push_back(x.grad());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryControl, a_dictionary_that_keeps_what_was_computed) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.5f).array());
        std::map<int, Variable> known;
        auto r = static_graph(
            [&](Variable x, int key) {
                if (!known.contains(key)) known[key] = tanh(matmul(x, w));
                return known[key] + x;
            },
            "r");
        for (int i = 0; i < 24; ++i) {
            if (i % 10 == 9) known.clear();
            auto q = no_backprop_mode();
            out.push_back(r(numbers({3, 4}, i), i * 7 % 5).array());
        }
    });
}

TEST(OrdinaryControl, values_that_are_read_and_passed_back_as_numbers) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.5f).array());
        double mean_seen = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable y = matmul(x, w) * (1 + mean_seen);
                mean_seen = 0.9 * mean_seen + 0.1 * double(mean(y).item<float>());
                Variable l = sum(y * y) * (1 - mean_seen);
                l.backward();
                return l;
            },
            "r");
        for (int i = 0; i < 20; ++i) {
            w.cleargrad();
            out.push_back(r(numbers({3, 4}, i)).array());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryControl, beams_that_are_kept_and_dropped) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.8f).array());
        auto r = static_graph([&](Variable h, Variable x) { return tanh(matmul(h, w) + x); }, "r");
        std::vector<Variable> beams{numbers({1, 4}, 0)};
        auto q = no_backprop_mode();
        for (int i = 0; i < 14; ++i) {
            std::vector<Variable> next;
            for (const Variable& h : beams)
                for (int k = 0; k < 2; ++k) next.push_back(r(h, numbers({1, 4}, i + k)));
            std::sort(next.begin(), next.end(), [](const Variable& a, const Variable& b) {
                return sum(a).item<float>() > sum(b).item<float>();
            });
            next.resize(std::min<size_t>(next.size(), 3));
            beams = next;
            for (const Variable& h : beams) out.push_back(h.array());
        }
    });
}

TEST(OrdinaryControl, an_optional_argument) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({4, 4}, 1, 0.5f).array());
        auto r = static_graph(
            [&](Variable x, std::optional<Variable> mask) {
                return mask ? matmul(x, w) * *mask : matmul(x, w);
            },
            "r");
        for (int i = 0; i < 16; ++i) {
            w.cleargrad();
            Variable y = r(numbers({3, 4}, i),
                           i % 3 ? std::optional<Variable>(numbers({3, 4}, i + 9)) : std::nullopt);
            sum(y).backward();
            out.push_back(y.array());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryControl, stochastic_depth_by_the_hosts_random_numbers) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w[4];
        for (int k = 0; k < 4; ++k) w[k] = Parameter(numbers({4, 4}, k, 0.5f).array());
        uint64_t state = 12345;
        auto r = static_graph(
            [&](Variable x) {
                for (Parameter& each : w) {
                    state = state * 6364136223846793005u + 1442695040888963407u;
                    if (state >> 63) x = x + tanh(matmul(x, each));
                }
                return x;
            },
            "r");
        for (int i = 0; i < 30; ++i) {
            for (Parameter& each : w) each.cleargrad();
            Variable y = r(numbers({3, 4}, i));
            if (y.requires_grad()) sum(y * y).backward();
            out.push_back(y.array());
            for (Parameter& each : w) out.push_back(each.grad());
        }
    });
}

}  // namespace
}  // namespace catena::ordinary
