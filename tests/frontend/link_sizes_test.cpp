// Sizes of links and windows that cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/connection/convolution.h"
#include "frontend/link/connection/embed_id.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/normalization/layer_normalization.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/pooling/pooling.h"
#include "tests/reject/rejection.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

TEST(LinkSizes, negative_ones_are_named) {
    EXPECT_THAT(
        refusal<ValueError>([] { Linear(-3, 2); }),
        HasSubstr(
            "Linear: in_size must be positive, or 0 to take it from the first input, not -3"));
    EXPECT_THAT(refusal<ValueError>([] { Linear(3, -2); }),
                HasSubstr("Linear: out_size must be positive, not -2"));
    EXPECT_THAT(refusal<ValueError>([] { Convolution2D(-3, 2, 3); }),
                HasSubstr("in_channels must be positive"));
    EXPECT_THAT(refusal<ValueError>([] { LayerNormalization(-3); }),
                HasSubstr("LayerNormalization: size must be positive"));
    EXPECT_THAT(refusal<ValueError>([] { EmbedID(-3, 2); }),
                HasSubstr("EmbedID: in_size and out_size must be positive, not -3 and 2"));
    EXPECT_NO_THROW(Linear(0, 2));
}

TEST(LinkSizes, an_example_without_a_batch_axis_is_told_to_get_one) {
    Linear l(3, 2);
    const Array x = Array::zeros({Dtype::float32, {3}});
    EXPECT_THAT(refusal<ShapeError>([&] { l(x); }),
                HasSubstr("an axis for the batch and one for the features, it is float32[3]"));
}

TEST(LinkSizes, a_window_in_the_padding_alone_is_refused) {
    const Array x = Array::zeros({Dtype::float32, {1, 1, 4, 4}});
    EXPECT_THAT(refusal<ShapeError>([&] { max_pooling_2d(x, Dims{2}, {.pad = {5}}); }),
                HasSubstr("max_pooling: pad [5,5] should be less than the window [2,2]"));
    EXPECT_THAT(refusal<ShapeError>([&] { average_pooling_2d(x, 2, 2, 2); }),
                HasSubstr("should be less than the window"));
    EXPECT_NO_THROW(max_pooling_2d(x, Dims{2}, {.pad = {1}}));
}

}  // namespace
}  // namespace catena
