// What users write to parameters and states: shapes in braces, `state = array`, `state += x`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/chain.h"
#include "frontend/link/state_operators.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/creation.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> elements(const Variable& x) { return x.array().to_vector<float>(); }

template <class E, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "no error";
}

struct Running : Link {
    Parameter W{initializers::Constant(2.0), {3}}, b{0.5, {3}, "b"}, scalar{1.0, {}};
    State mean{zeros({3})}, count{Array::scalar(0.f)};
    Running() {
        add_params({{"W", W}, {"b", b}, {"scalar", scalar}});
        add_persistent("mean", mean);
        add_persistent("count", count);
    }
    Variable operator()(const Variable& x) {
        mean = 0.5 * mean + 0.5 * x;
        count += 1.0;
        mean -= scalar;
        return x * W + b;
    }
};

TEST(Parameter, takes_shapes_in_braces) {
    const Running link;
    EXPECT_EQ(elements(link.W), (std::vector<float>{2, 2, 2}));
    EXPECT_EQ(elements(link.b), (std::vector<float>{0.5, 0.5, 0.5}));
    EXPECT_EQ(link.scalar.rank(), 0);
    const std::optional<Shape> some = Shape{2}, none;
    EXPECT_EQ(Parameter(1.0, some).shape(), Shape{2});
    EXPECT_FALSE(Parameter(1.0, none).is_initialized());
    EXPECT_FALSE(Parameter(1.0, std::nullopt, "W").is_initialized());
    EXPECT_FALSE(Parameter(initializers::One()).is_initialized());
}

TEST(State, takes_new_content_of_its_type) {
    Running link;
    VariableBody* const identity = link.mean.body();
    const Variable before = Variable(link.mean.array(), false);
    link.mean = Array::from<float>({1, 2, 3});
    EXPECT_EQ(link.mean.body(), identity);
    EXPECT_THAT(elements(link.mean), ElementsAre(1, 2, 3));
    EXPECT_THAT(elements(before), ElementsAre(0, 0, 0));
    link.W = link.W - 0.5 * link.mean;
    EXPECT_THAT(elements(link.W), ElementsAre(1.5, 1, 0.5));
    EXPECT_TRUE(link.W.requires_grad());
    EXPECT_THAT(
        message_of<ShapeError>([&] { link.mean = zeros({4}); }),
        AllOf(HasSubstr(
                  "/mean holds float32[3], the new value is float32[4]; shapes should be equal"),
              HasSubstr("state_assignment_test.cpp:")));
    EXPECT_THAT(message_of<DtypeError>([&] { link.W = zeros({3}, Dtype::float64); }),
                HasSubstr("/W holds float32[3]"));
    EXPECT_THAT(message_of<ShapeError>([&] { link.mean += zeros({2, 3}); }),
                HasSubstr("state_assignment_test.cpp:"));
    State empty;
    empty = Array::from<double>({7});
    EXPECT_EQ(to_string(empty.type()), "float64[1]");
}

TEST(State, is_assigned_by_compiled_regions_as_by_eager_code) {
    Running eager, compiled;
    auto region = static_graph(std::ref(compiled));
    for (int call = 1; call <= 4; ++call) {
        const Variable x = Array::from<float>({1.f * float(call), 2, 3});
        EXPECT_EQ(elements(eager(x)), elements(region(x)));
        EXPECT_EQ(elements(eager.mean), elements(compiled.mean));
        EXPECT_THAT(elements(compiled.count), ElementsAre(float(call)));
    }
}

}  // namespace
}  // namespace catena
