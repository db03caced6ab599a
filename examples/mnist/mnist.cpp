// The multilayer perceptron of Chainer's train_mnist, with its flags: compiled unless --eager.
#include "mnist.h"

#include <catena/frontend/download/mnist.h>

namespace ct = catena;

int main(int argc, char** argv) {
    Options options;
    std::string data, url;
    bool with_trainer = false;
    examples::Example example("Trains a multilayer perceptron on MNIST");
    example.flag("-b,--batchsize", options.batch_size, "images in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "hidden units of a layer");
    example.flag("-o,--out", options.out, "folder for what is saved");
    example.flag(
        "-r,--resume", options.resume,
        "folder of mlp.model and mlp.state to start from; with --trainer, a snapshot file");
    example.flag("--data", data, "folder of the four MNIST files; else they are downloaded");
    example.flag("--url", url, "where to download from instead of the usual places");
    example.flag("--trainer", with_trainer,
                 "use a Trainer instead of the loop that is written out");
    return example.run(argc, argv, [&] {
        const auto [training, test] = ct::get_mnist(data.empty() ? ct::download_mnist(url) : data);
        if (with_trainer)
            train_with_trainer(example, options, training, test);
        else
            train_by_hand(example, options, training, test);
    });
}
