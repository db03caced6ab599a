// Chainer's train_mnist_data_parallel and train_mnist_model_parallel: the perceptron on two devices
// of one process. With --how data each has a copy of the model and half of every mini-batch; with
// --how model, in a thread each, the first has the first layer and the second the others.
#include "mnist_parallel/parts.h"
#include "support/example.h"
#include "support/small_images.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string how = "data", data, first = "cpu", second = "cpu", out = "result_parallel", resume;
    int64_t batch_size = 400, units = 1000;
    double epochs = 20;
};

struct MLP : ct::Chain {
    ct::Linear l1, l2, l3;
    explicit MLP(int64_t units) : l1(units), l2(units), l3(10) {
        add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}});
    }
    ct::Variable operator()(const ct::Variable& x) { return l3(ct::relu(l2(ct::relu(l1(x))))); }
};

static void train_copies(examples::Example& example, const Options& options) {
    ct::Device &first = ct::get_device(options.first), &second = ct::get_device(options.second);
    const auto scope = ct::using_device(first);
    const auto [training, test] = examples::digit_images(options.data);
    ct::SerialIterator train_iter(training, options.batch_size);
    ct::SerialIterator test_iter(test, options.batch_size, {.repeat = false, .shuffle = false});
    ct::Classifier model(MLP(options.units));
    ct::Adam optimizer;
    optimizer.setup(model);
    // Gradients of the parts are added up, not averaged.
    ct::ParallelUpdater updater(train_iter, optimizer, model,
                                {.devices = {{"main", &first}, {"second", &second}}});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::Evaluator(test_iter, model, {.device = &first}));
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::LogReport());
    trainer.extend(
        extensions::PrintReport({"epoch", "main/loss", "second/loss", "validation/main/loss",
                                 "validation/main/accuracy", "elapsed_time"}));
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();
    example.result("test accuracy", examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
}

/// What a rank does: both read the same mini-batches, in the same order.
static double train_part(const Options& options, const std::shared_ptr<ct::Communicator>& comm,
                         uint64_t seed) {
    const bool is_last = comm->rank() == 1;
    const auto scope = ct::using_device(is_last ? options.second : options.first);
    ct::set_seed(int64_t(seed));
    const auto [training, test] = examples::digit_images(options.data);
    ct::SerialIterator train_iter(training, options.batch_size);
    ct::SerialIterator test_iter(test, options.batch_size, {.repeat = false, .shuffle = false});
    ct::MultiNodeChainList model(comm);
    if (is_last)
        model.add_link(Second(options.units), 0, {});
    else
        model.add_link(First(options.units), {}, 1);
    ct::Adam optimizer;
    optimizer.setup(model);
    const auto loss_of = [&](const ct::Variable& x, const ct::Variable& t) {
        if (!is_last) return model(x);  // has the gradient of what was sent, and no value
        const ct::Variable y = model(), loss = ct::softmax_cross_entropy(y, t);
        ct::report({{"loss", loss}, {"accuracy", ct::accuracy(y, t)}}, model);
        return loss;
    };
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, loss_of, {.device = device});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::Evaluator(test_iter, model, loss_of, {.device = device}));
    if (is_last) {
        trainer.extend(extensions::LogReport());
        trainer.extend(
            extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                     "validation/main/accuracy", "elapsed_time"}));
    }
    trainer.run();
    return is_last ? examples::observed(trainer, "validation/main/accuracy") : 0;
}

static void train(examples::Example& example, const Options& options) {
    if (options.how == "data") return train_copies(example, options);
    double accuracy = 0;
    ct::run_local(2, [&](const std::shared_ptr<ct::Communicator>& comm) {
        const double found = train_part(options, comm, example.seed);
        if (comm->rank() == 1) accuracy = found;
    });
    example.result("test accuracy", accuracy, examples::Better::larger);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a perceptron on two devices");
    example.choice("--how", options.how, {"data", "model"},
                   "what is divided: the mini-batch, or the layers");
    example.flag("--data", options.data,
                 "folder of the four MNIST files; else 8x8 digits are used");
    example.flag("-b,--batchsize", options.batch_size, "images in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "hidden units of a layer");
    example.flag("-d,--device0", options.first, "first device");
    example.flag("-D,--device1", options.second, "second device");
    example.flag("-o,--out", options.out, "folder for the log and snapshots");
    example.flag("-r,--resume", options.resume, "snapshot to go on from, with --how data");
    return example.run(argc, argv, [&] { train(example, options); });
}
