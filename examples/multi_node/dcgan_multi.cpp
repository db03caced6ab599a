// ChainerMN's train_dcgan: examples/dcgan on several ranks. Both optimizers update with the mean
// gradients of all ranks.
#include "dcgan/dcgan.h"
#include "dcgan/generated.h"
#include "dcgan/updater.h"
#include "multi_node/ranked_training.h"
#include "support/ranked_example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string data, out = "result", gen_model, dis_model;
    int64_t batch_size = 50, latent = 100, width = 512;
    double epochs = 1000, alpha = 0.0002;
    bool resume = false;
};

static void train(examples::RankedExample& example, const Options& options,
                  const std::shared_ptr<ct::Communicator>& comm) {
    std::optional<ct::Dataset> all;  // of rank 0
    ct::Array real;
    if (comm->rank() == 0) {
        const ct::Array pictures = real_pictures(options.data);
        real = ct::get_item(pictures, {ct::slice(0, 400)}).array().to(ct::current_device());
        all = ct::Dataset(pictures);
    }
    ct::SerialIterator iterator(
        ct::scatter_dataset(all, *comm, {.shuffle = true, .seed = int64_t(example.seed)}),
        options.batch_size);

    Generator generator(options.latent, options.width);
    Discriminator discriminator(options.width);
    if (!options.gen_model.empty()) ct::load_npz(options.gen_model, generator);
    if (!options.dis_model.empty()) ct::load_npz(options.dis_model, discriminator);
    ct::Adam gen_optimizer({.alpha = options.alpha, .beta1 = 0.5}),
        dis_optimizer({.alpha = options.alpha, .beta1 = 0.5});
    for (auto [optimizer, link] : {std::pair<ct::Adam*, ct::Link*>{&gen_optimizer, &generator},
                                   {&dis_optimizer, &discriminator}}) {
        optimizer->setup(*link);
        ct::create_multi_node_optimizer(*optimizer, comm);
        optimizer->add_hook(ct::WeightDecay(0.0001));
    }
    ct::set_seed(int64_t(example.seed) + comm->rank());  // noise of this rank's own

    DCGANUpdater updater(iterator, generator, discriminator, gen_optimizer, dis_optimizer,
                         &ct::current_device());
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::AllreducePersistent(generator, comm));
    trainer.extend(extensions::AllreducePersistent(discriminator, comm));
    examples::extend_on_ranks(trainer, comm, options.resume,
                              {"epoch", "iteration", "gen/loss", "dis/loss", "elapsed_time"});
    trainer.run();

    double distance = 0;
    if (comm->rank() == 0) {
        ct::save_npz(options.out + "/gen.npz", generator);
        ct::save_npz(options.out + "/dis.npz", discriminator);
        examples::write_pictures(options.out + "/generated.ppm", generated(generator, 100), 10);
        distance = distance_of_moments(generated(generator, 400), real);
    }
    example.result(comm, "distance of moments", distance, examples::Better::smaller);
    example.print_times(comm, updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::RankedExample example(
        "Trains a deep convolutional generative adversarial network with several ranks");
    example.flag("-i,--data", options.data,
                 "folder of the binary version of CIFAR-10; else pictures are made up");
    example.flag("-b,--batchsize", options.batch_size, "pictures in a mini-batch of each rank");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-n,--n_hidden", options.latent, "size of z");
    example.flag("--width", options.width, "most channels of a layer");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.flag("-o,--out", options.out,
                 "folder for the log, snapshots, gen.npz, dis.npz and pictures");
    example.flag("--gen_model", options.gen_model, "generator to start from");
    example.flag("--dis_model", options.dis_model, "discriminator to start from");
    example.flag("-r,--resume", options.resume, "go on from the newest snapshot in --out");
    return example.run(argc, argv, [&](const auto& comm) { train(example, options, comm); });
}
