#include "codegen/compiler/context_pool.h"

#include <thread>

#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

void compile_and_compare(int64_t size) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        return {tanh(x[0]) * 2.0 + x[0]};
    };
    const std::vector<Array> arguments{random_array({Dtype::float32, {size, 3}}, uint32_t(size))};
    const Region region(f, arguments);
    EXPECT_EQ(region.run()[0].shape(), arguments[0].shape());
}

}  // namespace

TEST(context_pool, programs_share_contexts) {
    const int64_t before = codegen::contexts_made();
    for (int64_t size = 1; size <= 2 * codegen::programs_per_context; ++size)
        compile_and_compare(size);
    EXPECT_LE(codegen::contexts_made() - before, 3);
    EXPECT_GE(codegen::contexts_made() - before, 1)
        << "a context keeps what it has seen, and is not used for ever";
}

TEST(context_pool, threads_compile_side_by_side) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            for (int64_t size = 1; size <= 20; ++size) compile_and_compare(100 * t + size);
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace catena::test
