// What kernels with several methods tell profiles (runtime/profile/method_span.h).
#include "runtime/profile/method_span.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/runtime/convolution_truth.h"

namespace catena {
namespace {

/// The names of all slices of this kind of work.
std::multiset<std::string> slices_of(const std::string& work) {
    std::multiset<std::string> names;
    for (const profile::LaneContent& lane : profile::content().lanes)
        for (const profile::Slice& slice : lane.slices)
            if (slice.label->category == work) names.insert(slice.label->name);
    return names;
}

using Names = std::multiset<std::string>;

TEST(MethodSpan, is_a_slice_and_the_last_one_is_asked_for_once) {
    profile::take_method();
    {
        const profile::MethodSpan unseen("test", "nobody looks");
    }
    EXPECT_EQ(profile::take_method(), nullptr) << "while nothing is recorded";
    const ProfileScope profiling;
    {
        const profile::MethodSpan first("test", "one way");
    }
    {
        const profile::MethodSpan second("test", "another", ", then a pass");
    }
    const profile::Label* const last = profile::take_method();
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->name, "another, then a pass");
    EXPECT_EQ(last->category, "test");
    EXPECT_EQ(profile::take_method(), nullptr);
    EXPECT_EQ(slices_of("test"), (Names{"another, then a pass", "one way"}));
}

TEST(MethodSpan, tells_how_eager_convolutions_and_their_gradients_are_computed) {
    const Case c(Images{8, 64, 64, 16, 16, 1, 1}, MemoryOrder::channels_last);
    const ProfileScope profiling;
    convolve(c.x, c.W, Array(), c.steps, c.y);
    EXPECT_EQ(slices_of("convolution, forward"), Names{"winograd 4x4"});
    convolve_data(c.gy, c.W, c.steps, c.gx);
    EXPECT_EQ(slices_of("convolution, images' gradient"), Names{"winograd 4x4"});
    convolve_weights(c.x, c.gy, c.steps, c.gW);
    EXPECT_EQ(slices_of("convolution, weights' gradient"), Names{"winograd 4x4"});
    element(c.x, 2, 5, 6, 9) = std::numeric_limits<float>::infinity();
    convolve(c.x, c.W, Array(), c.steps, c.y);
    EXPECT_EQ(slices_of("convolution, forward"), (Names{"winograd 4x4", "winograd 4x4", "library"}))
        << "both that were tried";
    ASSERT_NE(profile::take_method(), nullptr);
}

TEST(MethodSpan, names_float64_convolutions_too) {
    const Case c(Images{1, 3, 4, 6, 6, 1, 1}, MemoryOrder::row_major);
    const Array y = Array::empty({Dtype::float64, c.y.shape()}, cpu_device());
    const ProfileScope profiling;
    convolve(c.x.astype(Dtype::float64), c.W.astype(Dtype::float64), Array(), c.steps, y);
    EXPECT_EQ(slices_of("convolution, forward"), Names{"float64 as products"});
}

}  // namespace
}  // namespace catena
