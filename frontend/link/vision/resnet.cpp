#include "frontend/link/vision/resnet.h"

#include <algorithm>

#include "runtime/core/memory/reused_vector.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/pooling/pooling.h"

namespace catena {
namespace {

Initializer resnet_initial(const std::string& pretrained_model) {
    if (!pretrained_model.empty()) return 0.0;
    return initializers::HeNormal();
}

Convolution2D resnet_convolution(int64_t in, int64_t out, int64_t ksize, int64_t stride,
                                 const Initializer& initialW) {
    return Convolution2D(
        in, out, ksize, {.stride = stride, .pad = ksize / 2, .nobias = true, .initialW = initialW});
}

/// Bottlenecks of the four blocks.
std::array<int, 4> depths(int n_layers) {
    if (n_layers == 50) return {3, 4, 6, 3};
    if (n_layers == 101) return {3, 4, 23, 3};
    if (n_layers == 152) return {3, 8, 36, 3};
    fail<ValueError>("ResNetLayers: n_layers is {}, it should be 50, 101 or 152", n_layers);
}

}  // namespace

namespace resnet {

Bottleneck::Bottleneck(const Options& o)
    : conv1(resnet_convolution(o.in_channels, o.mid_channels, 1, o.downsample_fb ? 1 : o.stride,
                               o.initialW)),
      bn1(o.mid_channels),
      conv2(resnet_convolution(o.mid_channels, o.mid_channels, 3, o.downsample_fb ? o.stride : 1,
                               o.initialW)),
      bn2(o.mid_channels),
      conv3(resnet_convolution(o.mid_channels, o.out_channels, 1, 1, o.initialW)),
      bn3(o.out_channels) {
    list_child("conv1", conv1);
    list_child("bn1", bn1);
    list_child("conv2", conv2);
    list_child("bn2", bn2);
    list_child("conv3", conv3);
    list_child("bn3", bn3);
    if (!o.projects) return;
    list_child("conv4", conv4.emplace(resnet_convolution(o.in_channels, o.out_channels, 1, o.stride,
                                                         o.initialW)));
    list_child("bn4", bn4.emplace(o.out_channels));
}

Variable Bottleneck::operator()(const Operand& operand) {
    LocationScope scope(operand.location());
    return called(operand, [&] {
        const Variable& x = operand;
        const Variable h = bn3(conv3(relu(bn2(conv2(relu(bn1(conv1(x))))))));
        return relu(h + (conv4 ? (*bn4)((*conv4)(x)) : x));
    });
}

BuildingBlock::BuildingBlock(int n_layers, const Bottleneck::Options& first) {
    Bottleneck::Options options = first;
    options.projects = true;
    for (int i = 0; i < n_layers; ++i) {
        layers_.emplace_back(Bottleneck(options));
        name_child(*layers_.back(), i == 0 ? "a" : "b" + std::to_string(i));
        options = {.in_channels = first.out_channels,
                   .mid_channels = first.mid_channels,
                   .out_channels = first.out_channels,
                   .initialW = first.initialW};
    }
}

Variable BuildingBlock::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] {
        Variable h = x;
        for (const OwnedLink& layer : layers_) h = static_cast<Bottleneck&>(*layer)(h);
        return h;
    });
}

void BuildingBlock::visit_children(ChildVisitor visit) const {
    ReusedVector<Link*> sorted;
    for (const OwnedLink& layer : layers_) sorted.push_back(layer.get());
    std::ranges::sort(sorted, {},
                      [](const Link* layer) -> const std::string& { return layer->name(); });
    for (Link* layer : sorted) visit(layer->name(), *layer);
}

}  // namespace resnet

ResNetLayers::ResNetLayers(const std::string& m, int n, bool fb)
    : conv1(3, 64, 7, {.stride = 2, .pad = 3, .initialW = resnet_initial(m)}),
      bn1(64),
      res2(depths(n)[0], {64, 64, 256, 1, true, fb, resnet_initial(m)}),
      res3(depths(n)[1], {256, 128, 512, 2, true, fb, resnet_initial(m)}),
      res4(depths(n)[2], {512, 256, 1024, 2, true, fb, resnet_initial(m)}),
      res5(depths(n)[3], {1024, 512, 2048, 2, true, fb, resnet_initial(m)}),
      fc6(2048, 1000) {
    add_children({{"conv1", conv1},
                  {"bn1", bn1},
                  {"res2", res2},
                  {"res3", res3},
                  {"res4", res4},
                  {"res5", res5},
                  {"fc6", fc6}});
    load_pretrained(
        m, {fmt::format("ResNet-{}-model.npz", n),
            fmt::format(
                "ResNet-{}-model.caffemodel (https://github.com/KaimingHe/deep-residual-networks)",
                n)});
}

std::vector<VisionNetwork::Stage> ResNetLayers::stages() {
    using X = const Variable&;
    return {
        {"conv1", {[this](X x) { return relu(bn1(conv1(x))); }}},
        {"pool1", {[](X x) { return max_pooling_2d(x, 3, {.stride = 2}); }}},
        {"res2", {[this](X x) { return res2(x); }}},
        {"res3", {[this](X x) { return res3(x); }}},
        {"res4", {[this](X x) { return res4(x); }}},
        {"res5", {[this](X x) { return res5(x); }}},
        {"pool5", {[](X x) { return mean(x, {2, 3}); }}},
        {"fc6", {[this](X x) { return fc6(x); }}},
        {"prob", {[](X x) { return softmax(x); }}},
    };
}

Array ResNetLayers::prepared(const Array& image, const std::optional<ImageSize>& size) const {
    return resnet::prepare(image, size);
}

Array resnet::prepare(const Array& image, const std::optional<ImageSize>& size) {
    return prepare_image(image, size, {103.063, 115.903, 123.152});
}

}  // namespace catena
