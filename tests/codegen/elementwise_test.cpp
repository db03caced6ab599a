#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/math.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

Array f32(const Shape& shape, uint32_t seed = 1) {
    return random_array({Dtype::float32, shape}, seed);
}

std::vector<Variable> chain(const std::vector<Variable>& x) {
    return {relu(x[0] + x[1]) * exp(x[0])};
}

}  // namespace

TEST(elementwise, a_chain_is_one_kernel) {
    Region region(chain, {f32({37, 5}), f32({37, 5}, 2)});
    EXPECT_EQ(region.info().kernels, 1);
    EXPECT_EQ(region.info().steps, 1);
    EXPECT_EQ(region.info().library_calls, 0);
}

TEST(elementwise, every_size_gives_what_eager_gives) {
    for (int64_t n : {0, 1, 3, 16, 17, 63, 64, 65, 1000, 1024, 1025, 100000})
        expect_as_near_as_eager(chain, {f32({n}), f32({n}, 2)});
}

TEST(elementwise, operands_broadcast) {
    for (const auto& [a, b] : std::vector<std::pair<Shape, Shape>>{{{4, 33}, {33}},
                                                                   {{4, 33}, {4, 1}},
                                                                   {{4, 33}, {1, 1}},
                                                                   {{4, 33}, {}},
                                                                   {{2, 3, 4, 5}, {3, 1, 5}},
                                                                   {{2, 3, 4, 5}, {2, 1, 1, 5}},
                                                                   {{1, 7}, {5, 1}},
                                                                   {{3, 1, 2}, {4, 1}}})
        expect_as_near_as_eager(chain, {f32(a), f32(b, 2)});
}

TEST(elementwise, inputs_may_be_seen_transposed) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        return {transpose(x[0]) * 2.0 + x[1], transpose(exp(x[0]))};
    };
    expect_as_near_as_eager(f, {f32({19, 35}), f32({35, 19}, 2)});
}

TEST(elementwise, strided_arguments_are_read_right) {
    Array wide = f32({19, 35});
    Array view = wide.view({35, 19}, {1, 35}, 0);
    Region region(chain, {view, f32({35, 19}, 2)});
    Array got = region.run()[0];
    EXPECT_EQ(got.to_vector<float>().size(), size_t(35 * 19));
    expect_as_near_as_eager(chain, {view, f32({35, 19}, 2)});
}

TEST(elementwise, every_dtype_computes) {
    for (int a = 0; a < dtype_count; ++a)
        for (int b = 0; b < dtype_count; ++b) {
            SCOPED_TRACE(std::string(name_of(Dtype(a))) + " and " + std::string(name_of(Dtype(b))));
            auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
                Variable sum = x[0] + x[1];
                return {sum, sum * x[1], maximum(x[0], x[1]), x[0] > x[1]};
            };
            expect_as_near_as_eager(f, {random_array({Dtype(a), {67}}, 1, 0, 60),
                                        random_array({Dtype(b), {67}}, 2, 0, 60)});
        }
}

TEST(elementwise, narrow_integers_wrap_between_fused_ops) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        return {cast(x[0] * x[0], Dtype::int64) + 1};
    };
    expect_as_near_as_eager(f, {Array::from<int8_t>({100, -100, 127, -128, 3}, {5})});
}

TEST(elementwise, nan_and_infinity_stay) {
    float nan = NAN, inf = INFINITY;
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        return {relu(x[0]), maximum(x[0], x[1]), minimum(x[0], x[1]), exp(x[0]),
                tanh(x[0]), log(x[0]),           x[0] / x[1]};
    };
    expect_as_near_as_eager(f, {Array::from<float>({nan, 1, inf, -inf, 0, nan}, {6}),
                                Array::from<float>({1, nan, -inf, inf, 0, nan}, {6})});
}

TEST(elementwise, another_size_compiles_nothing) {
    Region first(chain, {f32({30, 50}), f32({50}, 2)});
    int before = compiler().kernels_compiled();
    Region second(chain, {f32({31, 77}), f32({77}, 2)});
    second.run();
    EXPECT_EQ(compiler().kernels_compiled(), before);
}

TEST(elementwise, scalars_are_read_at_every_call) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> { return {x[0] * 3.0}; };
    Region region(f, {f32({10})});
    ASSERT_EQ(region.trace().scalars.size(), 1u);
    std::vector<double> scalars{5.0};
    std::vector<Array> inputs{f32({10})}, outputs(1);
    bool donated[] = {false};
    region.executable().run(inputs, scalars, donated, outputs);
    EXPECT_FLOAT_EQ(outputs[0].to_vector<float>()[3], inputs[0].to_vector<float>()[3] * 5);
}

TEST(elementwise, an_output_that_is_an_input_is_that_array) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        return {x[0], reshape(x[0], {10}), x[0] + 1.0};
    };
    Array x = f32({2, 5});
    Region region(f, {x});
    std::vector<Array> outputs = region.run();
    EXPECT_EQ(outputs[0], x);
    EXPECT_NE(outputs[1].storage(), x.storage());
    EXPECT_EQ(outputs[1].to_vector<float>(), x.to_vector<float>());
}

}  // namespace catena::test
