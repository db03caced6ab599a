// Files that Chainer's schema wrote (chainer_models.py), and what its CaffeFunction computes from
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "frontend/caffe/caffe_function.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/serializer/npz.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/settings/config.h"

namespace catena::testing {
namespace {

const std::string data = CATENA_SOURCE_DIR "/tests/caffe/data/";

void expect_near(const Array& actual, const Array& expected, const std::string& what) {
    ASSERT_EQ(to_string(actual.shape()), to_string(expected.shape())) << what;
    const std::vector<double> a = actual.to_vector<double>(), e = expected.to_vector<double>();
    for (size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], e[i], 1e-5 * (1 + std::abs(e[i]))) << what << ", element " << i;
}

struct Case {
    explicit Case(const std::string& name)
        : file(data + name + ".npz"), net(data + name + ".caffemodel") {
        for (const std::string& key : file.keys())
            if (key.starts_with("in/")) inputs[key.substr(3)] = Variable(file.read(key), false);
    }
    /// Compares every blob PREFIX/NAME of the file; returns their number.
    int compare(const std::string& prefix, const caffe::CaffeFunction::Blobs& blobs) const {
        int compared = 0;
        for (const std::string& key : file.keys()) {
            if (!key.starts_with(prefix)) continue;
            const auto found = blobs.find(key.substr(prefix.size()));
            EXPECT_NE(found, blobs.end()) << key;
            if (found == blobs.end()) continue;
            expect_near(found->second.array(), file.read(key), key);
            ++compared;
        }
        return compared;
    }
    NpzFile file;
    caffe::CaffeFunction net;
    caffe::CaffeFunction::Blobs inputs;
};

std::set<std::string> types_of(const std::vector<caffe::Layer>& layers) {
    std::set<std::string> types;
    for (const caffe::Layer& layer : layers) types.insert(layer.type);
    return types;
}

TEST(CaffeFromChainer, every_layer_of_the_new_format_gives_chainers_values) {
    const Case c("new_format");
    const auto test_mode = using_config(&Config::train, false);
    EXPECT_EQ(c.compare("out/", c.net.blobs(c.inputs)), 40);
    const std::set<std::string> wanted = {"BatchNorm", "Concat",  "Convolution",  "Deconvolution",
                                          "Dropout",   "Eltwise", "InnerProduct", "LRN",
                                          "Pooling",   "ReLU",    "Reshape",      "Scale",
                                          "Sigmoid",   "Slice",   "Softmax",      "SoftmaxWithLoss",
                                          "Split"};
    EXPECT_EQ(types_of(c.net.layers()), wanted);
    EXPECT_EQ(types_of(c.net.skipped()), (std::set<std::string>{"Data", "Accuracy"}));
}

TEST(CaffeFromChainer, every_layer_of_the_old_format_gives_chainers_values) {
    const Case c("old_format");
    const auto test_mode = using_config(&Config::train, false);
    EXPECT_EQ(c.compare("out/", c.net.blobs(c.inputs)), 29);
    const std::set<std::string> wanted = {
        "Concat",       "Convolution", "Deconvolution",   "Dropout", "Eltwise",
        "InnerProduct", "LRN",         "Pooling",         "ReLU",    "Sigmoid",
        "Slice",        "Softmax",     "SoftmaxWithLoss", "Split"};
    EXPECT_EQ(types_of(c.net.layers()), wanted);
    EXPECT_EQ(types_of(c.net.skipped()), (std::set<std::string>{"Data", "Accuracy"}));
}

TEST(CaffeFromChainer, in_training_batch_normalisation_uses_the_batch_but_for_global_statistics) {
    const Case c("new_format");
    EXPECT_EQ(c.compare("train/", c.net.blobs(c.inputs, {"dropout"})), 3);
}

TEST(CaffeFromChainer, a_network_that_chainer_exported) {
    const Case c("exported");
    const auto test_mode = using_config(&Config::train, false);
    EXPECT_EQ(c.compare("out/", c.net.blobs(c.inputs)), 16);
}

TEST(CaffeFromChainer, compiled_it_gives_the_same) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const Case c("exported");
    const auto test_mode = using_config(&Config::train, false);
    const std::string last = c.net.results({"data"}).at(0);
    const auto run = [&](const Variable& x) { return c.net({{"data", x}}, {last})[0]; };
    auto region = static_graph(run);
    const Variable& x = c.inputs.at("data");
    region(x);
    expect_near(region(x).array(), c.file.read("out/" + last), last);
    EXPECT_EQ(region.statistics().programs, 1);
}

}  // namespace
}  // namespace catena::testing
