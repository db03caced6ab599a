#include "frontend/link/vision/googlenet.h"

#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/noise/noise.h"
#include "runtime/ops/normalization/normalization.h"
#include "runtime/ops/pooling/pooling.h"

namespace catena {
namespace {

Initializer googlenet_initial(const std::string& pretrained_model) {
    if (!pretrained_model.empty()) return 0.0;
    return initializers::LeCunUniform();
}

Convolution2D googlenet_convolution(int64_t in, int64_t out, int64_t ksize, int64_t stride,
                                    const std::string& m) {
    return Convolution2D(in, out, ksize,
                         {.stride = stride, .pad = ksize / 2, .initialW = googlenet_initial(m)});
}

Linear googlenet_full(int64_t in, int64_t out, const std::string& m) {
    return Linear(in, out, {.initialW = googlenet_initial(m)});
}

Variable normalized(const Variable& x) { return local_response_normalization(x, 5, 1, 1e-4 / 5); }

}  // namespace

GoogLeNet::GoogLeNet(const std::string& m)
    : conv1(googlenet_convolution(3, 64, 7, 2, m)),
      conv2_reduce(googlenet_convolution(64, 64, 1, 1, m)),
      conv2(googlenet_convolution(64, 192, 3, 1, m)),
      inc3a(192, {64, 96, 128, 16, 32, 32}),
      inc3b(256, {128, 128, 192, 32, 96, 64}),
      inc4a(480, {192, 96, 208, 16, 48, 64}),
      inc4b(512, {160, 112, 224, 24, 64, 64}),
      inc4c(512, {128, 128, 256, 24, 64, 64}),
      inc4d(512, {112, 144, 288, 32, 64, 64}),
      inc4e(528, {256, 160, 320, 32, 128, 128}),
      inc5a(832, {256, 160, 320, 32, 128, 128}),
      inc5b(832, {384, 192, 384, 48, 128, 128}),
      loss3_fc(googlenet_full(1024, 1000, m)),
      loss1_conv(googlenet_convolution(512, 128, 1, 1, m)),
      loss1_fc1(googlenet_full(2048, 1024, m)),
      loss1_fc2(googlenet_full(1024, 1000, m)),
      loss2_conv(googlenet_convolution(528, 128, 1, 1, m)),
      loss2_fc1(googlenet_full(2048, 1024, m)),
      loss2_fc2(googlenet_full(1024, 1000, m)) {
    add_children({{"conv1", conv1}, {"conv2_reduce", conv2_reduce}, {"conv2", conv2}});
    add_children(
        {{"inc3a", inc3a}, {"inc3b", inc3b}, {"inc4a", inc4a}, {"inc4b", inc4b}, {"inc4c", inc4c}});
    add_children({{"inc4d", inc4d},
                  {"inc4e", inc4e},
                  {"inc5a", inc5a},
                  {"inc5b", inc5b},
                  {"loss3_fc", loss3_fc}});
    add_children({{"loss1_conv", loss1_conv}, {"loss1_fc1", loss1_fc1}, {"loss1_fc2", loss1_fc2}});
    add_children({{"loss2_conv", loss2_conv}, {"loss2_fc1", loss2_fc1}, {"loss2_fc2", loss2_fc2}});
    load_pretrained(
        m, {"bvlc_googlenet.npz", "http://dl.caffe.berkeleyvision.org/bvlc_googlenet.caffemodel"});
}

std::vector<VisionNetwork::Stage> GoogLeNet::stages() {
    using X = const Variable&;
    const auto of = [](auto& link) { return [&link](X x) { return link(x); }; };
    const auto rectified = [](X x) { return relu(x); };
    const auto pooled = [](X x) { return max_pooling_2d(x, 3, {.stride = 2}); };
    const auto averaged = [](X x) { return average_pooling_2d(x, 5, 3); };
    return {
        {"conv1", {of(conv1), rectified}},
        {"pool1", {pooled, normalized}},
        {"conv2_reduce", {of(conv2_reduce), rectified}},
        {"conv2", {of(conv2), rectified, normalized}},
        {"pool2", {pooled}},
        {"inception_3a", {of(inc3a)}},
        {"inception_3b", {of(inc3b)}},
        {"pool3", {pooled}},
        {"inception_4a", {of(inc4a)}},
        {"inception_4b", {of(inc4b)}},
        {"inception_4c", {of(inc4c)}},
        {"inception_4d", {of(inc4d)}},
        {"inception_4e", {of(inc4e)}},
        {"pool4", {pooled}},
        {"inception_5a", {of(inc5a)}},
        {"inception_5b", {of(inc5b)}},
        {"pool5", {[](X x) { return average_pooling_2d(x, 7, 1); }}},
        {"loss3_fc", {[](X x) { return dropout(x, 0.4); }, of(loss3_fc)}},
        {"prob", {[](X x) { return softmax(x); }}},
        {"loss1_fc2",
         {averaged, of(loss1_conv), rectified, of(loss1_fc1), rectified, of(loss1_fc2)},
         "inception_4a"},
        {"loss2_fc2",
         {averaged, of(loss2_conv), rectified, of(loss2_fc1), rectified, of(loss2_fc2)},
         "inception_4d"},
    };
}

Array GoogLeNet::prepared(const Array& image, const std::optional<ImageSize>& size) const {
    return googlenet::prepare(image, size);
}

Array googlenet::prepare(const Array& image, const std::optional<ImageSize>& size) {
    return prepare_image(image, size, {104.0, 117.0, 123.0});
}

}  // namespace catena
