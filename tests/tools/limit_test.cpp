// What `catena bench --limit` counts: products and convolutions by their forms, and the arrays that
// everything else must move.
#include <gtest/gtest.h>

#include "benchmarks/limit/library_time.h"
#include "benchmarks/limit/traffic.h"
#include "frontend/catena.h"
#include "runtime/graph/call/recorder.h"
#include "tools/catena/limit.h"

namespace catena::tool {
namespace {

Variable filled(Shape shape) { return Variable(Array::full({Dtype::float32, shape}, 0.5), false); }

TEST(Limit, pointwise_operations_move_what_they_share_with_products_and_the_outside) {
    const Variable x = filled({8, 16}), w = filled({16, 4}), b = filled({4});
    Variable y;
    const Traffic traffic = traffic_of([&] { y = tanh(relu(matmul(x, w) + b)) * 2.0; },
                                       [&] { return std::vector<Array>{y.array()}; });
    ASSERT_EQ(traffic.products.size(), 1u);
    EXPECT_EQ(traffic.products[0].times, 1);
    EXPECT_EQ(traffic.products[0].operations, 2.0 * 8 * 16 * 4);
    EXPECT_EQ(traffic.products[0].bytes(), 4.0 * (8 * 16 + 16 * 4 + 8 * 4));
    // The product's result, b and y; nothing between relu, tanh and the last multiplication.
    EXPECT_EQ(traffic.bytes, 4.0 * (8 * 4 + 4 + 8 * 4));
}

TEST(Limit, equal_products_are_one_form_that_is_called_often) {
    const Variable x = filled({8, 8}), w = filled({8, 8});
    Variable y = x;
    const Traffic traffic = traffic_of(
        [&] {
            for (int i = 0; i < 5; ++i) y = matmul(y, w);
            y = matmul(y, filled({8, 2}));
        },
        [&] { return std::vector<Array>{y.array()}; });
    ASSERT_EQ(traffic.products.size(), 2u);
    EXPECT_EQ(traffic.products[0].times + traffic.products[1].times, 6);
    EXPECT_EQ(traffic.bytes, 0);  // Products read and write for themselves.
}

TEST(Limit, a_value_for_a_product_is_written_and_views_are_free) {
    const Variable x = filled({4, 6}), w = filled({4, 3});
    Variable y;
    const Traffic traffic = traffic_of([&] { y = matmul(transpose(exp(x)), w); },
                                       [&] { return std::vector<Array>{y.array()}; });
    EXPECT_EQ(traffic.bytes,
              4.0 * (4 * 6 + 4 * 6));  // x is read, exp(x) written; its transpose is a view.
}

TEST(Limit, of_an_embedding_the_rows_count_that_are_read) {
    const Variable w = filled({1000, 8});
    const Variable ids(Array::from<int32_t>({1, 7, 7}), false);
    Variable y;
    const Traffic traffic = traffic_of([&] { y = embed_id(ids, w) * 2.0; },
                                       [&] { return std::vector<Array>{y.array()}; });
    EXPECT_LT(traffic.bytes, 4.0 * 1000);
    EXPECT_GE(traffic.bytes, 4.0 * (3 * 8 + 3 * 8));
}

TEST(Limit, a_new_content_of_a_state_is_written) {
    Variable state = filled({32});
    state.set_name("state");
    const Traffic traffic = traffic_of([&] { assign(state, state * 2.0); }, nullptr);
    EXPECT_EQ(traffic.bytes, 4.0 * (32 + 32));
}

TEST(Limit, a_weight_is_read_from_memory_once_and_a_result_never) {
    const Variable x = filled({2, 8}), w = filled({8, 8});
    Variable y;
    const Traffic traffic = traffic_of([&] { y = matmul(matmul(relu(x), w), transpose(w)); },
                                       [&] { return std::vector<Array>{y.array()}; });
    EXPECT_EQ(traffic.first_read(), 4.0 * 8 * 8);
}

TEST(Limit, a_recurrent_layer_multiplies_at_every_step) {
    constexpr int64_t units = 8, rows = 5 + 3;
    const NStepLSTM lstm(1, 6, units, 0.0);
    const Variable first = filled({5, 6}), second = filled({3, 6});
    Variable y;
    const auto forward = [&] { y = sum(lstm({}, {}, {first, second}).ys[0]); };
    const Traffic traffic = traffic_of(forward, [&] { return std::vector<Array>{y.array()}; });
    double operations = 0;
    for (const ProductCall& call : traffic.products) {
        operations += call.times * call.operations;
        EXPECT_GT(fastest_seconds(call), 0)
            << call.op->name << ", with the lengths that it was called with";
    }
    EXPECT_EQ(operations, 2.0 * rows * 4 * units * (6 + units));
    const Traffic with_gradients = traffic_of([&] { forward(), y.backward(); }, nullptr);
    double all = 0;
    for (const ProductCall& call : with_gradients.products) all += call.times * call.operations;
    EXPECT_EQ(all, 2.0 * rows * 4 * units * (6 + units + 6 + 2 * units)) << "nothing flows to x";
}

TEST(Limit, of_a_workload_has_both_parts) {
    const Limit limit = limit_of(find_workload("lenet"));
    EXPECT_GT(limit.library_ms, 0);
    EXPECT_GT(limit.memory_ms, 0);
    // Of the layers' sizes: two convolutions and three products, forward, towards the weights and
    // (but the first) the data.
    const double forward =
        2.0 * 64 * (28 * 28 * 6 * 25 + 10 * 10 * 16 * 6 * 25 + 400 * 120 + 120 * 84 + 84 * 10);
    const double first = 2.0 * 64 * 28 * 28 * 6 * 25;
    EXPECT_NEAR(limit.product_operations, 3 * forward - first, 0.001 * forward);
    EXPECT_GT(limit.bytes, 0);
}

}  // namespace
}  // namespace catena::tool
