// The walk over the products of two arrays' matrices (runtime/cpu/product/product_batches.h).
#include "runtime/cpu/product/product_batches.h"

#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/threads.h"

namespace catena {
namespace {

TEST(ProductBatches, tell_which_product_a_thread_computes_next) {
    for (const int threads : {1, 3}) {
        const testing::Threads scope(threads);
        const Array a = Array::zeros({Dtype::float32, {3, 5, 64, 40}}),
                    b = Array::zeros({Dtype::float32, {5, 40, 48}}),
                    y = Array::zeros({Dtype::float32, {3, 5, 64, 48}});
        struct Visit {
            ProductBatches::Place place;
            std::optional<ProductBatches::Place> next;
        };
        std::map<std::thread::id, std::vector<Visit>> visits;
        std::mutex mutex;
        ProductBatches(a, b, false, false, y)
            .for_each(
                [&](const ProductBatches::Place& at, const ProductBatches::Place* next, bool) {
                    const std::lock_guard lock(mutex);
                    visits[std::this_thread::get_id()].push_back(
                        {at, next ? std::optional(*next) : std::nullopt});
                });
        int64_t count = 0;
        for (const auto& [thread, of_thread] : visits)
            for (size_t i = 0; i < of_thread.size(); ++i, ++count) {
                const ProductBatches::Place& at = of_thread[i].place;
                EXPECT_EQ(at.y / (64 * 48), at.a / (64 * 40));
                EXPECT_EQ(at.b, at.a / (64 * 40) % 5 * 40 * 48);
                ASSERT_EQ(of_thread[i].next.has_value(), i + 1 < of_thread.size());
                if (!of_thread[i].next) continue;
                EXPECT_EQ(of_thread[i].next->a, of_thread[i + 1].place.a);
                EXPECT_EQ(of_thread[i].next->b, of_thread[i + 1].place.b);
                EXPECT_EQ(of_thread[i].next->y, of_thread[i + 1].place.y);
            }
        EXPECT_EQ(count, 15);
    }
}

}  // namespace
}  // namespace catena
