// Chainer's train_imagenet: large networks on lists of pictures, which worker processes read, crop
// and mirror.
#include "imagenet/networks.h"
#include "imagenet/picture_sets.h"
#include "support/example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    PictureOptions pictures;
    std::string arch = "nin", dtype = "float32", out = "result", resume, initmodel;
    int64_t batch_size = 32, val_batch_size = 250, workers = 2;
    double epochs = 10, snapshot_interval = 1, learning_rate = 0.01;
};

/// The network computes in 16 bits: its parameters keep float32 masters, and the loss is scaled so
/// that small gradients are not 0.
static void compute_in_16_bits(Network& network, ct::Optimizer& optimizer) {
    network.loss = [loss = network.loss](const ct::Variable& x, const ct::Variable& t) {
        return loss(ct::cast(x, ct::Dtype::float16), t);
    };
    optimizer.use_fp32_update();
}

static void train(examples::Example& example, Options options) {
    Network network = make_network(options.arch, options.pictures.class_count());
    if (options.pictures.size == 0) options.pictures.size = network.insize;
    const PictureSets sets = picture_sets(options.pictures);
    ct::Link& model = *network.link;
    if (!options.initmodel.empty()) ct::load_npz(options.initmodel, model);
    ct::MomentumSGD optimizer(options.learning_rate, 0.9);
    if (options.dtype != "float32") compute_in_16_bits(network, optimizer);
    optimizer.setup(model);
    if (options.dtype != "float32") ct::loss_scaling(optimizer);

    const int workers = int(options.workers);
    ct::MultiprocessIterator train_iter(sets.training, options.batch_size, {},
                                        {.n_processes = workers});
    ct::MultiprocessIterator val_iter(sets.test, options.val_batch_size,
                                      {.repeat = false, .shuffle = false},
                                      {.n_processes = workers});
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, network.loss,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::Evaluator(val_iter, model, network.loss,
                                         {.device = device, .static_graph = true}));
    const ct::AnyTrigger snapshots(options.snapshot_interval, "epoch");
    trainer.extend(extensions::snapshot({.n_retains = 1}), {.trigger = snapshots});
    trainer.extend(extensions::snapshot_object(model, "model_epoch_{.updater.epoch}"),
                   {.trigger = snapshots});
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::observe_lr());
    trainer.extend(
        extensions::PrintReport({"epoch", "iteration", "main/loss", "validation/main/loss",
                                 "main/accuracy", "validation/main/accuracy", "lr"}));
    trainer.extend(extensions::ProgressBar({.update_interval = 10}));
    trainer.extend(extensions::StopOnSignal());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();
    example.result("validation accuracy", examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
    example.print_times(updater, 5);
}

int main(int argc, char** argv) {
    Options options;
    PictureOptions& pictures = options.pictures;
    examples::Example example("Trains a large network on pictures");
    example.choice("-a,--arch", options.arch, network_names(), "network");
    example.flag("--train", pictures.train_list,
                 "file of lines \"PATH LABEL\"; else pictures of shapes are made up");
    example.flag("--val", pictures.val_list, "the same for testing");
    example.flag("--pictures", pictures.made_up, "how many to make up");
    example.flag("-R,--root", pictures.root, "folder of the paths");
    example.flag("-m,--mean", pictures.mean,
                 "mean picture, .npy of compute_mean; else the mean colours of 100 pictures");
    example.flag("-B,--batchsize", options.batch_size, "pictures in a mini-batch");
    example.flag("-b,--val_batchsize", options.val_batch_size, "the same for testing");
    example.flag("-E,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-j,--loaderjob", options.workers, "processes that read pictures");
    example.flag("--initmodel", options.initmodel, "model to start from");
    example.flag("--size", pictures.size, "height and width of a part; 0: the network's", 0);
    example.flag("--class", pictures.classes, "number of labels");
    example.choice("-d,--dtype", options.dtype, {"float32", "mixed16", "float16"},
                   "of parameters and arithmetic; mixed16: normalization in float32");
    example.flag("--lr", options.learning_rate, "of momentum SGD");
    example.flag("--snapshot_interval", options.snapshot_interval, "epochs between snapshots");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and models");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    return example.run(argc, argv, [&] {
        // Links that are made in these scopes have parameters of that dtype.
        const auto dtype =
            ct::using_config(&ct::Config::dtype,
                             options.dtype == "float16" ? ct::Dtype::float16 : ct::Dtype::float32);
        std::optional<ct::Mixed16Scope> mixed;
        if (options.dtype == "mixed16") mixed.emplace();
        train(example, options);
    });
}
