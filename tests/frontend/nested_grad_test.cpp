// grad() that a gradient calls, over nodes that the walk around it has reached.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

Array waves(const Shape& shape, int k, double size) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = size * std::sin(7.01 * double(i) + 13 * k);
    return Array::from(values, shape);
}

using Layer = std::function<Variable(const Variable&)>;
struct Case {
    const char* name;
    Layer layer;
};
std::vector<Case> composites() {
    const Variable gamma(waves({6}, 5, 1)), beta(waves({6}, 6, 1)), few(waves({3}, 5, 1)),
        of_few(waves({3}, 6, 1));
    return {
        {"batch_normalization",
         [=](const Variable& h) { return batch_normalization(h, gamma, beta); }},
        {"layer_normalization",
         [=](const Variable& h) { return layer_normalization(h, gamma, beta); }},
        {"softmax", [](const Variable& h) { return softmax(h); }},
        {"log_softmax", [](const Variable& h) { return log_softmax(h); }},
        {"prod", [](const Variable& h) { return h * prod(h + 1.5, 1, true); }},
        {"tanh", [](const Variable& h) { return tanh(h); }},
    };
}

/// The second derivative of a network of such layers: by `differentiate`, of the first one.
double second_derivative(
    const Layer& layer, int depth, double at,
    const std::function<Variable(const Variable&, const Variable&)>& differentiate) {
    Variable x(waves({5, 1}, 3, 1));
    x.array().data<double>()[2] += at;
    const Variable in(waves({1, 6}, 90, 1)), out(waves({6, 1}, 91, 1));
    Variable h = tanh(matmul(x, in));
    for (int k = 0; k < depth; ++k) h = h + tanh(layer(matmul(h, Variable(waves({6, 6}, k, 0.7)))));
    const Variable first =
        grad({sum(matmul(h, out))}, {x}, {}, {.enable_double_backprop = true})[0];
    return differentiate(sum(first), x).array().to_vector<double>()[2];
}

TEST(NestedGrad, of_composites_below_composites_is_right_with_a_graph_and_without) {
    for (const Case& c : composites()) {
        for (const int depth : {1, 2, 3}) {
            const auto walked = [](const Variable& y, const Variable& x) {
                y.backward();
                return Variable(x.grad());
            };
            const auto plain = [](const Variable& y, const Variable& x) {
                return grad({y}, {x})[0];
            };
            const auto with_graph = [](const Variable& y, const Variable& x) {
                return grad({y}, {x}, {}, {.enable_double_backprop = true})[0];
            };
            const double expected = second_derivative(c.layer, depth, 0, walked);
            EXPECT_NEAR(second_derivative(c.layer, depth, 0, plain), expected, 1e-9)
                << c.name << " " << depth;
            EXPECT_NEAR(second_derivative(c.layer, depth, 0, with_graph), expected, 1e-9)
                << c.name << " " << depth;
            const auto first = [](const Variable& y, const Variable&) {
                return y * Variable(waves({5, 1}, 0, 0)) + y;
            };
            const double step = 1e-5, above = second_derivative(c.layer, depth, step, first),
                         below = second_derivative(c.layer, depth, -step, first);
            EXPECT_NEAR((above - below) / (2 * step), expected, 1e-5 * (1 + std::abs(expected)))
                << c.name << " " << depth;
        }
    }
}

TEST(NestedGrad, of_a_function_of_ones_own_below_grad_is_right) {
    const auto product = custom_function(
        "nested_product", [](const Variable& a) { return tanh(a) * a; },
        [](const Variable& a, const Variable&, const Variable& gy) {
            const auto on = force_backprop_mode();
            const Variable z(a.array());  // Of tanh(z) * a, whose a has a history that the walk
                                          // around this one has reached.
            return grad({tanh(z) * a}, {z}, {gy})[0] + gy * tanh(a);
        });
    const auto gradient = [&](bool by_grad) {
        const Variable x(waves({3, 4}, 1, 1));
        const Variable s = sin(x * 1.5), y = sum(sin(sin(sin(product(s)))) * s);
        if (by_grad) return grad({y}, {x})[0].array().to_vector<double>();
        y.backward();
        return x.grad().to_vector<double>();
    };
    const std::vector<double> expected = gradient(false), actual = gradient(true);
    for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12);
}

TEST(NestedGrad, takes_nodes_in_proportion_to_the_depth) {
    const auto nodes = [](int depth) {
        struct Count final : FunctionHook {
            std::string name() const override { return "count"; }
            void forward_preprocess(const OpDef&, std::span<const Variable* const>) override {
                ++calls;
            }
            int64_t calls = 0;
        } count;
        const Variable gamma(waves({4}, 5, 1)), beta(waves({4}, 6, 1)), x(waves({3, 4}, 1, 1));
        Variable h = x;
        for (int k = 0; k < depth; ++k) h = tanh(layer_normalization(h, gamma, beta));
        const Variable first = grad({sum(h)}, {x}, {}, {.enable_double_backprop = true})[0];
        const FunctionHookScope scope(count);
        grad({sum(square(first))}, {x}, {}, {.enable_double_backprop = true});
        return count.calls;
    };
    const int64_t of_2 = nodes(2), of_4 = nodes(4), of_8 = nodes(8);
    EXPECT_LT(of_8 - of_4, 3 * (of_4 - of_2));
}

}  // namespace
}  // namespace catena::testing
