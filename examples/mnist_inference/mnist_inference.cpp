// Chainer's inference example: loads a perceptron that examples/mnist trained, and classifies a
// digit of the test set.
#include "mnist/mnist.h"
#include "support/example.h"

namespace ct = catena;

static void infer(examples::Example& example, const std::string& snapshot, const std::string& data,
                  int64_t units, int64_t index) {
    MLP model(units);
    model(ct::Array::zeros({ct::Dtype::float32, {1, 784}}));  // creates the parameters
    const bool of_trainer = ct::NpzFile(snapshot).contains("updater/model:main/predictor/l1/W");
    ct::load_npz(snapshot, model, {.path = of_trainer ? "updater/model:main/predictor/" : ""});

    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    auto classify = ct::static_graph([&](const ct::Variable& x) { return ct::argmax(model(x), 1); },
                                     "classify");
    const auto [training, test] = ct::get_mnist(data);
    const auto guess_of = [&](int64_t i) {
        const ct::Array x = test[i][0].to(ct::current_device());
        return classify(ct::expand_dims(x, 0)).item<int>();
    };
    fmt::print("digit {} of the test set: label {}, the network says {}\n", index,
               test[index][1].item<int>(), guess_of(index));
    double right = 0;
    for (int64_t i = 0; i < test.size(); ++i) right += guess_of(i) == test[i][1].item<int>();
    example.result("test accuracy", right / double(test.size()), examples::Better::larger);
    example.print_times([&] { guess_of(index); }, 50);
}

int main(int argc, char** argv) {
    std::string snapshot = "result/mlp.model", data;
    int64_t units = 1000, index = 0;
    examples::Example example("Classifies digits with a trained perceptron");
    example.flag("-s,--snapshot", snapshot,
                 "mlp.model, or a snapshot of the trainer, written by mnist");
    example.flag("-u,--unit", units, "hidden units of a layer, as for mnist");
    example.flag("--index", index, "which digit of the test set to show", 0);
    example.argument("data", data, "folder of the four MNIST files");
    return example.run(argc, argv, [&] { infer(example, snapshot, data, units, index); });
}
