// Chainer's train_cifar_custom_loop: the training of train_cifar.cpp without a Trainer, the loop
// written out.
#include <filesystem>

#include "cifar/data_sets.h"
#include "cifar/vgg.h"
#include "support/example.h"
#include "support/means.h"

namespace ct = catena;

struct Options {
    std::string dataset = "cifar10", data, out = "result", resume;
    int64_t batch_size = 64, width = 64, epochs = 300;
    double learning_rate = 0.05, dropout = 1;
};

using Network = ct::Classifier<VGG>;

/// Loss and accuracy of a batch, as the classifier reports them.
static examples::Scores scores_of(Network& model, const ct::Variable& x, const ct::Variable& t) {
    const ct::Variable y = model.predictor(x);
    return {ct::softmax_cross_entropy(y, t), ct::accuracy(y, t)};
}

static examples::Means evaluate(Network& model, ct::SerialIterator& batches) {
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    examples::Means means;
    batches.reset();
    while (auto batch = batches.next_batch(&ct::current_device()))
        means.add(scores_of(model, (*batch)[0], (*batch)[1]), (*batch)[1].size());
    return means;
}

static void train(examples::Example& example, const Options& options) {
    const auto [training, test] = small_pictures(options.dataset, options.data);
    Network model(VGG(class_count(options.dataset), options.width, options.dropout));
    ct::MomentumSGD optimizer(options.learning_rate);
    optimizer.setup(model);
    optimizer.add_hook(ct::WeightDecay(5e-4));
    if (!options.resume.empty()) {
        ct::load_npz(options.resume + "/cifar.model", model);
        ct::load_npz(options.resume + "/cifar.state", optimizer);
    }
    auto step = ct::static_graph(
        [&](const ct::Variable& x, const ct::Variable& t) {
            const examples::Scores scores = scores_of(model, x, t);
            model.cleargrads();
            scores.loss.backward();
            optimizer.update();
            return std::make_tuple(scores.loss, scores.accuracy);
        },
        "cifar_step");

    std::filesystem::create_directories(options.out);
    ct::SerialIterator train_iter(training, options.batch_size, {.repeat = false});
    ct::SerialIterator test_iter(test, options.batch_size, {.repeat = false, .shuffle = false});
    double accuracy = 0;
    for (int64_t epoch = optimizer.epoch() + 1; epoch <= options.epochs; ++epoch) {
        optimizer.lr = options.learning_rate *
                       std::pow(0.5, double((epoch - 1) / 25));  // halved every 25 epochs
        examples::Means learned;
        train_iter.reset();
        while (auto batch = train_iter.next_batch(&ct::current_device())) {
            const auto [loss, right] = step((*batch)[0], (*batch)[1]);
            learned.add({loss, right}, (*batch)[1].size());
        }
        const examples::Means found = evaluate(model, test_iter);
        accuracy = found.accuracy();
        fmt::print("epoch {}: loss {:.4f}, accuracy {:.4f}; test loss {:.4f}, accuracy {:.4f}\n",
                   epoch, learned.loss(), learned.accuracy(), found.loss(), accuracy);
        std::fflush(stdout);
        optimizer.new_epoch();
        ct::save_npz(options.out + "/cifar.model", model);
        ct::save_npz(options.out + "/cifar.state", optimizer);
    }
    if (accuracy == 0) accuracy = evaluate(model, test_iter).accuracy();  // nothing was left to do
    example.result("test accuracy", accuracy, examples::Better::larger);
    train_iter.reset();
    const ct::Batch batch = *train_iter.next_batch(&ct::current_device());
    example.print_times([&] { step(batch[0], batch[1]); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains VGG-16 on small pictures, by a loop of its own");
    example.choice("--dataset", options.dataset, data_set_names,
                   "shapes are made up, without --data");
    example.flag("--data", options.data, "folder of the unpacked binary version of the data set");
    example.flag("-b,--batchsize", options.batch_size, "pictures in a mini-batch");
    example.flag("-l,--learnrate", options.learning_rate, "halved every 25 epochs");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-o,--out", options.out, "folder for cifar.model and cifar.state");
    example.flag("-r,--resume", options.resume,
                 "folder of cifar.model and cifar.state to go on from");
    example.flag("--width", options.width, "channels of the first stage; VGG-16 has 64");
    example.flag("--dropout", options.dropout, "factor of all dropout ratios");
    return example.run(argc, argv, [&] { train(example, options); });
}
