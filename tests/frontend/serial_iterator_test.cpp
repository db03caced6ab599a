#include "frontend/dataset/iterator/serial_iterator.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/dataset/split.h"
#include "frontend/dataset/take_rows.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

using ::testing::ElementsAre;

Array numbers(int n) {
    std::vector<int32_t> values(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) values[size_t(i)] = i;
    return Array::from(values, {n});
}

std::vector<int> elements(const Variable& v) { return v.array().to_vector<int>(); }

TEST(SerialIterator, gives_a_short_last_batch_when_it_does_not_repeat) {
    SerialIterator batches({numbers(5)}, 2, {.repeat = false, .shuffle = false});
    EXPECT_THAT(elements((*batches.next_batch())[0]), ElementsAre(0, 1));
    EXPECT_FALSE(batches.is_new_epoch());
    EXPECT_DOUBLE_EQ(batches.epoch_detail(), 0.4);
    EXPECT_THAT(elements((*batches.next_batch())[0]), ElementsAre(2, 3));
    EXPECT_THAT(elements((*batches.next_batch())[0]), ElementsAre(4));
    EXPECT_TRUE(batches.is_new_epoch());
    EXPECT_FALSE(batches.next_batch());
    batches.reset();
    EXPECT_THAT(elements((*batches.next_batch())[0]), ElementsAre(0, 1));
}

TEST(SerialIterator, fills_the_last_batch_from_the_next_epoch_when_it_repeats) {
    SerialIterator batches({numbers(3)}, 2, {.shuffle = false});
    batches.next_batch();
    EXPECT_THAT(elements((*batches.next_batch())[0]), ElementsAre(2, 0));
    EXPECT_EQ(batches.epoch(), 1);
    EXPECT_EQ(batches.current_position(), 1);
    SerialIterator large({numbers(2)}, 5, {.shuffle = false});
    EXPECT_THAT(elements((*large.next_batch())[0]), ElementsAre(0, 1, 0, 1, 0));
    EXPECT_EQ(large.epoch(), 2);
}

TEST(SerialIterator, shuffles_every_epoch_by_the_seed) {
    auto two_epochs = [] {
        SerialIterator batches({numbers(50)}, 50);
        return std::pair(elements((*batches.next_batch())[0]),
                         elements((*batches.next_batch())[0]));
    };
    set_seed(5);
    auto first = two_epochs();
    set_seed(5);
    EXPECT_EQ(two_epochs(), first);
    EXPECT_NE(first.first, first.second);
    EXPECT_EQ(std::set<int>(first.first.begin(), first.first.end()).size(), 50u);
    EXPECT_FALSE(std::is_sorted(first.first.begin(), first.first.end()));
}

TEST(SerialIterator, keeps_rows_of_several_arrays_together) {
    Array images = Array::from<float>(std::vector<float>{0, 0.5, 1, 1.5, 2, 2.5}, {3, 2});
    SerialIterator batches({images, numbers(3)}, 3);
    auto batch = *batches.next_batch();
    std::vector<float> rows = batch[0].array().to_vector<float>();
    std::vector<int> labels = elements(batch[1]);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(rows[2 * i], float(labels[i]));
        EXPECT_EQ(rows[2 * i + 1], float(labels[i]) + 0.5f);
    }
    EXPECT_FALSE(batch[0].requires_grad());
}

TEST(SerialIterator, every_place_of_a_permutation_is_as_likely) {
    set_seed(6);
    int counts[4][4] = {};
    for (int trial = 0; trial < 4000; ++trial) {
        auto order = random_permutation(4);
        for (int i = 0; i < 4; ++i) ++counts[i][order[size_t(i)]];
    }
    for (auto& row : counts)
        for (int count : row) EXPECT_NEAR(count, 1000, 130);  // More than four deviations.
}

TEST(SerialIterator, refuses_what_is_no_dataset) {
    EXPECT_THROW(SerialIterator({numbers(3), numbers(4)}, 2), ValueError);
    EXPECT_THROW(SerialIterator({numbers(3)}, 0), ValueError);
    EXPECT_THROW(SerialIterator({}, 1), ValueError);
    EXPECT_THROW(SerialIterator({numbers(0)}, 1), ValueError);
    EXPECT_THROW(SerialIterator({Array::scalar(1.0f)}, 1), ValueError);
    int64_t outside[] = {3};
    EXPECT_THROW(take_rows(numbers(3), outside), ValueError);
}

}  // namespace
}  // namespace catena
