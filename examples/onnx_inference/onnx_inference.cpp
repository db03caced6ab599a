// Runs an ONNX model, compiled as any network is. Without a model, a small one is trained on
// digits, exported and read back.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "support/example.h"
#include "support/small_images.h"
#include <catena/frontend/onnx/export.h>
#include <catena/frontend/onnx/import.h>

namespace ct = catena;

struct Options {
    std::string model, input, out = "result";
    int64_t top = 5;
};

static ct::Batch all_of(const ct::Dataset& dataset) {
    std::vector<ct::Example> all;
    for (int64_t i = 0; i < dataset.size(); ++i) all.push_back(dataset[i]);
    return ct::concat_examples(all, {.device = &ct::current_device()});
}

/// Trains a perceptron on 8x8 digits for three epochs and writes it for batches of any size.
static void make_model(const std::string& path, const ct::Dataset& training) {
    ct::Sequential network{ct::Linear{64, 100}, ct::relu, ct::Linear{100, 10}};
    ct::Adam optimizer(0.003);
    optimizer.setup(network);
    auto step = ct::static_graph(
        [&](const ct::Variable& x, const ct::Variable& t) {
            const ct::Variable loss = ct::softmax_cross_entropy(network(x), t);
            network.cleargrads();
            loss.backward();
            optimizer.update();
        },
        "digits_step");
    ct::SerialIterator batches(training, 50);
    while (batches.epoch() < 3) {
        const auto batch = batches.next_batch(&ct::current_device());
        step((*batch)[0], (*batch)[1]);
    }
    const ct::Variable x = ct::Array::zeros({ct::Dtype::float32, {2, 64}});
    ct::onnx::export_model([&](const ct::Variable& digits) { return ct::softmax(network(digits)); },
                           {x}, path,
                           {.input_names = {"digits"},
                            .output_names = {"probabilities"},
                            .open_sizes = {{0, 0, "batch"}}});
}

static void print_ports(const ct::onnx::Model& model) {
    const auto print = [](const char* kind, const ct::onnx::Port& port) {
        fmt::print("{} {} [{}]\n", kind, port.name,
                   port.shape ? fmt::format("{}", fmt::join(*port.shape, ", ")) : "any");
    };
    for (const auto& port : model.inputs()) print("input", port);
    for (const auto& port : model.outputs()) print("output", port);
}

/// The largest elements of a row of scores.
static void print_top(const ct::Array& scores, int64_t count) {
    const std::vector<double> values = scores.to_vector<double>();
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return values[a] > values[b]; });
    for (size_t i = 0; i < std::min(order.size(), size_t(count)); ++i)
        fmt::print("{:>6}  {:.6f}\n", order[i], values[order[i]]);
}

static void infer(examples::Example& example, const Options& options) {
    const auto [training, test] = examples::digit_images("");
    std::string path = options.model;
    if (path.empty()) {
        std::filesystem::create_directories(options.out);
        path = options.out + "/digits.onnx";
        make_model(path, training);
    }
    const ct::onnx::Model model = ct::onnx::import_model(path);
    print_ports(model);
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    auto run = ct::static_graph([&](const ct::Variable& x) { return model.run({&x, 1})[0]; },
                                "onnx_model");
    const ct::Batch digits = all_of(test);
    const ct::Variable x = options.input.empty()
                               ? digits[0]
                               : ct::Variable(ct::load_npy(options.input).to(ct::current_device()));
    const ct::Variable y = run(x);
    fmt::print("largest of the first row of {}:\n", model.outputs()[0].name);
    print_top(ct::get_item(y, {0}).array(), options.top);
    if (options.model.empty())
        example.result("test accuracy", ct::accuracy(y, digits[1]).item<double>(),
                       examples::Better::larger);
    example.print_times([&] { run(x); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Runs an ONNX model");
    example.flag("-m,--model", options.model, "file of the model; else one for digits is made");
    example.flag("-i,--input", options.input, "array for its input, as .npy; needed with --model");
    example.flag("--top", options.top, "scores to print");
    example.flag("-o,--out", options.out, "folder for the model that is made");
    return example.run(argc, argv, [&] {
        if (options.model.empty() != options.input.empty())
            ct::fail<ct::ValueError>("onnx_inference: --model and --input belong together");
        infer(example, options);
    });
}
