// Networks for pictures against Chainer's with the same made-up weights
// (tests/conformance/chainer_vision.py).
#include <cmath>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/vision/googlenet.h"
#include "frontend/link/vision/resample.h"
#include "frontend/link/vision/resnet.h"
#include "frontend/link/vision/vgg.h"
#include "frontend/serializer/npz.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const NpzFile& file() {
    static const NpzFile opened(CATENA_SOURCE_DIR "/tests/conformance/chainer_vision.npz");
    return opened;
}

/// The formula of the script.
Array content(const std::string& path, const Shape& shape) {
    uint64_t seed = 0;
    for (char c : path) seed += uint8_t(c);
    seed = 97 * seed + 12345;
    double fan_in = 1;
    for (int i = 1; i < shape.rank(); ++i) fan_in *= double(shape[i]);
    const bool is_weight = shape.rank() > 1, is_variance = path.ends_with("/avg_var");
    const double offset = is_variance ? 1 : path.ends_with("/gamma") ? 0.8 : 0;
    const double factor = std::sqrt(6 / fan_in), divisor = is_variance ? 2 : 10;
    // VGG has 138 million of them: written where they stay.
    const Array made = Array::empty({Dtype::float32, shape}, cpu_device());
    float* values = made.to_fill<float>();
    for (uint64_t i = 0, count = uint64_t(made.size()); i < count; ++i) {
        const double v = double(((i * 2654435761u + seed) >> 8) & 0xFFFF) / 32768 - 1;
        values[i] = float(is_weight ? v * factor : offset + v / divisor);
    }
    return made;
}

/// Keys and shapes of all parts.
std::string parts_of(const VisionNetwork& net) {
    std::set<std::string> lines;
    for (auto& [path, param] : net.namedparams())
        lines.insert(path + " " + to_string(param->shape()));
    for (auto& [path, state] : net.namedpersistents())
        if (!path.ends_with("/N")) lines.insert(path + " " + to_string(state->shape()));
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
    return text;
}

std::string parts_of_chainer(const std::string& name) {
    const std::vector<uint8_t> bytes = file().read(name + "/parts").to_vector<uint8_t>();
    return {bytes.begin(), bytes.end()};
}

template <class Net>
Net filled(Net net) {
    for (auto& [path, param] : net.namedparams()) param->set_array(content(path, param->shape()));
    for (auto& [path, state] : net.namedpersistents())
        if (!path.ends_with("/N")) state->set_array(content(path, state->shape()));
    return net;
}

Array picture(int64_t height, int64_t width, int64_t shift = 0) {
    std::vector<uint8_t> pixels;
    for (int64_t c = 0; c < 3; ++c)
        for (int64_t y = 0; y < height; ++y)
            for (int64_t x = 0; x < width; ++x)
                pixels.push_back(uint8_t((c * 80 + y * 5 + x * x / 7 + shift * 31) % 256));
    return Array::from(pixels, Shape{3, height, width});
}

/// Every `step`th element, relative to the largest one.
void expect_near(const Array& actual, const std::string& key, size_t step,
                 double tolerance = 1e-4) {
    SCOPED_TRACE(key);
    const std::vector<double> all = actual.to_vector<double>(),
                              expected = file().read(key).to_vector<double>();
    ASSERT_EQ((all.size() + step - 1) / step, expected.size());
    double largest = 0;
    for (double value : expected) largest = std::max(largest, std::abs(value));
    for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(all[i * step], expected[i], tolerance * largest) << "element " << i * step;
}

void expect_layers(VisionNetwork& net, const std::string& name,
                   const std::vector<std::string>& layers) {
    const auto mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    const Array images[] = {picture(50, 70)};
    const VisionNetwork::Results results = net.extract(images, layers);
    ASSERT_EQ(results.size(), layers.size());
    for (const std::string& layer : layers)
        expect_near(results.at(layer).array(), name + "/" + layer, 97);
}

TEST(Vision, pictures_are_prepared_as_chainer_and_pillow_do) {
    using Prepare = Array (*)(const Array&, const std::optional<ImageSize>&);
    const std::pair<std::string, Prepare> all[] = {
        {"vgg", vgg::prepare}, {"googlenet", googlenet::prepare}, {"resnet", resnet::prepare}};
    for (const auto& [name, prepare] :
         all) {  // To the bit, but for the subtraction of float32 means.
        expect_near(prepare(picture(50, 70), ImageSize{20, 30}), "prepare/" + name + "/large", 1,
                    1e-6);
        expect_near(prepare(picture(9, 7, 1), ImageSize{24, 16}), "prepare/" + name + "/small", 1,
                    1e-6);
        expect_near(prepare(picture(5, 6, 2), std::nullopt), "prepare/" + name + "/kept", 1, 1e-6);
    }
    EXPECT_THROW(vgg::prepare(Array::from(std::vector<uint8_t>(12), Shape{2, 2, 3}), std::nullopt),
                 ShapeError);
    std::vector<uint8_t> pixels = picture(9, 7).to_vector<uint8_t>();
    pixels.resize(63);
    expect_near(vgg::prepare(Array::from(pixels, Shape{9, 7}), ImageSize{12, 8}), "prepare/grey", 1,
                1e-6);
}

TEST(Vision, resnet50_gives_what_chainers_does) {
    ResNet50Layers net = filled(ResNet50Layers(""));
    EXPECT_EQ(parts_of(net), parts_of_chainer("ResNet50Layers"));
    expect_layers(net, "ResNet50Layers",
                  {"conv1", "pool1", "res2", "res3", "res5", "pool5", "prob"});
    const Array images[] = {picture(50, 70)};
    expect_near(net.predict(images, false).array(), "ResNet50Layers/predicted", 1);
    ResNet50Layers other = filled(ResNet50Layers("", true));
    expect_layers(other, "ResNet50Layers_fb", {"res4", "fc6"});
}

TEST(Vision, googlenet_gives_what_chainers_does) {
    GoogLeNet net = filled(GoogLeNet(""));
    EXPECT_EQ(parts_of(net), parts_of_chainer("GoogLeNet"));
    expect_layers(
        net, "GoogLeNet",
        {"pool1", "conv2", "inception_4a", "pool5", "loss3_fc", "prob", "loss1_fc2", "loss2_fc2"});
    const Array images[] = {picture(50, 70)};
    expect_near(net.predict(images).array(), "GoogLeNet/predicted", 1);
}

TEST(Vision, vgg16_gives_what_chainers_does) {
    VGG16Layers net = filled(VGG16Layers(""));
    EXPECT_EQ(parts_of(net), parts_of_chainer("VGG16Layers"));
    expect_layers(net, "VGG16Layers", {"conv1_2", "pool3", "pool5", "fc7", "fc8", "prob"});
}

TEST(Vision, deeper_networks_have_chainers_parts) {
    EXPECT_EQ(parts_of(VGG19Layers("")), parts_of_chainer("VGG19Layers"));
    EXPECT_EQ(parts_of(ResNet101Layers("")), parts_of_chainer("ResNet101Layers"));
    EXPECT_EQ(parts_of(ResNet152Layers("")), parts_of_chainer("ResNet152Layers"));
}

TEST(Vision, layers_that_do_not_exist_are_refused_by_name) {
    GoogLeNet net("");
    const Variable x(Array::zeros({Dtype::float32, {1, 3, 64, 64}}));
    try {
        net(x, {"pool6"});
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(
            error.what(),
            HasSubstr("GoogLeNet: no layer is named 'pool6'; there is conv1, pool1, conv2_reduce"));
    }
    EXPECT_EQ(net.available_layers().front(), "conv1");
    EXPECT_EQ(net(x, {"conv1", "pool1"}).size(),
              2u);  // Later layers, for which the picture is too small, are not computed.
}

TEST(Vision, weights_are_loaded_from_the_cache_folder_or_a_path) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(::testing::TempDir()) / "catena_vision",
                   models = folder / "pfnet" / "chainer" / "models";
    fs::remove_all(folder);
    fs::create_directories(models);
    ASSERT_EQ(setenv("CATENA_CACHE_DIR", folder.c_str(), 1), 0);
    try {
        GoogLeNet net;
        FAIL();
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr((models / "bvlc_googlenet.npz").string()));
        EXPECT_THAT(error.what(), HasSubstr("GoogLeNet.convert_caffemodel_to_npz"));
        EXPECT_THAT(error.what(), HasSubstr("bvlc_googlenet.caffemodel"));
    }
    GoogLeNet trained = filled(GoogLeNet(""));
    save_npz((models / "bvlc_googlenet.npz").string(), trained, {.compression = false});
    GoogLeNet loaded;
    EXPECT_EQ(loaded.inc4c.conv5.W.array().to_vector<float>(),
              trained.inc4c.conv5.W.array().to_vector<float>());
    GoogLeNet named((models / "bvlc_googlenet.npz").string());
    EXPECT_EQ(named.conv1.b.array().to_vector<float>(), trained.conv1.b.array().to_vector<float>());
    EXPECT_THROW(ResNet50Layers((models / "bvlc_googlenet.npz").string()), FileError);
    EXPECT_THROW(GoogLeNet("weights.caffemodel"), FileError);
    unsetenv("CATENA_CACHE_DIR");
    fs::remove_all(folder);
}

}  // namespace
}  // namespace catena::testing
