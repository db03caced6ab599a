#include "runtime/core/memory/uncounted.h"

#include <gtest/gtest.h>

#include "runtime/core/array/array.h"

namespace catena {
namespace {

using Handles = Uncounted<Array, 2>;

/// The counts of references to arrays, while a list of them exists.
std::vector<uint32_t> counts_within(const std::vector<Array>& arrays) {
    const Handles handles(arrays.size(), [&](size_t i) { return arrays[i].body(); });
    std::vector<uint32_t> counts;
    for (const Array& each : std::span<const Array>(handles))
        counts.push_back(each.body()->use_count());
    return counts;
}

TEST(Uncounted, handles_count_no_references_in_place_and_on_the_heap) {
    std::vector<Array> arrays;
    for (int n = 0; n < 4; ++n) {
        EXPECT_EQ(counts_within(arrays), std::vector<uint32_t>(arrays.size(), 1));
        for (const Array& each : arrays) EXPECT_EQ(each.body()->use_count(), 1u);
        arrays.push_back(Array::zeros({Dtype::float32, {n}}));
    }
}

TEST(Uncounted, copies_of_handles_count_and_outlive_the_list) {
    const Array x = Array::full({Dtype::float32, {3}}, 2);
    Array copy;
    {
        const Handles handles(1, [&](size_t) { return x.body(); });
        copy = std::span<const Array>(handles)[0];
        EXPECT_EQ(x.body()->use_count(), 2u);
    }
    EXPECT_EQ(x.body()->use_count(), 2u);
    EXPECT_EQ(copy.to_vector<float>(), (std::vector<float>{2, 2, 2}));
}

}  // namespace
}  // namespace catena
