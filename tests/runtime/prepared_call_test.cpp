// A prepared call computes the same bits as the op's kernel, in the memory that it asked for.
#include "runtime/ops/declare/preparation.h"

#include <cstring>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/random/random.h"

namespace catena {
namespace {

struct Case {
    const char* op;
    Shape a, b, bias, result;  ///< A bias of rank 0: none.
    MemoryOrder order = MemoryOrder::row_major;
    int64_t stride = 1, pad = 1, groups = 1;
    Dims size = {};
    Dtype dtype = Dtype::float32;
};

// By oneDNN with converted operands, as they are, in groups; by tiles; as products; of several
// parts of the batch.
const Case cases[] = {
    {"convolution", {2, 3, 17, 17}, {20, 3, 5, 5}, {}, {2, 20, 15, 15}},
    {"convolution",
     {2, 24, 9, 9},
     {40, 24, 3, 3},
     {},
     {2, 40, 5, 5},
     MemoryOrder::channels_last,
     2},
    {"convolution",
     {2, 24, 9, 9},
     {24, 1, 3, 3},
     {},
     {2, 24, 9, 9},
     MemoryOrder::row_major,
     1,
     1,
     24},
    {"convolution",
     {4, 64, 32, 32},
     {64, 64, 3, 3},
     {},
     {4, 64, 32, 32},
     MemoryOrder::channels_last},
    {"convolution",
     {2, 8, 16, 16},
     {12, 8, 1, 1},
     {},
     {2, 12, 16, 16},
     MemoryOrder::row_major,
     1,
     0},
    {"convolution_bias", {2, 3, 17, 17}, {20, 3, 5, 5}, {20}, {2, 20, 15, 15}},
    {"convolution_data",
     {2, 20, 15, 15},
     {20, 3, 5, 5},
     {},
     {2, 3, 17, 17},
     MemoryOrder::row_major,
     1,
     1,
     1,
     {17, 17}},
    {"convolution_data",
     {2, 40, 5, 5},
     {40, 24, 3, 3},
     {},
     {2, 24, 9, 9},
     MemoryOrder::channels_last,
     2,
     1,
     1,
     {9, 9}},
    {"convolution_weights",
     {10, 3, 40, 40},
     {10, 20, 38, 38},
     {},
     {20, 3, 5, 5},
     MemoryOrder::row_major,
     1,
     1,
     1,
     {5, 5}},
    {"convolution_weights",
     {7, 128, 8, 8},
     {7, 128, 4, 4},
     {},
     {128, 128, 3, 3},
     MemoryOrder::channels_last,
     2,
     1,
     1,
     {3, 3}},
};

Array made(const Case& c, const Shape& shape, uint64_t seed) {
    const Array array = Array::empty({c.dtype, shape}, cpu_device());
    if (c.dtype == Dtype::float32)
        fill_normal(RandomStream{seed, 0}, array.to_fill<float>(), array.size());
    return shape.rank() == 4 && &shape != &c.b ? array.view(shape, strides_in(c.order, shape), 0)
                                               : array;
}

struct Prepared {
    Case c;
    std::vector<Array> inputs, outputs;
    Attributes attributes;
    std::vector<std::byte> memory;

    explicit Prepared(const Case& given) : c(given) {
        const bool gives_weights = std::string_view(c.op) == "convolution_weights";
        inputs.push_back(made(c, c.a, 1));
        inputs.push_back(gives_weights ? made(c, Shape(c.b), 2) : made(c, c.b, 2));
        if (c.bias.rank() > 0) inputs.push_back(made(c, c.bias, 3));
        outputs.push_back(gives_weights ? Array::empty({c.dtype, c.result}, cpu_device())
                                        : made(c, c.result, 4));
        std::vector<Attributes::Entry> entries{{"stride", Dims{c.stride, c.stride}},
                                               {"pad", Dims{c.pad, c.pad}},
                                               {"dilate", Dims{1, 1}},
                                               {"groups", c.groups},
                                               {"cover_all", false}};
        if (!c.size.empty()) entries.push_back({"size", c.size});
        attributes = Attributes(std::move(entries));
    }
    KernelCall call() { return {*find_op(c.op), inputs, outputs, attributes, {}}; }

    std::vector<float> expected() {
        call().op.kernel(call());
        return outputs[0].to_vector<float>();
    }
    /// In memory of the size asked for, which holds anything at first.
    std::vector<float> result(PreparedCall& prepared) {
        memory.assign(prepared.scratch_bytes() + 64, std::byte(0xff));
        void* begin = memory.data();
        size_t bytes = memory.size();
        std::align(64, prepared.scratch_bytes(), begin, bytes);
        std::memset(outputs[0].to_fill(), 0xff, size_t(outputs[0].size()) * sizeof(float));
        prepared.run(call(), {static_cast<std::byte*>(begin), prepared.scratch_bytes()});
        return outputs[0].to_vector<float>();
    }
};

class PreparedConvolution : public ::testing::TestWithParam<Case> {
protected:
    void TearDown() override { set_thread_count(threads_); }
    const int threads_ = thread_count();
};

TEST_P(PreparedConvolution, has_the_bits_of_the_kernel_at_every_run_on_any_number_of_threads) {
    Prepared p(GetParam());
    const std::vector<float> expected = p.expected();
    const std::unique_ptr<PreparedCall> prepared = prepare(p.call());
    ASSERT_TRUE(prepared);
    for (const int threads : {1, 2, 2, 5, 1}) {
        set_thread_count(threads);
        EXPECT_EQ(p.result(*prepared), expected) << threads << " threads";
    }
}

TEST_P(PreparedConvolution,
       takes_nothing_from_the_pool_but_what_it_did_not_know_of_in_the_first_run) {
    Prepared p(GetParam());
    const std::unique_ptr<PreparedCall> prepared = prepare(p.call());
    set_thread_count(1);
    p.result(*prepared);
    if (prepared->scratch_bytes() == 0)
        GTEST_SKIP() << "computed without oneDNN's convolution, or without scratch memory";
    const size_t before = cpu_memory_statistics().allocations;
    std::vector<std::byte> memory(prepared->scratch_bytes() + 64);
    void* begin = memory.data();
    size_t bytes = memory.size();
    std::align(64, prepared->scratch_bytes(), begin, bytes);
    prepared->run(p.call(), {static_cast<std::byte*>(begin), prepared->scratch_bytes()});
    EXPECT_EQ(cpu_memory_statistics().allocations, before);
}

INSTANTIATE_TEST_SUITE_P(All, PreparedConvolution, ::testing::ValuesIn(cases),
                         [](const auto& info) {
                             return fmt::format("{}_{}", info.param.op, info.index);
                         });

TEST(PreparedCall, follows_other_memory_and_changed_elements) {
    Prepared p(cases[0]), q(cases[0]);
    fill_normal(RandomStream{9, 0}, q.inputs[0].to_fill<float>(), q.inputs[0].size());
    const std::vector<float> of_p = p.expected(), of_q = q.expected();
    const std::unique_ptr<PreparedCall> prepared = prepare(p.call());
    for (int i = 0; i < 8; ++i) {  // Weights are kept packed from the fifth use on.
        EXPECT_EQ(p.result(*prepared), of_p);
        EXPECT_EQ(q.result(*prepared), of_q);
    }
    EXPECT_NE(of_p, of_q);
}

TEST(PreparedCall, several_threads_each_have_their_own) {
    Prepared first(cases[0]);
    const std::vector<float> expected = first.expected();
    std::vector<std::thread> threads;
    std::vector<std::vector<float>> results(4);
    for (std::vector<float>& result : results)
        threads.emplace_back([&result] {
            Prepared mine(cases[0]);
            const std::unique_ptr<PreparedCall> prepared = prepare(mine.call());
            for (int i = 0; i < 20; ++i) result = mine.result(*prepared);
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<float>& result : results) EXPECT_EQ(result, expected);
}

TEST(PreparedCall, is_not_made_where_operands_would_be_converted_or_copied) {
    Case wide = cases[0];
    wide.dtype = Dtype::float64;
    EXPECT_FALSE(prepare(Prepared(wide).call()));

    Prepared turned(cases[0]);
    const Array& x = turned.inputs[0];
    Strides strides = x.strides();
    std::swap(strides[2], strides[3]);
    turned.inputs[0] = x.view(x.shape(), strides, 0);
    EXPECT_FALSE(prepare(turned.call()));

    Case empty = cases[0];
    empty.a[0] = empty.result[0] = 0;
    EXPECT_FALSE(prepare(Prepared(empty).call()));
}

TEST(PreparedCall, is_not_made_for_ops_that_declare_none) {
    std::vector<Array> none;
    const Attributes attributes;
    const OpDef op{.name = "an op of the tests", .id = 1'000'000'000};
    EXPECT_FALSE(prepare({op, none, none, attributes, {}}));
}

}  // namespace
}  // namespace catena
