// ChainerMN's train_mnist_dual_parallel: pairs of ranks. In each pair the first rank has the first
// layer of a perceptron and the second one the others; each pair trains on its part of the images,
// and ranks with the same layers average their gradients.
#include "mnist_parallel/parts.h"
#include "multi_node/ranked_training.h"
#include "support/ranked_example.h"
#include "support/small_images.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string data, out = "result";
    int64_t batch_size = 100, units = 1000;
    double epochs = 20;
};

static void train(examples::RankedExample& example, const Options& options,
                  const std::shared_ptr<ct::Communicator>& comm) {
    if (comm->size() % 2 != 0)
        ct::fail<ct::ValueError>("ranks work in pairs: their number should be even, not {}",
                                 comm->size());
    const std::shared_ptr<ct::Communicator> pair =
        comm->split(comm->rank() / 2, comm->rank());  // with the other layers
    const std::shared_ptr<ct::Communicator> peers =
        comm->split(comm->rank() % 2, comm->rank());  // with the same layers
    const bool is_last = pair->rank() == 1;

    // Both ranks of a pair take the same mini-batches in the same order, since their iterators are
    // made from the same seed.
    const auto [training, test] = examples::digit_images(options.data);
    ct::SerialIterator train_iter(examples::part_of(training, *peers, example.seed),
                                  options.batch_size);
    ct::SerialIterator test_iter(examples::part_of(test, *peers, example.seed), options.batch_size,
                                 {.repeat = false, .shuffle = false});
    ct::MultiNodeChainList model(pair);
    if (is_last)
        model.add_link(Second(options.units), 0, {});
    else
        model.add_link(First(options.units), {}, 1);
    ct::Adam optimizer;
    optimizer.setup(model);
    ct::create_multi_node_optimizer(optimizer, peers);
    const auto loss_of = [&](const ct::Variable& x, const ct::Variable& t) {
        if (!is_last) return model(x);  // has the gradient of what was sent, and no value
        const ct::Variable y = model(), loss = ct::softmax_cross_entropy(y, t);
        ct::report({{"loss", loss}, {"accuracy", ct::accuracy(y, t)}}, model);
        return loss;
    };
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, loss_of,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(ct::create_multi_node_evaluator(
        extensions::Evaluator(test_iter, model, loss_of, {.device = device}), peers));
    constexpr int teller = 1;  // the first rank that has a loss
    if (comm->rank() == teller) {
        trainer.extend(extensions::LogReport());
        trainer.extend(
            extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                     "validation/main/accuracy", "elapsed_time"}));
    }
    trainer.run();
    example.result(comm, "test accuracy",
                   is_last ? examples::observed(trainer, "validation/main/accuracy") : 0,
                   examples::Better::larger, teller);
    example.print_times(comm, updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::RankedExample example(
        "Trains a perceptron on pairs of ranks: layers and data are divided");
    example.flag("--data", options.data,
                 "folder of the four MNIST files; else 8x8 digits are used");
    example.flag("-b,--batchsize", options.batch_size, "images in a mini-batch of each pair");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "hidden units of a layer");
    example.flag("-o,--out", options.out, "folder for the log");
    return example.run(argc, argv, [&](const auto& comm) { train(example, options, comm); });
}
