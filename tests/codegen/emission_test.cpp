// Small regions whose code emission.*.test reads: each is run and compared here, and dumped and
// looked at there.
#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

void expect_the_bits_of_eager(const Function& function, const std::vector<Array>& arguments) {
    Region region(function, arguments);
    std::vector<Array> compiled = region.run();
    for (size_t i = 0; i < compiled.size(); ++i)
        EXPECT_EQ(compiled[i].to_vector<float>(), region.eager()[i].to_vector<float>())
            << "output " << i;
}

Array floats(const Shape& shape, uint32_t seed) {
    return random_array({Dtype::float32, shape}, seed);
}

std::vector<Variable> multiply_add(const std::vector<Variable>& v) { return {v[0] * v[1] + v[2]}; }

}  // namespace

TEST(emission, a_chain_with_a_tail) {
    expect_the_bits_of_eager(multiply_add, {floats({101}, 1), floats({101}, 2), floats({101}, 3)});
}

TEST(emission, a_chain_larger_than_the_caches) {
    const Shape large{3 << 20};
    expect_the_bits_of_eager(multiply_add, {floats(large, 1), floats(large, 2), floats(large, 3)});
}

TEST(emission, functions_by_polynomials) {
    expect_the_bits_of_eager(
        [](const std::vector<Variable>& v) -> std::vector<Variable> {
            return {tanh(exp(v[0])) + erf(v[0]) * log1p(exp(v[0]))};
        },
        {floats({101}, 1)});
}

TEST(emission, a_masked_exponential) {
    expect_the_bits_of_eager(
        [](const std::vector<Variable>& v) -> std::vector<Variable> {
            return {where(cast(v[1] > v[0], Dtype::float32), exp(v[0] * 40.0), v[1])};
        },
        {floats({101}, 1), floats({101}, 2)});
}

TEST(emission, maxima_of_rows) {
    expect_the_bits_of_eager(
        [](const std::vector<Variable>& v) -> std::vector<Variable> {
            return {max(v[0] * 2.0, Axes{1})};
        },
        {floats({5, 101}, 1)});
}

TEST(emission, a_broadcast_row_and_column) {
    expect_the_bits_of_eager(multiply_add,
                             {floats({6, 101}, 1), floats({101}, 2), floats({6, 1}, 3)});
}

}  // namespace catena::test
