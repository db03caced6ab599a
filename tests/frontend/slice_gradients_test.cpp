// Gradients of an array that is read slice by slice, as loops over time steps do: compiled they are
// put side by side (join-calls), eagerly they are added up.
#include <functional>

#include <gtest/gtest.h>

#include "frontend/catena.h"

namespace catena::testing {
namespace {

Variable numbers(const Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(int(i * 37 % 101) - 50) / 25;
    return Variable(Array::from(values, shape), true);
}

using Reads = std::function<std::vector<Variable>(const Variable&)>;

std::vector<float> gradient(const Reads& reads, bool compiled) {
    const Variable x = numbers({6, 5, 4});
    auto step = [&](const Variable& v) {
        Variable sum = mean(v);
        for (const Variable& part : reads(v)) sum = sum + mean(square(part) * tanh(part));
        return grad({sum}, {v})[0];
    };
    auto region = static_graph(step, "slices");
    return (compiled ? region(x) : step(x)).array().to_vector<float>();
}

void expect_equal(const Reads& reads) {
    const std::vector<float> eager = gradient(reads, false), compiled = gradient(reads, true);
    ASSERT_EQ(eager.size(), compiled.size());
    for (size_t i = 0; i < eager.size(); ++i) EXPECT_NEAR(compiled[i], eager[i], 1e-6) << i;
}

TEST(SliceGradients, of_all_steps_of_a_loop) {
    expect_equal([](const Variable& v) {
        std::vector<Variable> parts;
        for (int64_t t = 0; t < 6; ++t) parts.push_back(v[{t}]);
        return parts;
    });
}

TEST(SliceGradients, of_some_steps_in_any_order) {
    expect_equal([](const Variable& v) { return std::vector<Variable>{v[{4}], v[{1}], v[{2}]}; });
}

TEST(SliceGradients, of_steps_read_twice) {
    expect_equal(
        [](const Variable& v) { return std::vector<Variable>{v[{0}], v[{1}], v[{1}], v[{2}]}; });
}

TEST(SliceGradients, of_slices_along_two_axes) {
    expect_equal([](const Variable& v) {
        return std::vector<Variable>{v[{0}], v[{1}], slice_axis(v, 1, 0, 2), slice_axis(v, 1, 2, 3),
                                     slice_axis(v, 2, 1, 2)};
    });
}

}  // namespace
}  // namespace catena::testing
