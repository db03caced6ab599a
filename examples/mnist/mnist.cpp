// The multilayer perceptron of Chainer's train_mnist, with its flags: compiled unless --eager.
#include "mnist.h"

#include <CLI/CLI.hpp>

#include "frontend/download/mnist.h"

namespace ct = catena;

int main(int argc, char** argv) {
    Options options;
    std::string data, url;
    bool with_trainer = false;
    CLI::App program("Trains a multilayer perceptron on MNIST");
    program.add_option("-b,--batchsize", options.batch_size, "images in a mini-batch")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    program.add_option("-e,--epoch", options.epochs, "sweeps over the training set")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    program.add_option("-u,--unit", options.units, "hidden units of a layer")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    program.add_option("-o,--out", options.out, "folder for what is saved")->capture_default_str();
    program.add_option("-r,--resume", options.resume,
                       "folder of mlp.model and mlp.state to start from; with --trainer, a snapshot file");
    program.add_option("--data", data, "folder of the four MNIST files; else they are downloaded");
    program.add_option("--url", url, "where to download from instead of the usual places");
    program.add_option("--seed", options.seed)->capture_default_str();
    program.add_option("--device", options.device, "where to train: cpu, cuda:0")->capture_default_str();
    program.add_flag("--eager", options.eager, "do not compile");
    program.add_flag("--trainer", with_trainer, "use a Trainer instead of the loop that is written out");
    CLI11_PARSE(program, argc, argv);
    try {
        const auto scope = ct::using_device(options.device);  // of all that is made from here on
        const auto [training, test] = ct::get_mnist(data.empty() ? ct::download_mnist(url) : data);
        if (with_trainer) train_with_trainer(options, training, test);
        else train_by_hand(options, training, test);
    } catch (const ct::Error& error) {
        fmt::print(stderr, "mnist: {}\n", error.what());
        return 1;
    }
    return 0;
}
