#include "frontend/link/vision/vgg.h"

#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/noise/noise.h"
#include "runtime/ops/pooling/pooling.h"

namespace catena {
namespace {

/// Zeros where weights are loaded: drawing them takes longer.
Initializer vgg_initial(const std::string& pretrained_model) {
    if (!pretrained_model.empty()) return 0.0;
    return initializers::Normal(0.01);
}

Convolution2D vgg_convolution(int64_t in, int64_t out, const std::string& pretrained_model) {
    return Convolution2D(in, out, 3, {.pad = 1, .initialW = vgg_initial(pretrained_model)});
}

Linear vgg_full(int64_t in, int64_t out, const std::string& pretrained_model) {
    return Linear(in, out, {.initialW = vgg_initial(pretrained_model)});
}

}  // namespace

VGGLayers::VGGLayers(const std::string& m, int n_layers)
    : conv1_1(vgg_convolution(3, 64, m)),
      conv1_2(vgg_convolution(64, 64, m)),
      conv2_1(vgg_convolution(64, 128, m)),
      conv2_2(vgg_convolution(128, 128, m)),
      conv3_1(vgg_convolution(128, 256, m)),
      conv3_2(vgg_convolution(256, 256, m)),
      conv3_3(vgg_convolution(256, 256, m)),
      conv4_1(vgg_convolution(256, 512, m)),
      conv4_2(vgg_convolution(512, 512, m)),
      conv4_3(vgg_convolution(512, 512, m)),
      conv5_1(vgg_convolution(512, 512, m)),
      conv5_2(vgg_convolution(512, 512, m)),
      conv5_3(vgg_convolution(512, 512, m)),
      fc6(vgg_full(512 * 7 * 7, 4096, m)),
      fc7(vgg_full(4096, 4096, m)),
      fc8(vgg_full(4096, 1000, m)) {
    add_children(
        {{"conv1_1", conv1_1}, {"conv1_2", conv1_2}, {"conv2_1", conv2_1}, {"conv2_2", conv2_2}});
    add_children({{"conv3_1", conv3_1}, {"conv3_2", conv3_2}, {"conv3_3", conv3_3}});
    add_children({{"conv4_1", conv4_1}, {"conv4_2", conv4_2}, {"conv4_3", conv4_3}});
    add_children({{"conv5_1", conv5_1}, {"conv5_2", conv5_2}, {"conv5_3", conv5_3}});
    add_children({{"fc6", fc6}, {"fc7", fc7}, {"fc8", fc8}});
    if (n_layers == 16) return;
    add_child("conv3_4", conv3_4.emplace(vgg_convolution(256, 256, m)));
    add_child("conv4_4", conv4_4.emplace(vgg_convolution(512, 512, m)));
    add_child("conv5_4", conv5_4.emplace(vgg_convolution(512, 512, m)));
}

std::vector<VisionNetwork::Stage> VGGLayers::stages() {
    using X = const Variable&;
    const auto rectified = [](X x) { return relu(x); };
    const auto dropped = [](X x) { return dropout(x); };
    std::vector<Stage> all;
    const auto convolved = [&](const std::string& name, Convolution2D& link) {
        all.push_back({name, {[&link](X x) { return link(x); }, rectified}});
    };
    const auto pooled = [&](const std::string& name) {
        all.push_back({name, {[](X x) { return max_pooling_2d(x, 2); }}});
    };
    convolved("conv1_1", conv1_1);
    convolved("conv1_2", conv1_2);
    pooled("pool1");
    convolved("conv2_1", conv2_1);
    convolved("conv2_2", conv2_2);
    pooled("pool2");
    convolved("conv3_1", conv3_1);
    convolved("conv3_2", conv3_2);
    convolved("conv3_3", conv3_3);
    if (conv3_4) convolved("conv3_4", *conv3_4);
    pooled("pool3");
    convolved("conv4_1", conv4_1);
    convolved("conv4_2", conv4_2);
    convolved("conv4_3", conv4_3);
    if (conv4_4) convolved("conv4_4", *conv4_4);
    pooled("pool4");
    convolved("conv5_1", conv5_1);
    convolved("conv5_2", conv5_2);
    convolved("conv5_3", conv5_3);
    if (conv5_4) convolved("conv5_4", *conv5_4);
    pooled("pool5");
    all.push_back({"fc6", {[this](X x) { return fc6(x); }, rectified, dropped}});
    all.push_back({"fc7", {[this](X x) { return fc7(x); }, rectified, dropped}});
    all.push_back({"fc8", {[this](X x) { return fc8(x); }}});
    all.push_back({"prob", {[](X x) { return softmax(x); }}});
    return all;
}

Array VGGLayers::prepared(const Array& image, const std::optional<ImageSize>& size) const {
    return vgg::prepare(image, size);
}

VGG16Layers::VGG16Layers(const std::string& pretrained_model) : VGGLayers(pretrained_model, 16) {
    load_pretrained(pretrained_model, {"VGG_ILSVRC_16_layers.npz",
                                       "https://www.robots.ox.ac.uk/~vgg/software/very_deep/caffe/"
                                       "VGG_ILSVRC_16_layers.caffemodel"});
}

VGG19Layers::VGG19Layers(const std::string& pretrained_model) : VGGLayers(pretrained_model, 19) {
    load_pretrained(pretrained_model, {"VGG_ILSVRC_19_layers.npz",
                                       "https://www.robots.ox.ac.uk/~vgg/software/very_deep/caffe/"
                                       "VGG_ILSVRC_19_layers.caffemodel"});
}

Array vgg::prepare(const Array& image, const std::optional<ImageSize>& size) {
    return prepare_image(image, size, {103.939, 116.779, 123.68});
}

}  // namespace catena
