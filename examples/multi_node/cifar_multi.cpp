// ChainerMN's train_cifar: examples/cifar on several ranks, each with a part of the pictures.
#include "cifar/data_sets.h"
#include "cifar/vgg.h"
#include "multi_node/ranked_training.h"
#include "support/ranked_example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string dataset = "cifar10", data, out = "result";
    int64_t batch_size = 64, width = 64;
    double learning_rate = 0.05, epochs = 300, dropout = 1;
    bool resume = false;
};

static void train(examples::RankedExample& example, const Options& options,
                  const std::shared_ptr<ct::Communicator>& comm) {
    std::optional<ct::Dataset> all_training, all_test;  // of rank 0
    if (comm->rank() == 0)
        std::tie(all_training, all_test) = small_pictures(options.dataset, options.data);
    const ct::Dataset training =
        ct::scatter_dataset(all_training, *comm, {.shuffle = true, .seed = int64_t(example.seed)});
    const ct::Dataset test = ct::scatter_dataset(all_test, *comm);

    ct::Classifier model(VGG(class_count(options.dataset), options.width, options.dropout));
    ct::MomentumSGD optimizer(options.learning_rate);
    optimizer.setup(model);
    ct::create_multi_node_optimizer(optimizer, comm);
    optimizer.add_hook(ct::WeightDecay(5e-4));

    ct::SerialIterator train_iter(training, options.batch_size);
    ct::SerialIterator test_iter(test, options.batch_size, {.repeat = false, .shuffle = false});
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, model,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::AllreducePersistent(
        model, comm));  // the running statistics, before they are used
    trainer.extend(ct::create_multi_node_evaluator(
        extensions::Evaluator(test_iter, model, {.device = device, .static_graph = true}), comm));
    trainer.extend(extensions::ExponentialShift("lr", 0.5), {.trigger = {25, "epoch"}});
    examples::extend_on_ranks(trainer, comm, options.resume,
                              {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                               "validation/main/accuracy", "elapsed_time"});
    trainer.run();

    example.result(comm, "test accuracy", examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
    example.print_times(comm, updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::RankedExample example("Trains VGG-16 on small pictures with several ranks");
    example.choice("--dataset", options.dataset, data_set_names,
                   "shapes are made up, without --data");
    example.flag("--data", options.data, "folder of the unpacked binary version of the data set");
    example.flag("-b,--batchsize", options.batch_size, "pictures in a mini-batch of each rank");
    example.flag("-l,--learnrate", options.learning_rate, "halved every 25 epochs");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-o,--out", options.out, "folder for the log and snapshots");
    example.flag("-r,--resume", options.resume, "go on from the newest snapshot in --out");
    example.flag("--width", options.width, "channels of the first stage; VGG-16 has 64");
    example.flag("--dropout", options.dropout, "factor of all dropout ratios");
    return example.run(argc, argv, [&](const auto& comm) { train(example, options, comm); });
}
