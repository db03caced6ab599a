// Prepared matrix products: the bits of the kernel, in the memory asked for.
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/random/random.h"
#include "runtime/cpu/product/sgemm.h"
#include "runtime/ops/declare/preparation.h"

namespace catena {
namespace {

struct Case {
    bool transa, transb;
    Shape a, b, y;
    bool has_row = false;
};

const Case cases[] = {
    {false, false, {5, 7}, {7, 9}, {5, 9}},
    {true, false, {7, 5}, {7, 9}, {5, 9}},
    {false, true, {300, 200}, {400, 200}, {300, 400}},
    {false, true, {20, 9000}, {12, 9000}, {20, 12}},   // Few rows.
    {false, false, {20, 9000}, {9000, 70}, {20, 70}},  // Deep: sums of pieces.
    {false,
     false,
     {40, 6, 8},
     {40, 8, 10},
     {40, 6, 10}},  // Many small ones, divided among threads.
    {true, true, {3, 1, 8, 6}, {2, 10, 8}, {3, 2, 6, 10}},  // Broadcast.
    {false, true, {30, 50}, {20, 50}, {30, 20}, true},
};

Array random_array(const Shape& shape, uint64_t seed) {
    const Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    fill_normal(RandomStream{seed, 0}, array.to_fill<float>(), array.size());
    return array;
}

struct Product {
    std::vector<Array> inputs, outputs;
    Attributes attributes;
    const OpDef& op;
    std::vector<std::byte> memory;

    explicit Product(const Case& c) : op(*find_op(c.has_row ? "linear" : "matmul")) {
        inputs = {random_array(c.a, 1), random_array(c.b, 2)};
        if (c.has_row) inputs.push_back(random_array({c.y[1]}, 3));
        outputs = {Array::empty({Dtype::float32, c.y}, cpu_device())};
        if (!c.has_row) attributes = Attributes{{"transa", c.transa}, {"transb", c.transb}};
    }
    KernelCall call() { return {op, inputs, outputs, attributes, {}}; }
    std::vector<float> expected() {
        op.kernel(call());
        return outputs[0].to_vector<float>();
    }
    std::span<std::byte> scratch(const PreparedCall& prepared) {
        size_t bytes = prepared.scratch_bytes() + 64;
        memory.assign(bytes, std::byte(0xff));
        void* begin = memory.data();
        std::align(64, prepared.scratch_bytes(), begin, bytes);
        return {static_cast<std::byte*>(begin), prepared.scratch_bytes()};
    }
};

class PreparedProduct : public ::testing::TestWithParam<Case> {
protected:
    void TearDown() override { set_thread_count(threads_); }
    const int threads_ = thread_count();
};

TEST_P(PreparedProduct, has_the_bits_of_the_kernel_and_takes_nothing_from_the_pool) {
    Product p(GetParam());
    const std::vector<float> expected = p.expected();
    const std::unique_ptr<PreparedCall> prepared = prepare(p.call());
    ASSERT_TRUE(prepared);
    for (const int threads : {1, 2, 5}) {
        set_thread_count(threads);
        std::memset(p.outputs[0].to_fill(), 0xff, size_t(p.outputs[0].size()) * sizeof(float));
        const std::span<std::byte> scratch = p.scratch(*prepared);
        const size_t before = cpu_memory_statistics().allocations;
        prepared->run(p.call(), scratch);
        EXPECT_EQ(cpu_memory_statistics().allocations, before);
        EXPECT_EQ(p.outputs[0].to_vector<float>(), expected) << threads << " threads";
    }
}

INSTANTIATE_TEST_SUITE_P(All, PreparedProduct, ::testing::ValuesIn(cases), [](const auto& info) {
    return fmt::format("{}{}_of_rank_{}_{}", info.param.transa ? "T" : "N",
                       info.param.transb ? "T" : "N", info.param.a.rank(), info.index);
});

TEST(PreparedProducts, wants_memory_for_the_pieces_of_a_deep_product) {
    Product deep(cases[4]), flat(cases[0]);
    EXPECT_EQ(prepare(deep.call())->scratch_bytes(), sgemm_scratch_bytes(20, 70, 9000));
    EXPECT_GE(prepare(deep.call())->scratch_bytes(), 2 * 20 * 70 * sizeof(float));
    EXPECT_EQ(prepare(flat.call())->scratch_bytes(), 0);
}

TEST(PreparedProducts, reads_a_transposed_view_in_place) {
    Product p(cases[0]);
    const Array turned = random_array({7, 5}, 4);
    p.inputs[0] = turned.view(Shape{5, 7}, Strides{1, 5}, 0);
    const std::vector<float> expected = p.expected();
    const std::unique_ptr<PreparedCall> prepared = prepare(p.call());
    ASSERT_TRUE(prepared);
    prepared->run(p.call(), {});
    EXPECT_EQ(p.outputs[0].to_vector<float>(), expected);
}

TEST(PreparedProducts, are_not_made_where_operands_would_be_converted_or_copied) {
    Product strided(cases[0]);
    strided.inputs[0] = random_array({10, 14}, 4).view(Shape{5, 7}, Strides{28, 2}, 0);
    EXPECT_FALSE(prepare(strided.call()));

    Product wide(cases[0]);
    wide.inputs[1] = wide.inputs[1].astype(Dtype::float64);
    EXPECT_FALSE(prepare(wide.call()));

    Product row(cases[7]);
    row.inputs[2] = random_array({40}, 4).view(Shape{20}, Strides{2}, 0);
    EXPECT_FALSE(prepare(row.call()));
}

}  // namespace
}  // namespace catena
