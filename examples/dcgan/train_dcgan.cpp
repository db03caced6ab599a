// Chainer's train_dcgan: a generator of pictures and a discriminator that tells them from real
// ones, trained against each other.
#include "dcgan/dcgan.h"
#include "dcgan/generated.h"
#include "dcgan/updater.h"
#include "support/example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string data, out = "result", resume;
    int64_t batch_size = 50, latent = 100, width = 512, snapshot_interval = 1000,
            display_interval = 100;
    double epochs = 1000, alpha = 0.0002;
};

static void train(examples::Example& example, const Options& options) {
    const ct::Array pictures = real_pictures(options.data);
    ct::SerialIterator iterator(ct::Dataset(pictures), options.batch_size);
    Generator generator(options.latent, options.width);
    Discriminator discriminator(options.width);
    ct::Adam gen_optimizer({.alpha = options.alpha, .beta1 = 0.5}),
        dis_optimizer({.alpha = options.alpha, .beta1 = 0.5});
    for (auto [optimizer, link] : {std::pair<ct::Adam*, ct::Link*>{&gen_optimizer, &generator},
                                   {&dis_optimizer, &discriminator}}) {
        optimizer->setup(*link);
        optimizer->add_hook(ct::WeightDecay(0.0001));
    }

    ct::Device& device = ct::current_device();
    DCGANUpdater updater(iterator, generator, discriminator, gen_optimizer, dis_optimizer, &device);
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    const ct::AnyTrigger snapshots(options.snapshot_interval, "iteration"),
        display(options.display_interval, "iteration");
    trainer.extend(extensions::snapshot({.n_retains = 1}), {.trigger = snapshots});
    trainer.extend(extensions::snapshot_object(generator, "gen_iter_{.updater.iteration}"),
                   {.trigger = snapshots});
    trainer.extend(extensions::LogReport({.trigger = display}));
    trainer.extend(
        extensions::PrintReport({"epoch", "iteration", "gen/loss", "dis/loss", "elapsed_time"}),
        {.trigger = display});
    trainer.extend(
        [&](ct::Trainer& t) {
            examples::write_pictures(
                fmt::format("{}/preview_{:08}.ppm", t.out(), t.updater().iteration()),
                generated(generator, 100), 10);
        },
        {.name = "preview", .trigger = snapshots});
    trainer.extend(extensions::ProgressBar());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);

    const ct::Array real = ct::get_item(pictures, {ct::slice(0, 400)}).array().to(device);
    fmt::print("distance of moments before training {:.4f}\n",
               distance_of_moments(generated(generator, 400), real));
    trainer.run();
    examples::write_pictures(options.out + "/generated.ppm", generated(generator, 100), 10);
    example.result("distance of moments", distance_of_moments(generated(generator, 400), real),
                   examples::Better::smaller);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a deep convolutional generative adversarial network");
    example.flag("-i,--data", options.data,
                 "folder of the binary version of CIFAR-10; else pictures are made up");
    example.flag("-b,--batchsize", options.batch_size, "pictures in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-n,--n_hidden", options.latent, "size of z");
    example.flag("--width", options.width, "most channels of a layer");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and pictures");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    example.flag("--snapshot_interval", options.snapshot_interval, "iterations between snapshots");
    example.flag("--display_interval", options.display_interval,
                 "iterations between rows of the log");
    return example.run(argc, argv, [&] { train(example, options); });
}
