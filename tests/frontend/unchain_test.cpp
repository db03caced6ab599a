// unchain() inside a region: the program has the gradients that eager code has.
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace catena {
namespace {

using VariableList = std::vector<Variable>;

std::vector<std::vector<double>> gradients(bool compiled) {
    auto use = using_config(&Config::use_static_graph, compiled);
    const Variable x(Array::from({1.0, 2.0})), w(Array::from({3.0, 5.0}));
    auto region = static_graph([&](const Variable& x, const Variable& w) {
        const Variable h = x * w, y = sum(h * h * w);
        h.unchain();
        Variables g = grad(VariableList{y, sum(x * 1.0)}, VariableList{x, w, h});
        return VariableList(g.begin(), g.end());
    });
    std::vector<std::vector<double>> found;
    for (int call = 0; call < 3; ++call)
        for (const Variable& g : region(x, w)) found.push_back(g.array().to_vector<double>());
    return found;
}

TEST(Unchain, a_compiled_region_cuts_where_eager_code_does) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const auto eager = gradients(false);
    EXPECT_EQ(eager[0], (std::vector<double>{1, 1}));     // x is reached by the other sum alone,
    EXPECT_EQ(eager[1], (std::vector<double>{9, 100}));   // w by the last product,
    EXPECT_EQ(eager[2], (std::vector<double>{18, 100}));  // and h is a leaf.
    EXPECT_EQ(gradients(true), eager);
}

TEST(Unchain, the_result_of_a_region_can_be_unchained_after_use) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    auto region = static_graph([](const Variable& x) { return std::pair(x * 2.0, x * 3.0); });
    for (int call = 0; call < 3; ++call) {
        const Variable x(Array::from({1.0, 2.0}));
        auto [a, b] = region(x);
        const Variable y = sum(a * 5.0 + b * 7.0);
        a.unchain();
        y.backward();
        EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{21, 21}));
        EXPECT_EQ(a.grad().to_vector<double>(), (std::vector<double>{5, 5}));
    }
}

}  // namespace
}  // namespace catena
