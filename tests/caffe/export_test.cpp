// Models as Caffe networks, read again: the layers that they become, and equal results.
#include <google/protobuf/text_format.h>

#include "frontend/caffe/export.h"
#include "frontend/catena.h"
#include "tests/caffe/net_file.h"

namespace catena::testing {
namespace {

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string layers_of(const caffe::format::NetParameter& net) {
    std::string types;
    for (const auto& layer : net.layer()) types += (types.empty() ? "" : " ") + layer.type();
    return types;
}

/// Exports, compares both files, reads the parameters again and compares the results of both;
/// returns the types of the layers.
template <class F>
std::string exported(F&& model, const Variable& x, double tolerance = 1e-5) {
    const std::string folder = caffe_folder();
    caffe::export_model(model, {x}, folder);
    caffe::format::NetParameter text, binary;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        content_of(folder + "/catena_model.prototxt"), &text));
    EXPECT_TRUE(binary.ParseFromString(content_of(folder + "/catena_model.caffemodel")));
    EXPECT_EQ(layers_of(text), layers_of(binary));
    EXPECT_EQ(text.layer(0).top(0), "data");
    const auto test_mode = using_config(&Config::train, false);
    const Variables expected = recorded_graph::call_with<8>(model, std::span(&x, 1));
    const caffe::CaffeFunction net(folder + "/catena_model.caffemodel");
    for (size_t i = 0; i < expected.size(); ++i) {
        const std::string name = expected.size() == 1 ? "y" : "y" + std::to_string(i);
        expect_close(net({{"data", x}}, {name})[0], expected[i].shape(),
                     expected[i].array().to_vector<double>(), tolerance);
    }
    return layers_of(binary).substr(6);  // Without the input.
}

const Variable image = some_array({2, 4, 7, 6});

TEST(CaffeExport, links_with_parameters) {
    Convolution2D same(4, 6, 3, {.stride = 2, .pad = 1, .groups = 2}),
        wide(4, 3, {3, 2}, {.nobias = true, .dilate = 2});
    Deconvolution2D up(4, 3, 3, {.stride = 2, .pad = 1}),
        up_groups(4, 6, 2, {.stride = 2, .nobias = true, .groups = 2});
    EXPECT_EQ(exported(same, image), "Convolution");
    EXPECT_EQ(exported(wide, image), "Convolution");
    EXPECT_EQ(exported(up_groups, image), "Deconvolution");
    up.b.set_array(Array::from(std::vector<float>{1, 2, 3}, {3}));
    EXPECT_EQ(exported(up, image), "Deconvolution");
    Linear fc(4 * 7 * 6, 5), fc_nobias(6, 5, {.nobias = true});
    EXPECT_EQ(exported(fc, image), "InnerProduct");
    EXPECT_EQ(exported([&](const Variable& x) { return fc_nobias(x, 3); }, image),
              "Reshape InnerProduct Reshape");
}

TEST(CaffeExport, batch_normalization_becomes_two_layers) {
    BatchNormalization norm(4), plain(4, {.eps = 0.5, .use_gamma = false, .use_beta = false});
    for (int i = 0; i < 3; ++i) norm(image);
    norm.gamma.set_array(Array::from(std::vector<float>{1, 2, 3, 4}, {4}));
    norm.beta.set_array(Array::from(std::vector<float>{1, 0, -1, 2}, {4}));
    EXPECT_EQ(exported(norm, image), "BatchNorm Scale");
    EXPECT_EQ(exported(plain, image), "BatchNorm Scale");
}

TEST(CaffeExport, pooling) {
    EXPECT_EQ(
        exported([](const Variable& x) { return max_pooling_2d(x, 3, {.stride = 2}); }, image),
        "Pooling");
    EXPECT_EQ(
        exported([](const Variable& x) { return max_pooling_2d(x, 3, {.stride = 2, .pad = 1}); },
                 image),
        "Pooling");
    EXPECT_EQ(
        exported([](const Variable& x) { return max_pooling_2d(x, {2, 3}, {.cover_all = false}); },
                 image),
        "Pooling");
    EXPECT_EQ(exported([](const Variable& x) { return average_pooling_2d(x, 3, 2, 1); }, image),
              "Pooling");
    EXPECT_EQ(exported([](const Variable& x) { return average_pooling_2d(x, {7, 6}); }, image),
              "Pooling");
}

TEST(CaffeExport, functions_with_a_layer) {
    EXPECT_EQ(exported([](const Variable& x) { return relu(x); }, image), "ReLU");
    EXPECT_EQ(exported([](const Variable& x) { return leaky_relu(x, 0.1); }, image), "ReLU");
    EXPECT_EQ(exported([](const Variable& x) { return sigmoid(x); }, image), "Sigmoid");
    EXPECT_EQ(exported([](const Variable& x) { return tanh(x); }, image), "TanH");
    EXPECT_EQ(exported([](const Variable& x) { return elu(x, 0.5); }, image), "ELU");
    EXPECT_EQ(exported([](const Variable& x) { return absolute(x); }, image), "AbsVal");
    EXPECT_EQ(exported([](const Variable& x) { return exp(x); }, image), "Exp");
    EXPECT_EQ(exported([](const Variable& x) { return log(x * x + 1.0); }, image),
              "Eltwise Power Log");
    EXPECT_EQ(exported([](const Variable& x) { return softmax(x); }, image), "Softmax");
    EXPECT_EQ(exported([](const Variable& x) { return log_softmax(x, 2); }, image), "Softmax Log");
    EXPECT_EQ(exported([](const Variable& x) { return dropout(x); }, image), "Split");
    EXPECT_EQ(
        exported(
            [](const Variable& x) { return local_response_normalization(x, 3, 1.5, 0.2, 0.6); },
            image),
        "LRN");
    EXPECT_EQ(exported([](const Variable& x) { return concat({x, relu(x)}, 2); }, image),
              "ReLU Concat");
    EXPECT_EQ(exported([](const Variable& x) { return reshape(x, {2, 14, -1}); }, image),
              "Reshape");
    EXPECT_EQ(exported([](const Variable& x) { return split_axis(x, 2, 1); }, image), "Slice");
}

TEST(CaffeExport, arithmetic) {
    EXPECT_EQ(exported([](const Variable& x) { return x + relu(x); }, image), "ReLU Eltwise");
    EXPECT_EQ(exported([](const Variable& x) { return x * sigmoid(x); }, image), "Sigmoid Eltwise");
    EXPECT_EQ(exported([](const Variable& x) { return x - relu(x); }, image), "ReLU Eltwise");
    EXPECT_EQ(exported([](const Variable& x) { return maximum(x, -x); }, image), "Power Eltwise");
    EXPECT_EQ(exported([](const Variable& x) { return 1.0 - x * 3.0 / 2.0; }, image),
              "Power Power Power");
    EXPECT_EQ(exported([](const Variable& x) { return 2.0 / (x + 3.0); }, image), "Power Power");
    EXPECT_EQ(exported([](const Variable& x) { return sqrt(pow(x, 2.0)); }, image), "Power Power");
    const Variable channels = some_array({4, 1, 1}), plane = some_array({7, 6});
    EXPECT_EQ(exported([&](const Variable& x) { return x * channels + plane; }, image),
              "Scale Bias");
}

struct Small : Chain {
    Convolution2D conv{4, 3, 3};
    BatchNormalization norm{3};
    Linear fc{std::nullopt, 5};
    Small() { add_children({{"conv", conv}, {"norm", norm}, {"fc", fc}}); }
    Variable operator()(const Variable& x) {
        const Variable h = relu(norm(conv(x)));
        return fc(max_pooling_2d(h, 2) + average_pooling_2d(h, 2, 2, {1, 0}));
    }
};

TEST(CaffeExport, a_network_has_layers_called_like_its_links) {
    Small model;
    model(image);  // Its sizes follow from the first input.
    EXPECT_EQ(exported(model, image),
              "Convolution BatchNorm Scale ReLU Pooling Pooling Eltwise InnerProduct");
    const std::string folder = caffe_folder();
    caffe::export_model(model, {image}, folder);
    const caffe::CaffeFunction net(folder + "/catena_model.caffemodel");
    std::vector<std::string> names;
    for (const Link* link : net.children()) names.push_back(link->name());
    EXPECT_EQ(names, (std::vector<std::string>{"conv", "norm_bn", "norm", "fc"}));
}

TEST(CaffeExport, only_the_layers_and_under_other_names) {
    const std::string folder = caffe_folder();
    caffe::export_model([](const Variable& a, const Variable& b) { return relu(a + b); },
                        {image, image}, folder,
                        {.export_params = false,
                         .graph_name = "sum",
                         .file_name = "net",
                         .input_names = {"left", "right"},
                         .output_names = {"total"}});
    EXPECT_FALSE(std::filesystem::exists(folder + "/net.caffemodel"));
    const std::string text = content_of(folder + "/net.prototxt");
    for (const char* part :
         {"name: \"sum\"", "top: \"left\"", "bottom: \"right\"", "top: \"total\"", "dim: 7"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
}

template <class F>
std::string refused(F&& model) {
    try {
        caffe::export_model(model, {image}, caffe_folder());
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

TEST(CaffeExport, what_caffe_lacks_is_named_with_its_line) {
    const std::string transposed = refused([](const Variable& x) { return transpose(x); });
    EXPECT_SAYS(transposed, "caffe: Transpose");
    EXPECT_SAYS(transposed, "export_test.cpp:");
    EXPECT_SAYS(refused([](const Variable& x) { return convolution_2d(x, x); }),
                "weights that the network computes");
    EXPECT_SAYS(refused([](const Variable& x) { return x * max(x, Axes{1}, true); }), "ReduceMax");
    EXPECT_SAYS(refused([](const Variable& x) { return cast(x, Dtype::int32); }), "int32");
    EXPECT_THROW(caffe::export_model([](const Variable& x) { return x; }, {}, caffe_folder()),
                 ValueError);
}

}  // namespace
}  // namespace catena::testing
