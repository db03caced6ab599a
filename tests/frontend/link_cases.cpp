#include "tests/frontend/link_cases.h"

#include "frontend/link/activation/maxout.h"
#include "frontend/link/activation/prelu.h"
#include "frontend/link/activation/swish.h"
#include "frontend/link/connection/bilinear.h"
#include "frontend/link/connection/deformable_convolution.h"
#include "frontend/link/connection/depthwise_convolution.h"
#include "frontend/link/connection/highway.h"
#include "frontend/link/connection/inception.h"
#include "frontend/link/connection/inception_bn.h"
#include "frontend/link/connection/local_convolution.h"
#include "frontend/link/connection/mlp_convolution.h"
#include "frontend/link/connection/scale.h"
#include "frontend/link/connection/simplified_dropconnect.h"
#include "frontend/link/hooks/spectral_normalization.h"
#include "frontend/link/hooks/weight_standardization.h"
#include "frontend/link/normalization/batch_renormalization.h"
#include "frontend/link/normalization/decorrelated_batch_normalization.h"
#include "frontend/link/normalization/group_normalization.h"
#include "frontend/link/normalization/layer_normalization.h"
#include "frontend/serializer/npz.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/activation.h"

namespace catena::testing {
namespace {

template <class L, class Hook>
L hooked(L link, Hook hook) {
    link.add_hook(std::move(hook));
    return link;
}

SimplifiedDropconnect dropconnect() { return SimplifiedDropconnect(4, 3); }
Variable with_mask(SimplifiedDropconnect& link, const std::vector<Variable>& xs) {
    const NpzFile file(CATENA_SOURCE_DIR "/tests/conformance/chainer_links.npz");
    return link(xs[0], true, Variable(file.read("SimplifiedDropconnect/mask"), false));
}

std::vector<LinkCase> convolutions() {
    return {
        link_case("Convolution1D", Convolution1D(3, 4, 3, {.stride = 2, .pad = 1})),
        link_case(
            "Convolution2D",
            Convolution2D(4, 6, {3, 2}, {.stride = {1, 2}, .pad = 1, .dilate = 2, .groups = 2})),
        link_case("Convolution3D",
                  Convolution3D(2, 3, 2, {.stride = 2, .pad = 1, .cover_all = true})),
        link_case("ConvolutionND", ConvolutionND(2, 2, 3, 3, {.nobias = true})),
        link_case("Deconvolution1D", Deconvolution1D(3, 4, 3, {.stride = 2, .pad = 1})),
        link_case(
            "Deconvolution2D",
            Deconvolution2D(4, 2, 3, {.stride = 2, .pad = 1, .outsize = {8, 7}, .groups = 2})),
        link_case("Deconvolution3D", Deconvolution3D(2, 3, 2, {.stride = 2})),
        link_case("DeconvolutionND", DeconvolutionND(1, 2, 3, 3, {.stride = 2, .outsize = {9}})),
        link_case("DilatedConvolution2D", DilatedConvolution2D(3, 2, 3, {.pad = 2, .dilate = 2})),
        link_case("DepthwiseConvolution2D",
                  DepthwiseConvolution2D(3, 2, {2, 3}, {.stride = 2, .pad = 1})),
        link_case("LocalConvolution2D", LocalConvolution2D(2, 3, {5, 6}, {2, 3})),
        link_case("DeformableConvolution2D",
                  DeformableConvolution2D(2, 3, {3, 2}, {.stride = 2, .pad = 1})),
        link_case("Inception", Inception(4, {3, 2, 4, 2, 3, 2})),
        link_case("InceptionBN", InceptionBN(4, {3, 2, 4, 2, 3, "max", 2})),
        link_case("InceptionBN_avg", InceptionBN(4, {0, 2, 4, 2, 3, "avg", std::nullopt, 2})),
        link_case("MLPConvolution2D", MLPConvolution2D(3, {4, 2, 5}, 3, {.pad = 1})),
        link_case("MLPConvolution2D_sigmoid",
                  MLPConvolution2D(
                      3, {4, 2}, 2,
                      {.stride = 2, .activation = [](const Variable& x) { return sigmoid(x); }})),
    };
}

std::vector<LinkCase> others() {
    return {
        link_case("Bias", Bias(1, Shape{3})),
        pair_case("Bias_given", Bias(1)),
        link_case("Scale", Scale(1, Shape{3}, {.bias_term = true})),
        pair_case("Scale_given",
                  Scale(0, std::nullopt, {.bias_term = true, .bias_shape = Shape{2}})),
        pair_case("Bilinear", Bilinear(3, 4, 2)),
        pair_case("Bilinear_nobias", Bilinear(3, 4, 2, {.nobias = true})),
        link_case("Highway", Highway(4)),
        link_case(
            "Highway_tanh",
            Highway(4, {.nobias = true, .activate = [](const Variable& x) { return tanh(x); }})),
        link_case("SimplifiedDropconnect", dropconnect(), with_mask),
        link_case("PReLU", PReLU()),
        link_case("PReLU_channels", PReLU({3})),
        link_case("Swish", Swish(Shape{3, 4})),
        link_case("Maxout", Maxout(5, 3, 2)),
        link_case("GroupNormalization", GroupNormalization(2, 6)),
        link_case("BatchNormalization", BatchNormalization(3), true, 2),
        link_case("BatchRenormalization", BatchRenormalization(3, 2, 0.5), true, 2),
        link_case("BatchRenormalization_test", BatchRenormalization(3, 2, 0.5), false, 2),
        link_case("DecorrelatedBatchNormalization",
                  DecorrelatedBatchNormalization(6, {.groups = 2, .eps = 0.01}), true, 2),
        link_case("DecorrelatedBatchNormalization_test",
                  DecorrelatedBatchNormalization(6, {.groups = 2}), false),
        link_case("WeightStandardization",
                  hooked(Convolution2D(3, 4, 3), link_hooks::WeightStandardization())),
        link_case("SpectralNormalization",
                  hooked(Linear(4, 3), link_hooks::SpectralNormalization()), true, 3),
        link_case("SpectralNormalization_gamma",
                  hooked(Convolution2D(3, 4, 3),
                         link_hooks::SpectralNormalization(
                             {.n_power_iteration = 2, .use_gamma = true, .factor = 2.0})),
                  true, 2),
        link_case("SpectralNormalization_transposed",
                  hooked(Deconvolution2D(3, 4, 3), link_hooks::SpectralNormalization()), false),
    };
}

/// What the cases above leave at its default.
std::vector<LinkCase> options() {
    const auto finetuned = [](BatchNormalization& l, const std::vector<Variable>& xs) {
        return l(xs[0], true);
    };
    const auto words = [](Linear& l, const std::vector<Variable>& xs) { return l(xs[0], 2); };
    return {
        link_case("BatchNormalization_alone",
                  BatchNormalization({3, 2}, {.decay = 0.5, .eps = 0.1, .use_gamma = false}), true,
                  2),
        link_case("BatchNormalization_axis",
                  BatchNormalization(2, {.use_beta = false, .axis = {0, 1}}), true, 2),
        link_case("BatchNormalization_finetune", BatchNormalization(3, {.decay = 0.3}), finetuned,
                  true, 3),
        link_case("BatchNormalization_test", BatchNormalization(3, {.eps = 0.2}), false),
        link_case(
            "BatchRenormalization_alone",
            BatchRenormalization(3, 1.5, 0.2, {.decay = 0.7, .eps = 0.05, .use_gamma = false}),
            true, 3),
        link_case("DecorrelatedBatchNormalization_decay",
                  DecorrelatedBatchNormalization(4, {.groups = 1, .decay = 0.3, .eps = 0.05}), true,
                  2),
        link_case("GroupNormalization_eps", GroupNormalization(3, 6, {.eps = 0.2})),
        link_case("LayerNormalization_eps", LayerNormalization(5, {.eps = 0.1})),
        link_case("Linear_batch_axes", Linear(4, 3, {.nobias = true}), words),
        link_case("Maxout_nobias", Maxout(5, 3, 4, {.nobias = true})),
        link_case("DepthwiseConvolution2D_nobias",
                  DepthwiseConvolution2D(2, 3, 3, {.pad = {0, 2}, .nobias = true})),
        link_case("LocalConvolution2D_nobias",
                  LocalConvolution2D(2, 3, {5, 6}, {2, 3}, {.nobias = true})),
        link_case("DeformableConvolution2D_nobias",
                  DeformableConvolution2D(2, 3, 2, {.offset_nobias = true, .deform_nobias = true})),
        link_case(
            "DilatedConvolution2D_nobias",
            DilatedConvolution2D(3, 2, {2, 3},
                                 {.stride = 2, .pad = {1, 3}, .nobias = true, .dilate = {3, 2}})),
        link_case(
            "Deconvolution2D_dilate",
            Deconvolution2D(
                4, 4, {2, 3},
                {.stride = {1, 2}, .pad = {0, 1}, .nobias = true, .dilate = {2, 1}, .groups = 2})),
    };
}

}  // namespace

std::vector<LinkCase> link_cases() {
    std::vector<LinkCase> all = convolutions();
    for (LinkCase& each : others()) all.push_back(std::move(each));
    for (LinkCase& each : options()) all.push_back(std::move(each));
    return all;
}

}  // namespace catena::testing
