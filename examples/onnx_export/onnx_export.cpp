// onnx-chainer's examples: writes ResNet-50 or tiny YOLO v2 as an ONNX model, reads it back and
// compares.
#include <filesystem>

#include "onnx_export/yolo.h"
#include "support/example.h"
#include <catena/frontend/onnx/export.h>
#include <catena/frontend/onnx/import.h>

namespace ct = catena;

struct Options {
    std::string arch = "resnet50", pretrained, input, output;
    int64_t size = 0, opset = 18;
};

struct Exported {
    std::shared_ptr<ct::Link> link;
    std::function<ct::Variable(const ct::Variable&)> run;
    int64_t size;
    std::string output;
};

static Exported made(const Options& options) {
    if (options.arch == "resnet50") {
        const auto network = std::make_shared<ct::ResNet50Layers>(options.pretrained);
        return {network,
                [network](const ct::Variable& x) { return (*network)(x, {"prob"}).at("prob"); },
                224, "probabilities"};
    }
    const auto network = std::make_shared<TinyYolo>(20);
    return {network, [network](const ct::Variable& x) { return (*network)(x); }, 416, "cells"};
}

static void write(examples::Example& example, const Options& options) {
    const Exported network = made(options);
    const int64_t size = options.size > 0 ? options.size : network.size;
    const ct::Variable x = options.input.empty()
                               ? ct::random_uniform({1, 3, size, size})
                               : ct::Variable(ct::load_npy(options.input).to(ct::current_device()));
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    network.run(x);  // creates the parameters
    if (options.arch != "resnet50" && !options.pretrained.empty())
        ct::load_npz(options.pretrained, *network.link);

    const std::string path = options.output.empty() ? options.arch + ".onnx" : options.output;
    ct::onnx::export_model(network.run, {x}, path,
                           {.opset = int(options.opset),
                            .graph_name = options.arch,
                            .input_names = {"pictures"},
                            .output_names = {network.output},
                            .open_sizes = {{0, 0, "batch"}}});
    fmt::print("{}: {:.1f} MB\n", path, double(std::filesystem::file_size(path)) * 1e-6);
    const ct::onnx::Model read = ct::onnx::import_model(path);
    auto run = ct::static_graph([&](const ct::Variable& pictures) { return read(pictures); },
                                "onnx_model");
    const ct::Variable expected = network.run(x),
                       difference = ct::max(ct::absolute(expected - run(x))) /
                                    ct::max(ct::absolute(expected));
    example.result("largest relative difference", difference.item<double>(),
                   examples::Better::smaller);
    example.print_times([&] { run(x); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example(
        "Writes a network as an ONNX model, and checks that it computes the same");
    example.choice("-a,--arch", options.arch, {"resnet50", "yolov2tiny"}, "network");
    example.flag("--pretrained", options.pretrained,
                 ".npz of its weights, for resnet50 Chainer's converted file; else random ones");
    example.flag("-I,--input", options.input,
                 "pictures [n, 3, height, width] for the check, .npy; else random ones");
    example.flag("-O,--output", options.output, "file of the model; else ARCH.onnx");
    example.flag("--size", options.size, "height and width of the pictures; 0: 224 or 416", 0);
    example.flag("--opset", options.opset, "version of ONNX's operators");
    return example.run(argc, argv, [&] { write(example, options); });
}
