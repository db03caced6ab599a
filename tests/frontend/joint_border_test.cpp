// A gradient that reads arrays of its own, which are there at the backward only: forward may not
// wait for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

std::vector<Variable> decomposed(const Variable& a, const Variable& x) {
    const Svd f = svd(a, false);
    const Variable squashed = f.s / (absolute(f.s) + 1.0);
    return {f.u, f.vt, matmul(x, squashed * 2.0 - 1.0)};
}

TEST(JointBorder, of_a_gradient_with_arrays_of_its_own) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    auto f = static_graph(decomposed, "decomposed");
    for (int i = 0; i < 5; ++i) {
        const auto arguments = [&] {
            return std::pair(Variable(batch(i, 1, 3).array()),
                             Variable(batch(i + 9, 4, 1).array()));
        };
        const auto loss = [](const std::vector<Variable>& ys) {
            return sum(ys[0]) + sum(square(ys[1])) + sum(square(ys[2]));
        };
        const auto [a, x] = arguments();
        loss(f(a, x)).backward();
        const auto [b, z] = arguments();
        loss(decomposed(b, z)).backward();
        for (const auto& [compiled, eager] : {std::pair(a, b), std::pair(x, z)})
            for (size_t k = 0; k < size_t(eager.size()); ++k)
                EXPECT_NEAR(compiled.grad().to_vector<double>()[k],
                            eager.grad().to_vector<double>()[k], 1e-5)
                    << "call " << i << ", element " << k;
    }
    EXPECT_THAT(f.explain(), HasSubstr("backward, compiled together with forward"));
}

}  // namespace
}  // namespace catena::testing
