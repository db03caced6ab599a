// Bytes that programs take, not how fast they are.
#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

constexpr size_t one = 64 * 64 * sizeof(float);

Array square_matrix(uint32_t seed) {
    return random_array({Dtype::float32, {64, 64}}, seed, -0.1, 0.1);
}

}  // namespace

TEST(memory, a_map_writes_over_an_operand_that_nobody_reads_afterwards) {
    auto residual = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable h = x[0];
        for (int layer = 0; layer < 5; ++layer) h = h + tanh(matmul(h, x[1]));
        return {h};
    };
    std::vector<Array> arguments{square_matrix(1), square_matrix(2)};
    Region region(residual, arguments);
    // A layer's input and the product, over which the output is written.
    EXPECT_EQ(region.info().arena_bytes, 2 * one);
    expect_as_near_as_eager(residual, arguments, 64);
}

TEST(memory, what_is_read_later_is_not_written_over) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable a = matmul(x[0], x[1]), b = exp(a), c = matmul(b, x[1]);
        return {matmul(a, c)};
    };
    std::vector<Array> arguments{square_matrix(1), square_matrix(2)};
    EXPECT_EQ(Region(f, arguments).info().arena_bytes, 3 * one);
    expect_as_near_as_eager(f, arguments, 64);
}

TEST(memory, a_transposed_reader_needs_the_operand_whole) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable a = matmul(x[0], x[1]);
        return {matmul(a + transpose(a), x[1])};
    };
    std::vector<Array> arguments{square_matrix(1), square_matrix(2)};
    EXPECT_EQ(Region(f, arguments).info().arena_bytes, 2 * one);
    expect_as_near_as_eager(f, arguments, 64);
}

TEST(memory, the_terms_of_a_sum_of_products_are_not_stored) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable sum;
        for (size_t i = 0; i + 1 < x.size(); i += 2) {
            Variable term = matmul(x[i], x[i + 1], true, false);
            sum = sum.defined() ? sum + term : term;
        }
        return {sum * 2.0};
    };
    std::vector<Array> arguments;
    for (uint32_t i = 0; i < 16; ++i)
        arguments.push_back(random_array({Dtype::float32, {2, 128}}, i));
    Region region(f, arguments);
    size_t product = 128 * 128 * sizeof(float);
    EXPECT_LE(region.info().arena_bytes, product + 16 * 2 * 128 * sizeof(float));
    EXPECT_EQ(region.info().library_calls, 3) << "two concatenations and one product";
    expect_as_near_as_eager(f, arguments, 64);
}

}  // namespace catena::test
