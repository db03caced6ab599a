// Lists of links as Chainer's lists, links from arrays, and lazy sizes of the links in families.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/activation/maxout.h"
#include "frontend/link/activation/swish.h"
#include "frontend/link/chain_list.h"
#include "frontend/link/connection/bias.h"
#include "frontend/link/connection/deformable_convolution.h"
#include "frontend/link/connection/depthwise_convolution.h"
#include "frontend/link/connection/embed_id.h"
#include "frontend/link/connection/inception_bn.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/connection/local_convolution.h"
#include "frontend/link/connection/mlp_convolution.h"
#include "frontend/link/connection/simplified_dropconnect.h"
#include "frontend/link/normalization/batch_renormalization.h"
#include "frontend/link/normalization/group_normalization.h"
#include "frontend/link/parameter_link.h"
#include "frontend/link/sequential.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Variable ones_of(const Shape& shape) { return Variable(Array::full({Dtype::float32, shape}, 1)); }

std::string message_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string shape_of(const Link& link, const std::string& path) {
    for (auto& [each, param] : link.namedparams())
        if (each == path) return param->is_initialized() ? to_string(param->shape()) : "none";
    return "no such parameter";
}

TEST(LinkContainers, a_list_replaces_a_link_under_its_name) {
    ChainList list(Linear(2, 3), Linear(3, 4));
    list.replace(0, Linear(5, 3));
    EXPECT_EQ(shape_of(list, "/0/W"), "[3,5]");
    EXPECT_EQ(list[0].name(), "0");
    EXPECT_THAT(message_of([&] { list.replace(2, Linear(1, 1)); }),
                HasSubstr("there is no link 2, it has 2"));
}

TEST(LinkContainers, sequentials_are_added_and_searched) {
    Sequential a{Linear(2, 3)}, b{Linear(3, 4), Linear(4, 5)};
    Sequential both = a + b;
    EXPECT_EQ(both.size(), 3u);
    EXPECT_EQ(shape_of(both, "/2/W"), "[5,4]");
    EXPECT_EQ(both.index(both[1]), 1u);
    EXPECT_TRUE(both.contains(both[2]));
    EXPECT_FALSE(both.contains(b[0]));  // It has copies.
    EXPECT_THAT(message_of([&] { both.index(b[0]); }), HasSubstr("is none of its layers"));
    a += b;
    EXPECT_EQ(a.size(), 3u);
}

TEST(LinkContainers, links_are_made_from_arrays) {
    const Array W = Array::full({Dtype::float64, {3, 2}}, 0.5),
                b = Array::full({Dtype::float64, {3}}, 1);
    EXPECT_THAT(Linear::from_params(W, b)(ones_of({1, 2})).array().to_vector<double>(),
                ElementsAre(2, 2, 2));
    EXPECT_EQ(Linear::from_params(W).params().size(), 1u);
    EXPECT_THAT(EmbedID::from_params(W)(Variable(Array::from<int32_t>({2}), false))
                    .array()
                    .to_vector<double>(),
                ElementsAre(0.5, 0.5));
    const Array filter = Array::full({Dtype::float32, {4, 2, 3, 3}}, 1);
    EXPECT_EQ(to_string(Convolution2D::from_params(filter, {},
                                                   {.pad = 1, .groups = 2})(ones_of({1, 4, 5, 5}))
                            .shape()),
              "[1,4,5,5]");
    EXPECT_THAT(message_of([&] { Convolution2D::from_params(W); }),
                HasSubstr("Convolution2D: W should have 4 axes"));
    EXPECT_THAT(ParameterLink(b)().array().to_vector<double>(), ElementsAre(1, 1, 1));
}

TEST(LinkContainers, links_take_missing_sizes_from_the_first_input) {
    const auto shape = [](auto link, const Shape& x, const std::string& path) {
        link(ones_of(x));
        return shape_of(link, path);
    };
    EXPECT_EQ(shape(Convolution1D(0, 4, 3), {1, 2, 5}, "/W"), "[4,2,3]");
    EXPECT_EQ(shape(Deconvolution3D(std::nullopt, 4, 2), {1, 2, 2, 2, 2}, "/W"), "[2,4,2,2,2]");
    EXPECT_EQ(shape(DepthwiseConvolution2D(0, 3, 2), {1, 2, 4, 4}, "/b"), "[6]");
    EXPECT_EQ(shape(LocalConvolution2D(3, 2, {.stride = 2}), {1, 2, 6, 4}, "/W"), "[3,3,2,2,2,2]");
    EXPECT_EQ(shape(DeformableConvolution2D(0, 3, 2), {1, 2, 4, 4}, "/offset_conv/W"), "[8,2,2,2]");
    EXPECT_EQ(shape(MLPConvolution2D(0, {3, 2}, 2), {1, 2, 4, 4}, "/0/W"), "[3,2,2,2]");
    EXPECT_EQ(shape(InceptionBN(0, {2, 1, 2, 1, 2, "max", 1}), {1, 3, 4, 4}, "/conv1/W"),
              "[2,3,1,1]");
    EXPECT_EQ(shape(SimplifiedDropconnect(0, 3), {2, 2, 2}, "/W"), "[3,4]");
    EXPECT_EQ(shape(Maxout(0, 3, 2), {2, 4}, "/linear/W"), "[6,4]");
    EXPECT_EQ(shape(Swish(), {2, 3, 4}, "/beta"), "[3,4]");
    EXPECT_EQ(shape(GroupNormalization(2), {2, 4, 3}, "/gamma"), "[4]");
}

TEST(LinkContainers, wrong_options_are_named) {
    EXPECT_THAT(message_of([] { ConvolutionND(4, 1, 1, 1); }),
                HasSubstr("ConvolutionND: ndim is 4"));
    EXPECT_THAT(message_of([] { Deconvolution1D(1, 1, 1, {.cover_all = true}); }),
                HasSubstr("Deconvolution1D: cover_all"));
    EXPECT_THAT(message_of([] { Convolution3D(1, 1, 2)(ones_of({1, 1, 4, 4})); }),
                HasSubstr("Convolution3D: x should be [N, C, D, H, W], it is float32[1,1,4,4]"));
    EXPECT_THAT(message_of([] { InceptionBN(3, {1, 1, 1, 1, 1, "mean"}); }),
                HasSubstr("pooltype is 'mean'"));
    EXPECT_THAT(message_of([] { InceptionBN(3, {1, 1, 1, 1, 1, "max", 2, 2}); }),
                HasSubstr("needs stride 1, not 2"));
    EXPECT_THAT(message_of([] { Bias(1)(ones_of({1, 2})); }),
                HasSubstr("Bias: has no b of its own"));
    EXPECT_THAT(message_of([] { BatchRenormalization(2, 1, 0, {.axis = {0}})(ones_of({1, 2})); }),
                HasSubstr("no option axis"));
    EXPECT_THAT(message_of([] { LocalConvolution2D(3, 5)(ones_of({1, 1, 4, 4})); }),
                HasSubstr("does not fit into [4,4]"));
}

}  // namespace
}  // namespace catena
