// Chainer's train_imagenet: large networks on lists of pictures, which worker processes read, crop and mirror.
#include <filesystem>

#include "examples/imagenet/networks.h"
#include "examples/support/example.h"
#include "examples/support/pictures.h"
#include "frontend/image/image_dataset.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string arch = "nin", train_list, val_list, root = ".", mean, out = "result", resume, initmodel;
    int64_t batch_size = 32, val_batch_size = 250, workers = 2, size = 0, classes = 1000, made_up = 1000;
    double epochs = 10, learning_rate = 0.01;
};

/// Pictures [3, h, w] with values 0 to 255, and their labels.
static ct::Dataset pictures(const std::string& list, const Options& options, int64_t made_up, uint64_t seed) {
    if (!list.empty()) return ct::LabeledImageDataset(list, {.root = options.root});
    const examples::Pictures small = examples::made_up_pictures(made_up, seed);
    const int64_t side = options.size + 8;
    const auto enlarged = [side](const ct::Example& e) {
        const auto no_graph = ct::no_backprop_mode();
        return ct::Example{(255 * ct::squeeze(ct::resize_images(ct::expand_dims(e[0], 0), {side, side}), {0})).array(), e[1]};
    };
    return ct::TransformDataset(ct::TupleDataset(small.images, small.labels), enlarged);
}

/// The mean colours of some pictures, [3, 1, 1].
static ct::Array mean_of(const ct::Dataset& dataset, const Options& options) {
    if (!options.mean.empty()) return ct::mean(ct::load_npy(options.mean), {1, 2}, true).array();
    const int64_t count = std::min<int64_t>(dataset.size(), 100);
    ct::Variable sum = ct::Array::zeros({ct::Dtype::float32, {3, 1, 1}});
    for (int64_t i = 0; i < count; ++i) sum = sum + ct::mean(dataset[i][0], {1, 2}, true);
    return (sum / double(count)).array();
}

/// Parts of the pictures: random and mirrored for training, from the middle for testing; about -1 to 1.
static ct::Dataset prepared(const ct::Dataset& dataset, const ct::Array& mean, int64_t size, bool random) {
    return ct::TransformDataset(dataset, [=](const ct::Example& e) {
        const auto no_graph = ct::no_backprop_mode();
        const ct::Array part = random ? ct::random_flip(ct::random_crop(e[0], {size, size})) : ct::center_crop(e[0], {size, size});
        return ct::Example{(part - mean) / 128.0, e[1]};
    });
}

template <class Network>
static void train(examples::Example& example, Options options) {
    if (options.size == 0) options.size = Network::insize;
    const ct::Dataset training = pictures(options.train_list, options, options.made_up, 1);
    const ct::Dataset test = pictures(options.val_list, options, options.made_up / 5, 2);
    const ct::Array mean = mean_of(training, options);
    const ct::Dataset train_set = prepared(training, mean, options.size, true), val_set = prepared(test, mean, options.size, false);

    ct::Classifier model(Network(options.train_list.empty() ? 10 : options.classes));
    if (!options.initmodel.empty()) ct::load_npz(options.initmodel, model);
    ct::MomentumSGD optimizer(options.learning_rate, 0.9);
    optimizer.setup(model);

    ct::MultiprocessIterator train_iter(train_set, options.batch_size, {}, {.n_processes = int(options.workers)});
    ct::MultiprocessIterator val_iter(val_set, options.val_batch_size,
                                      {.repeat = false, .shuffle = false}, {.n_processes = int(options.workers)});
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, model, {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::Evaluator(val_iter, model, {.device = device, .static_graph = true}));
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::snapshot_object(model, "model_epoch_{.updater.epoch}"));
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::observe_lr());
    trainer.extend(extensions::PrintReport({"epoch", "iteration", "main/loss", "validation/main/loss", "main/accuracy",
                                            "validation/main/accuracy", "lr"}));
    trainer.extend(extensions::ProgressBar({.update_interval = 10}));
    trainer.extend(extensions::StopOnSignal());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();
    example.result("validation accuracy", trainer.observation().at("validation/main/accuracy").value(), examples::Better::larger);
    example.print_times([&] { updater.update(); }, 5);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a large network on pictures");
    example.choice("-a,--arch", options.arch, {"alex", "nin", "resnet50"}, "network");
    example.flag("--train", options.train_list, "file of lines \"PATH LABEL\"; else pictures of shapes are made up");
    example.flag("--val", options.val_list, "the same for testing");
    example.flag("--pictures", options.made_up, "how many to make up");
    example.flag("-R,--root", options.root, "folder of the paths");
    example.flag("-m,--mean", options.mean, "mean picture, .npy; else computed of 100 pictures");
    example.flag("-B,--batchsize", options.batch_size, "pictures in a mini-batch");
    example.flag("-b,--val_batchsize", options.val_batch_size, "the same for testing");
    example.flag("-E,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-j,--loaderjob", options.workers, "processes that read pictures");
    example.flag("--initmodel", options.initmodel, "model to start from");
    example.flag("--size", options.size, "height and width of a part; 0: the network's");
    example.flag("--class", options.classes, "number of labels");
    example.flag("--lr", options.learning_rate, "of momentum SGD");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and models");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    return example.run(argc, argv, [&] {
        if (options.arch == "alex") train<Alex>(example, options);
        else if (options.arch == "nin") train<NIN>(example, options);
        else train<ResNet50>(example, options);
    });
}
