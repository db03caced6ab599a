// Layers of SSD's and SENet's releases of Caffe, against their definitions written out, and
// networks whose layers stand in a file of text.
#include <cmath>

#include "runtime/core/system/error.h"
#include "runtime/graph/walk/gradient.h"
#include "tests/caffe/net_file.h"

namespace catena::testing {
namespace {

TEST(CaffeDetection, permute_names_the_first_axes) {
    NetFile file;
    auto& layer = file.add("Permute", "y", {"x"});
    for (const unsigned axis : {0u, 2u, 3u, 1u}) layer.mutable_permute_param()->add_order(axis);
    const std::vector<float> x = some_numbers(24);
    std::vector<double> expected;
    for (int h = 0; h < 3; ++h)
        for (int w = 0; w < 4; ++w)
            for (int c = 0; c < 2; ++c) expected.push_back(x[size_t(c * 12 + h * 4 + w)]);
    expect_close(file.load()({{"x", some_array({1, 2, 3, 4})}}, {"y"})[0], {1, 3, 4, 2}, expected);
    layer.mutable_permute_param()->set_order(1, 0);
    EXPECT_THROW(file.load(), FileError);
}

TEST(CaffeDetection, prior_boxes_lie_around_the_places_of_a_map) {
    NetFile file;
    auto& p = *file.add("PriorBox", "y", {"x", "image"}).mutable_prior_box_param();
    p.add_min_size(4);
    p.add_max_size(9);
    p.add_aspect_ratio(4);
    p.add_aspect_ratio(1);
    for (const float variance : {0.1f, 0.1f, 0.2f, 0.2f}) p.add_variance(variance);
    const Variable y = file.load()(
        {{"x", some_array({1, 2, 1, 2})}, {"image", some_array({1, 3, 10, 20})}}, {"y"})[0];
    // The image is 20 wide and 10 high, so that the places are 10 apart, with four boxes each.
    const double sides[][2] = {{4, 4}, {6, 6}, {8, 2}, {2, 8}};
    std::vector<double> expected;
    for (const double x : {5, 15})
        for (const auto& [w, h] : sides)
            for (const double place :
                 {(x - w / 2) / 20, (5 - h / 2) / 10, (x + w / 2) / 20, (5 + h / 2) / 10})
                expected.push_back(place);
    for (int k = 0; k < 8; ++k) expected.insert(expected.end(), {0.1, 0.1, 0.2, 0.2});
    expect_close(y, {1, 2, 32}, expected, 1e-6);
    p.add_variance(0.2f);
    EXPECT_THROW(file.load(), FileError);
}

TEST(CaffeDetection, normalize_divides_by_the_length_of_a_place_or_of_the_image) {
    for (const bool whole : {false, true}) {
        NetFile file;
        auto& layer = file.add("Normalize", "y", {"x"});
        layer.mutable_norm_param()->set_across_spatial(whole);
        layer.mutable_norm_param()->set_channel_shared(false);
        NetFile::add_blob(layer, {2}, {20, 10});
        const std::vector<float> x = some_numbers(12);
        std::vector<double> expected;
        for (size_t i = 0; i < 12; ++i) {
            double squares = 0;
            for (size_t k = 0; k < 12; ++k)
                if (whole || k % 6 == i % 6) squares += double(x[k]) * x[k];
            expected.push_back(x[i] / std::sqrt(squares + 1e-10) * (i < 6 ? 20 : 10));
        }
        expect_close(file.load()({{"x", some_array({1, 2, 2, 3})}}, {"y"})[0], {1, 2, 2, 3},
                     expected);
    }
}

TEST(CaffeDetection, axpy_weighs_channels_and_adds) {
    NetFile file;
    file.add("Axpy", "y", {"a", "x", "b"});
    const std::vector<float> x = some_numbers(12);
    std::vector<double> expected;
    for (size_t i = 0; i < 12; ++i) expected.push_back((i < 6 ? 2.0 : -3.0) * x[i] + x[i]);
    const Variable a(Array::from(std::vector<float>{2, -3}, {1, 2, 1, 1}), false),
        images = some_array({1, 2, 2, 3});
    expect_close(file.load()({{"a", a}, {"x", images}, {"b", images}}, {"y"})[0], {1, 2, 2, 3},
                 expected);
}

class CaffeText : public ::testing::Test {
protected:
    CaffeText() {
        auto& layer = weights_.add("InnerProduct", "fc", {"x"});
        layer.mutable_inner_product_param()->set_num_output(2);
        NetFile::add_blob(layer, {2, 3}, {1, 2, 3, 4, 5, 6});
        NetFile::add_blob(layer, {2}, {10, 20});
        weights_.write(weights_.net.SerializeAsString());
    }

    caffe::CaffeFunction read(const std::string& text) const {
        const std::string path =
            std::filesystem::path(weights_.path).replace_extension("prototxt").string();
        std::ofstream(path) << text;
        return caffe::CaffeFunction(weights_.path, path);
    }

    NetFile weights_;
};

TEST_F(CaffeText, says_the_layers_and_the_other_file_their_weights) {
    const auto net = read(R"(
        name: "deployed"
        layer { name: "data" type: "Input" top: "x" input_param { shape { dim: 1 dim: 3 } } }
        layer { name: "noise" type: "Dropout" bottom: "x" top: "x" include { phase: TRAIN } }
        layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc"
                inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
        layer { name: "out" type: "ReLU" bottom: "fc" top: "out" })");
    EXPECT_EQ(net.net_name(), "deployed");
    EXPECT_EQ(net.layers().size(), 2u);
    const Variable x(Array::from(std::vector<float>{1, 0, -9}, {1, 3}), false);
    expect_close(net({{"x", x}}, {"out"})[0], {1, 2}, {0, 0});
    const Variable z(Array::from(std::vector<float>{1, 0, 1}, {1, 3}), false);
    expect_close(net({{"x", z}}, {"out"})[0], {1, 2}, {14, 30});
}

TEST_F(CaffeText, that_is_wrong_names_its_line_or_its_layer) {
    const auto message = [&](const std::string& text) -> std::string {
        try {
            read(text);
        } catch (const FileError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_NE(message("layer {\n name: \"a\"\n type: }").find("line 3: "), std::string::npos);
    EXPECT_NE(message("layer { name: \"other\" type: \"InnerProduct\" bottom: \"x\" top: \"y\" }")
                  .find("InnerProduct layer 'other' has 0 blobs of parameters"),
              std::string::npos);
}

}  // namespace
}  // namespace catena::testing
