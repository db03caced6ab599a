#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/pooling/pooling.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

Array f32(const Shape& shape, uint32_t seed = 1) {
    return random_array({Dtype::float32, shape}, seed);
}

using Results = std::vector<Variable>;
using Given = const std::vector<Variable>&;

}  // namespace

TEST(library_call, a_network_of_matmuls_and_maps) {
    auto f = [](Given x) -> Results {
        Variable h = relu(linear(x[0], x[1], x[2]));
        return {softmax(linear(h, x[3], x[4])), h};
    };
    std::vector<Array> arguments{f32({20, 30}), f32({40, 30}, 2), f32({40}, 3), f32({10, 40}, 4),
                                 f32({10}, 5)};
    Region region(f, arguments);
    EXPECT_EQ(region.info().library_calls, 2);
    expect_as_near_as_eager(f, arguments, 16);
}

TEST(library_call, views_reach_kernels_and_calls) {
    auto f = [](Given x) -> Results {
        Variable t = transpose(x[0]);
        Variable part = slice_axis(x[0], 1, 3, 10, 2);
        return {matmul(t, x[0]),
                part * 2.0,
                reshape(t, {3, 65}) + 1.0,
                matmul(part, transpose(part)),
                flip(x[0], 1),
                sum(flip(x[0], 0), 0),
                concat({part, exp(part)}, 1)};
    };
    expect_as_near_as_eager(f, {f32({5, 39})}, 32);
}

TEST(library_call, convolution_and_pooling_between_kernels) {
    auto f = [](Given x) -> Results {
        Variable y = relu(convolution_2d(x[0], x[1], x[2]));
        return {max_pooling_2d(y, {2, 2}), sum(y, Axes{0, 2, 3}), y * 2.0};
    };
    expect_as_near_as_eager(f, {f32({2, 3, 8, 8}), f32({4, 3, 3, 3}, 2), f32({4}, 3)}, 32);
}

TEST(library_call, indices_are_data) {
    auto f = [](Given x) -> Results {
        return {embed_id(x[1], x[0]) * 2.0, take(x[0], x[1]), cast(x[1], Dtype::float32) + 0.5};
    };
    expect_as_near_as_eager(f, {f32({10, 4}), Array::from<int32_t>({3, 9, 0, 3}, {4})});
}

TEST(library_call, an_error_names_the_users_line) {
    auto f = [](Given x) -> Results { return {matmul(x[0] * 1.0, x[1])}; };
    Region region(f, {f32({4, 5}), f32({5, 6})});
    EXPECT_THROW(region.run({f32({4, 6}), f32({5, 6})}), ShapeError);
    EXPECT_THROW(region.run({random_array({Dtype::float64, {4, 5}}, 1), f32({5, 6})}), DtypeError);
}

TEST(library_call, temporaries_share_one_planned_block) {
    auto f = [](Given x) -> Results {
        Variable y = x[0];
        for (int i = 0; i < 20; ++i) y = relu(matmul(y, x[1]));
        return {y};
    };
    Region region(f, {f32({64, 64}), f32({64, 64}, 2)});
    EXPECT_LE(region.info().arena_bytes, size_t(3 * 64 * 64 * 4));
    for (int i = 0; i < 3; ++i) region.run();
    size_t before = cpu_memory_statistics().system_allocations;
    for (int i = 0; i < 10; ++i) region.run();
    EXPECT_EQ(cpu_memory_statistics().system_allocations, before);
}

}  // namespace catena::test
