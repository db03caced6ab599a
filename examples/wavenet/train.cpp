// Chainer's wavenet: a network that draws a signal sample by sample, from descriptions of short
// frames. Chainer's learns recorded speech from spectra; this one learns melodies, which are made
// on the spot, from their notes.
#include <random>

#include "support/example.h"
#include "wavenet/wavenet.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    WaveNetSizes sizes;
    std::string out = "result", resume;
    int64_t batch_size = 4, length = 7680, melodies = 200, snapshot_interval = 10000,
            display_interval = 100;
    double epochs = 100;
};

/// Random melodies: the levels of a signal, the description of its frames, and the levels one
/// sample later.
static ct::Dataset melodies(const Options& options, int64_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    const MuLaw law(options.sizes.a_channels);
    std::vector<ct::Example> all;
    for (int64_t i = 0; i < count; ++i) {
        std::vector<int> notes(size_t(options.length / options.sizes.frame));
        for (int& note : notes) note = int(random() % uint64_t(options.sizes.conditions));
        const Melody melody = play(notes, options.sizes.frame);
        std::vector<int32_t> levels, next;
        for (const float x : melody.signal) levels.push_back(law.level(x));
        next.assign(levels.begin() + 1, levels.end());
        next.push_back(-1);  // unknown: ignored by the loss
        const int64_t n = int64_t(levels.size());
        all.push_back({ct::Array::from(levels, {n}), described(notes, options.sizes.conditions),
                       ct::Array::from(next, {n})});
    }
    return all;
}

static void train(examples::Example& example, const Options& options) {
    if (options.length % options.sizes.frame != 0)
        ct::fail<ct::ValueError>("wavenet: --length should be a multiple of {} samples, it is {}",
                                 options.sizes.frame, options.length);
    WaveNet network(options.sizes);
    ct::Adam optimizer(0.002);
    optimizer.setup(network);
    const auto loss_of = [&](const ct::Variable& x, const ct::Variable& frames,
                             const ct::Variable& t) {
        const ct::Variable loss = ct::softmax_cross_entropy(network(x, frames), t);
        ct::report({{"loss", loss}}, network);
        return loss;
    };
    ct::SerialIterator train_iter(melodies(options, options.melodies, 1), options.batch_size);
    ct::SerialIterator test_iter(melodies(options, 10, 2), options.batch_size,
                                 {.repeat = false, .shuffle = false});
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, loss_of,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::Evaluator(test_iter, network, loss_of,
                                         {.device = device, .static_graph = true}));
    trainer.extend(extensions::snapshot({.n_retains = 1}),
                   {.trigger = {options.snapshot_interval, "iteration"}});
    trainer.extend(extensions::LogReport({.trigger = {options.display_interval, "iteration"}}));
    trainer.extend(extensions::PrintReport(
                       {"epoch", "iteration", "main/loss", "validation/main/loss", "elapsed_time"}),
                   {.trigger = {options.display_interval, "iteration"}});
    trainer.extend(extensions::ProgressBar());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();
    ct::save_npz(options.out + "/model.npz", network);
    example.result("test loss", examples::observed(trainer, "validation/main/loss"),
                   examples::Better::smaller);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a WaveNet on melodies");
    example.flag("-b,--batchsize", options.batch_size, "signals in a mini-batch");
    example.flag("-l,--length", options.length, "samples of a signal");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("--melodies", options.melodies, "signals to learn from");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and model");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    example.flag("--n_loop", options.sizes.n_loop, "repetitions of the dilated layers");
    example.flag("--n_layer", options.sizes.n_layer, "layers, with dilations 1, 2, 4, ...");
    example.flag("--a_channels", options.sizes.a_channels, "levels of the signal");
    example.flag("--r_channels", options.sizes.r_channels, "channels in the residual blocks");
    example.flag("--s_channels", options.sizes.s_channels, "channels of their sum");
    example.flag("--snapshot_interval", options.snapshot_interval, "iterations between snapshots");
    example.flag("--display_interval", options.display_interval,
                 "iterations between rows of the log");
    return example.run(argc, argv, [&] { train(example, options); });
}
