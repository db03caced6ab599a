// Chainer's caffe_export: writes a network of catena/frontend/link/vision as Caffe files, reads
// them back and compares.
#include <filesystem>

#include "caffe/small_network.h"
#include "support/example.h"
#include <catena/frontend/caffe/caffe_function.h>
#include <catena/frontend/caffe/export.h>

namespace ct = catena;

struct Options {
    std::string arch = "small", pretrained, out = "result";
    int64_t epochs = 3;
};

/// Pictures [n, 3, size, size] to probabilities.
struct Exported {
    std::shared_ptr<ct::Link> link;
    std::function<ct::Variable(const ct::Variable&)> run;
    int64_t size;
};

template <class Network>
static Exported vision(const std::string& pretrained) {
    const auto network = std::make_shared<Network>(pretrained);
    return {network,
            [network](const ct::Variable& x) { return (*network)(x, {"prob"}).at("prob"); }, 224};
}

static Exported made(const Options& options) {
    if (options.arch == "vgg16") return vision<ct::VGG16Layers>(options.pretrained);
    if (options.arch == "googlenet") return vision<ct::GoogLeNet>(options.pretrained);
    if (options.arch == "resnet50") return vision<ct::ResNet50Layers>(options.pretrained);
    if (options.arch == "resnet101") return vision<ct::ResNet101Layers>(options.pretrained);
    if (options.arch == "resnet152") return vision<ct::ResNet152Layers>(options.pretrained);
    const auto network = std::make_shared<SmallNetwork>();
    fmt::print("accuracy in training {:.3f}\n", train_on_shapes(*network, options.epochs));
    return {network, [network](const ct::Variable& x) { return ct::softmax((*network)(x)); }, 32};
}

static void write(examples::Example& example, const Options& options) {
    const Exported network = made(options);
    const ct::Variable x = ct::random_uniform({1, 3, network.size, network.size});
    std::filesystem::create_directories(options.out);
    ct::caffe::export_model(network.run, {x}, options.out,
                            {.graph_name = options.arch, .file_name = options.arch});
    const std::string path = options.out + "/" + options.arch + ".caffemodel";
    fmt::print("{}: {:.1f} MB, and .prototxt\n", path,
               double(std::filesystem::file_size(path)) * 1e-6);

    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    const ct::caffe::CaffeFunction read(path);
    auto run = ct::static_graph(
        [&](const ct::Variable& input) { return read({{"data", input}}, {"y"})[0]; },
        "caffe_network");
    example.result("largest difference",
                   ct::max(ct::absolute(network.run(x) - run(x))).item<double>(),
                   examples::Better::smaller);
    example.print_times([&] { run(x); }, 5);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Writes a network as Caffe files");
    example.choice("-a,--arch", options.arch,
                   {"small", "vgg16", "googlenet", "resnet50", "resnet101", "resnet152"},
                   "network; small: one that is trained on shapes made on the spot");
    example.flag(
        "--pretrained", options.pretrained,
        "Chainer's converted .npz of its weights; \"auto\": of the cache folder; else random ones");
    example.flag("-e,--epoch", options.epochs, "of the small network's training");
    example.flag("-o,--out-dir", options.out, "folder for ARCH.prototxt and ARCH.caffemodel");
    return example.run(argc, argv, [&] { write(example, options); });
}
