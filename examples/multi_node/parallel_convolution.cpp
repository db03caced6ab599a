// ChainerMN's parallel_convolution: VGG-16 whose convolutions are divided among the ranks, each of
// which has some of the channels.
#include "multi_node/parallel_vgg.h"

#include "cifar/data_sets.h"
#include "support/ranked_example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string dataset = "cifar10", data, out = "result";
    int64_t batch_size = 64, width = 64;
    double learning_rate = 0.05, epochs = 20, dropout = 1;
};

static void train(examples::RankedExample& example, const Options& options,
                  const std::shared_ptr<ct::Communicator>& comm) {
    // All ranks take the batches of rank 0.
    const auto [training, test] = small_pictures(options.dataset, options.data);
    std::shared_ptr<ct::Iterator> batches, test_batches;
    if (comm->rank() == 0) {
        batches = std::make_shared<ct::SerialIterator>(training, options.batch_size);
        test_batches = std::make_shared<ct::SerialIterator>(
            test, options.batch_size, ct::IteratorOptions{.repeat = false, .shuffle = false});
    }
    ct::MultiNodeIterator train_iter(batches, comm, 0), test_iter(test_batches, comm, 0);

    ct::set_seed(int64_t(example.seed) +
                 comm->rank());  // the ranks' channels begin with different weights
    ParallelVGG network(comm, class_count(options.dataset), options.width, options.dropout);
    ct::MomentumSGD optimizer(options.learning_rate);
    optimizer.setup(network);
    optimizer.add_hook(ct::WeightDecay(5e-4));
    const auto loss_of = [&](const ct::Variable& x, const ct::Variable& t) {
        const ct::Variable y = network(x), loss = ct::softmax_cross_entropy(y, t);
        ct::report({{"loss", loss}, {"accuracy", ct::accuracy(y, t)}}, network);
        return loss / double(comm->size());
    };
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, loss_of,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::Evaluator(test_iter, network, loss_of,
                                         {.device = device, .static_graph = true}));
    trainer.extend(extensions::ExponentialShift("lr", 0.5), {.trigger = {25, "epoch"}});
    if (comm->rank() == 0) {
        trainer.extend(extensions::LogReport());
        trainer.extend(
            extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                     "validation/main/accuracy", "elapsed_time"}));
    }
    trainer.run();
    example.result(comm, "test accuracy", examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
    example.print_times(comm, updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::RankedExample example("Trains VGG-16 whose channels are divided among several ranks");
    example.choice("--dataset", options.dataset, data_set_names,
                   "shapes are made up, without --data");
    example.flag("--data", options.data, "folder of the unpacked binary version of the data set");
    example.flag("-b,--batchsize", options.batch_size,
                 "pictures in a mini-batch, the same on all ranks");
    example.flag("-l,--learnrate", options.learning_rate, "halved every 25 epochs");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-o,--out", options.out, "folder for the log");
    example.flag("--width", options.width,
                 "channels of the first stage on all ranks together; VGG-16 has 64");
    example.flag("--dropout", options.dropout, "factor of all dropout ratios");
    return example.run(argc, argv, [&](const auto& comm) { train(example, options, comm); });
}
