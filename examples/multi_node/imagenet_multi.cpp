// ChainerMN's train_imagenet: examples/imagenet on several ranks. Each reads its part of the
// pictures, with threads.
#include "imagenet/networks.h"
#include "imagenet/picture_sets.h"
#include "multi_node/ranked_training.h"
#include "support/ranked_example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    PictureOptions pictures;
    std::string arch = "nin", out = "result", initmodel;
    int64_t batch_size = 32, val_batch_size = 250, workers = 2;
    double epochs = 10, snapshot_interval = 1, learning_rate = 0.01;
    bool resume = false;
};

static void train(examples::RankedExample& example, Options options,
                  const std::shared_ptr<ct::Communicator>& comm) {
    Network network = make_network(options.arch, options.pictures.class_count());
    if (options.pictures.size == 0) options.pictures.size = network.insize;
    const PictureSets all =
        picture_sets(options.pictures);  // lists: a picture is read when it is asked for
    ct::Link& model = *network.link;
    if (!options.initmodel.empty()) ct::load_npz(options.initmodel, model);
    ct::MomentumSGD optimizer(options.learning_rate, 0.9);
    optimizer.setup(model);
    ct::create_multi_node_optimizer(optimizer, comm);

    const int workers = int(options.workers);
    ct::MultithreadIterator train_iter(examples::part_of(all.training, *comm, example.seed),
                                       options.batch_size, {}, workers);
    ct::MultithreadIterator val_iter(examples::part_of(all.test, *comm, example.seed),
                                     options.val_batch_size, {.repeat = false, .shuffle = false},
                                     workers);
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, network.loss,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::AllreducePersistent(
        model, comm));  // the running statistics, before they are used
    trainer.extend(ct::create_multi_node_evaluator(
        extensions::Evaluator(val_iter, model, network.loss,
                              {.device = device, .static_graph = true}),
        comm));
    trainer.extend(extensions::observe_lr());
    examples::extend_on_ranks(trainer, comm, options.resume,
                              {"epoch", "iteration", "main/loss", "validation/main/loss",
                               "main/accuracy", "validation/main/accuracy", "lr"},
                              options.snapshot_interval);
    trainer.run();

    example.result(comm, "validation accuracy",
                   examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
    example.print_times(comm, updater, 5);
}

int main(int argc, char** argv) {
    Options options;
    PictureOptions& pictures = options.pictures;
    examples::RankedExample example("Trains a large network on pictures with several ranks");
    example.choice("-a,--arch", options.arch, network_names(), "network");
    example.flag(
        "--train", pictures.train_list,
        "file of lines \"PATH LABEL\", on every machine; else pictures of shapes are made up");
    example.flag("--val", pictures.val_list, "the same for testing");
    example.flag("--pictures", pictures.made_up, "how many to make up");
    example.flag("-R,--root", pictures.root, "folder of the paths");
    example.flag("-m,--mean", pictures.mean,
                 "mean picture, .npy of compute_mean; else the mean colours of 100 pictures");
    example.flag("-B,--batchsize", options.batch_size, "pictures in a mini-batch of each rank");
    example.flag("-b,--val_batchsize", options.val_batch_size, "the same for testing");
    example.flag("-E,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-j,--loaderjob", options.workers, "threads of each rank that read pictures");
    example.flag("--initmodel", options.initmodel, "model to start from");
    example.flag("--size", pictures.size, "height and width of a part; 0: the network's", 0);
    example.flag("--class", pictures.classes, "number of labels");
    example.flag("--lr", options.learning_rate, "of momentum SGD");
    example.flag("--snapshot_interval", options.snapshot_interval, "epochs between snapshots");
    example.flag("-o,--out", options.out, "folder for the log and snapshots");
    example.flag("-r,--resume", options.resume, "go on from the newest snapshot in --out");
    return example.run(argc, argv, [&](const auto& comm) { train(example, options, comm); });
}
