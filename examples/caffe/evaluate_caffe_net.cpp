// Chainer's evaluate_caffe_net: how well a network from a Caffe file classifies the pictures of a
// list.
#include "support/example.h"
#include "support/means.h"
#include "support/pictures.h"
#include <catena/frontend/caffe/caffe_function.h>
#include <catena/frontend/image/image_dataset.h>

namespace ct = catena;

struct Options {
    std::string type = "small", model = "result/small.caffemodel", dataset, root = ".", mean,
                output;
    int64_t batch_size = 100;
};

/// What the published networks are given, and where they say what they think.
struct Kind {
    int64_t size;
    std::vector<double> means;  ///< Of blue, green and red; without --mean.
    std::string output;
    std::vector<std::string> disable;  ///< Layers that only training needs.
};
static const std::map<std::string, Kind>& kinds() {
    static const std::map<std::string, Kind> all = {
        {"alexnet", {227, {104, 117, 123}, "fc8", {}}},
        {"caffenet", {227, {104, 117, 123}, "fc8", {}}},
        {"googlenet",
         {224, {104, 117, 123}, "loss3/classifier", {"loss1/ave_pool", "loss2/ave_pool"}}},
        {"resnet", {224, {103.063, 115.903, 123.152}, "prob", {}}},
        {"small", {32, {}, "y", {}}}};
    return all;
}

/// Parts from the middle of the pictures, blue, green and red minus the mean; for "small" red,
/// green, blue in [0, 1].
static ct::Dataset prepared(const Options& options, const Kind& kind) {
    if (options.dataset.empty()) {
        if (options.type != "small")
            ct::fail<ct::ValueError>("a {} needs --dataset, a file of lines \"PATH LABEL\"",
                                     options.type);
        const examples::Pictures shapes = examples::made_up_pictures(400, 2);
        return ct::TupleDataset(shapes.images, shapes.labels);
    }
    ct::Array mean = ct::Array::zeros({ct::Dtype::float32, {3, 1, 1}});
    if (!options.mean.empty())
        mean = ct::load_npy(options.mean);
    else if (!kind.means.empty())
        mean = ct::Array::from(std::vector<float>(kind.means.begin(), kind.means.end()), {3, 1, 1});
    return ct::TransformDataset(
        ct::LabeledImageDataset(options.dataset, {.root = options.root}),
        [=](const ct::Example& e) {
            const auto no_graph = ct::no_backprop_mode();
            if (options.type == "small")
                return ct::Example{ct::center_crop(e[0], {kind.size, kind.size}) / 255.0, e[1]};
            const ct::Array bgr = ct::flip(e[0], int64_t{0}).array();
            return ct::Example{ct::center_crop(bgr - mean, {kind.size, kind.size}), e[1]};
        });
}

static void evaluate(examples::Example& example, const Options& options) {
    const Kind& kind = kinds().at(options.type);
    const ct::caffe::CaffeFunction network(options.model);
    const std::string output = options.output.empty() ? kind.output : options.output;
    ct::SerialIterator batches(prepared(options, kind), options.batch_size,
                               {.repeat = false, .shuffle = false});
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    auto scores_of = ct::static_graph(
        [&](const ct::Variable& x) { return network({{"data", x}}, {output}, kind.disable)[0]; },
        "caffe_network");
    examples::Means means;
    std::optional<ct::Batch> first;
    while (auto batch = batches.next_batch(&ct::current_device())) {
        const ct::Variable y = scores_of((*batch)[0]);
        means.add({ct::softmax_cross_entropy(y, (*batch)[1]), ct::accuracy(y, (*batch)[1])},
                  (*batch)[1].size());
        if (!first) first = *batch;
    }
    example.result("accuracy", means.accuracy(), examples::Better::larger);
    example.print_times([&] { scores_of((*first)[0]); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Evaluates a network from a Caffe file");
    std::vector<std::string> types;
    for (const auto& [name, kind] : kinds()) types.push_back(name);
    example.choice("-t,--model-type", options.type, types,
                   "what it is; small: what caffe_export has trained");
    example.flag("--model", options.model, "its .caffemodel");
    example.flag("--dataset", options.dataset,
                 "file of lines \"PATH LABEL\"; for small pictures are made up without");
    example.flag("-b,--basepath", options.root, "folder of the paths");
    example.flag("-m,--mean", options.mean,
                 "mean picture, .npy of blue, green and red; else the mean colours");
    example.flag("--output", options.output,
                 "blob of the scores; else that of the published network");
    example.flag("-B,--batchsize", options.batch_size, "pictures in a mini-batch");
    return example.run(argc, argv, [&] { evaluate(example, options); });
}
