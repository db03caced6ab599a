// Chainer's train_cifar: VGG-16 with batch normalization on CIFAR-10 or CIFAR-100.
#include "cifar/data_sets.h"
#include "cifar/vgg.h"
#include "support/example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string dataset = "cifar10", data, out = "result", resume;
    int64_t batch_size = 64, width = 64;
    double learning_rate = 0.05, epochs = 300, dropout = 1;
    bool early_stopping = false;
};

static void train(examples::Example& example, const Options& options) {
    const auto [training, test] = small_pictures(options.dataset, options.data);
    ct::Classifier model(VGG(class_count(options.dataset), options.width, options.dropout));
    ct::MomentumSGD optimizer(options.learning_rate);
    optimizer.setup(model);
    optimizer.add_hook(ct::WeightDecay(5e-4));

    ct::SerialIterator train_iter(training, options.batch_size);
    ct::SerialIterator test_iter(test, options.batch_size, {.repeat = false, .shuffle = false});
    ct::AnyTrigger stop(options.epochs, "epoch");
    if (options.early_stopping)
        stop = ct::triggers::EarlyStoppingTrigger({.monitor = "validation/main/loss",
                                                   .verbose = true,
                                                   .max_trigger = {options.epochs, "epoch"}});
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, model,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, stop, options.out);
    trainer.extend(
        extensions::Evaluator(test_iter, model, {.device = device, .static_graph = true}));
    trainer.extend(extensions::ExponentialShift("lr", 0.5), {.trigger = {25, "epoch"}});
    trainer.extend(extensions::DumpGraph("main/loss"));
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::StopOnSignal());
    trainer.extend(extensions::LogReport());
    trainer.extend(
        extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                 "validation/main/accuracy", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    example.result("test accuracy", examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains VGG-16 on small pictures");
    example.choice("--dataset", options.dataset, data_set_names,
                   "shapes are made up, without --data");
    example.flag("--data", options.data, "folder of the unpacked binary version of the data set");
    example.flag("-b,--batchsize", options.batch_size, "pictures in a mini-batch");
    example.flag("-l,--learnrate", options.learning_rate, "halved every 25 epochs");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-o,--out", options.out, "folder for the log and snapshots");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    example.flag("--early-stopping", options.early_stopping,
                 "stop when the test loss does not fall");
    example.flag("--width", options.width, "channels of the first stage; VGG-16 has 64");
    example.flag("--dropout", options.dropout, "factor of all dropout ratios");
    return example.run(argc, argv, [&] { train(example, options); });
}
