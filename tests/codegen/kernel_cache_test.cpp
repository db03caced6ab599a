#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

class KernelCacheTest : public testing::Test {
protected:
    void TearDown() override { compiler().set_kernel_cache_limit(limit_); }
    const size_t limit_ = compiler().kernel_cache().limit;
};

std::vector<Variable> any_map(const std::vector<Variable>& x) {
    return {tanh(x[0]) * 3.0 + exp(x[0])};
}

}  // namespace

TEST_F(KernelCacheTest, beyond_its_bound_it_drops_kernels_that_programs_keep) {
    compiler().set_kernel_cache_limit(0);
    std::vector<Array> arguments{random_array({Dtype::float32, {100}}, 1)};
    Region region(any_map, arguments);
    EXPECT_EQ(compiler().kernel_cache().kernels, 0u);
    EXPECT_EQ(compiler().kernel_cache().bytes, 0u);
    EXPECT_GE(compiler().kernel_cache().dropped, 1);
    int before = compiler().kernels_compiled();
    {
        Region again(any_map, arguments);
        EXPECT_EQ(compiler().kernels_compiled(), before + 1);
    }
    EXPECT_EQ(region.run()[0].to_vector<float>(),
              Region(any_map, arguments).run()[0].to_vector<float>());
}

TEST_F(KernelCacheTest, within_its_bound_it_keeps_them) {
    std::vector<Array> arguments{random_array({Dtype::float32, {100}}, 1)};
    {
        Region region(any_map, arguments);
    }
    int before = compiler().kernels_compiled();
    Region region(any_map, arguments);
    EXPECT_EQ(compiler().kernels_compiled(), before);
    EXPECT_GT(compiler().kernel_cache().bytes, 0u);
    EXPECT_LE(compiler().kernel_cache().bytes, compiler().kernel_cache().limit);
}

}  // namespace catena::test
