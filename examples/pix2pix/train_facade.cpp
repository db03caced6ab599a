// Chainer's pix2pix: from plans of facades to pictures of them, by an encoder, a decoder and a
// discriminator. Chainer's learns the CMP facades; these are made on the spot.
#include <random>

#include "pix2pix/pix2pix.h"
#include "support/example.h"
#include "support/small_images.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string out = "result", resume;
    int64_t batch_size = 1, width = 64, levels = 5, facades = 300, snapshot_interval = 1000,
            display_interval = 100;
    double epochs = 200;
};

enum Part { wall, window, door, sky, parts };

/// Plans [4, 32, 32], 1 where the part is, and pictures [3, 32, 32] in (-1, 1): every part has its
/// colour and shading.
static ct::Dataset facades(int64_t count, uint64_t seed) {
    constexpr int size = 32;
    static constexpr float colours[parts][3] = {
        {0.5f, 0.0f, -0.4f}, {-0.6f, -0.2f, 0.5f}, {-0.2f, -0.6f, -0.7f}, {0.2f, 0.6f, 0.9f}};
    std::mt19937_64 random(seed);
    std::vector<ct::Example> all;
    for (int64_t n = 0; n < count; ++n) {
        const int roof = 2 + int(random() % 6), step = 6 + int(random() % 4),
                  left = int(random() % 4), at = int(random() % 24);
        std::vector<float> plan(parts * size * size, 0.f), picture(3 * size * size);
        for (int y = 0; y < size; ++y)
            for (int x = 0; x < size; ++x) {
                Part part = wall;
                if (y < roof)
                    part = sky;
                else if (y >= 24 && x >= at && x < at + 5)
                    part = door;
                else if ((y - roof) % step > 1 && (y - roof) % step < 5 && (x + left) % step < 3 &&
                         y < 24)
                    part = window;
                plan[(part * size + y) * size + x] = 1;
                for (int c = 0; c < 3; ++c)
                    picture[(c * size + y) * size + x] =
                        colours[part][c] * (0.8f + 0.2f * float(y) / size);
            }
        all.push_back({ct::Array::from(plan, {parts, size, size}),
                       ct::Array::from(picture, {3, size, size})});
    }
    return all;
}

struct Networks {
    Encoder encoder;
    Decoder decoder;
    PatchDiscriminator discriminator;
    ct::Variable picture(const ct::Variable& plan) { return decoder(encoder(plan)); }
};

/// One iteration updates the three networks; it is one static region.
class FacadeUpdater : public ct::StandardUpdater {
public:
    struct Optimizers {
        ct::Optimizer &encoder, &decoder, &discriminator;
    };
    FacadeUpdater(ct::Iterator& iterator, Networks& networks, Optimizers optimizers,
                  ct::Device* device)
        : StandardUpdater({{"main", &iterator}},
                          {{"enc", &optimizers.encoder},
                           {"dec", &optimizers.decoder},
                           {"dis", &optimizers.discriminator}},
                          {.device = device}),
          networks_(networks),
          optimizers_(optimizers) {}

protected:
    void update_core() override {
        const ct::Batch batch = next_batch();
        const auto [gen_loss, dis_loss] = step_(batch[0], batch[1]);
        ct::report({{"loss", gen_loss}}, networks_.decoder);
        ct::report({{"loss", dis_loss}}, networks_.discriminator);
    }

private:
    using Losses = std::tuple<ct::Variable, ct::Variable>;
    Losses step(const ct::Variable& plan, const ct::Variable& real) {
        constexpr double weight_of_distance = 100;
        const ct::Variable made = networks_.picture(plan);
        const ct::Variable y_made = networks_.discriminator(plan, made),
                           y_real = networks_.discriminator(plan, real);

        const ct::Variable gen_loss = weight_of_distance * ct::mean_absolute_error(made, real) +
                                      ct::mean(ct::softplus(-y_made));
        networks_.encoder.cleargrads();
        networks_.decoder.cleargrads();
        gen_loss.backward();
        optimizers_.encoder.update();
        optimizers_.decoder.update();
        made.unchain_backward();

        const ct::Variable dis_loss =
            ct::mean(ct::softplus(-y_real)) + ct::mean(ct::softplus(y_made));
        networks_.discriminator.cleargrads();
        dis_loss.backward();
        optimizers_.discriminator.update();
        return {gen_loss, dis_loss};
    }

    Networks& networks_;
    Optimizers optimizers_;
    ct::StaticFunction<Losses(ct::Variable, ct::Variable)> step_ = ct::static_graph(
        [this](const ct::Variable& plan, const ct::Variable& real) { return step(plan, real); },
        "facade_step");
};

/// Pictures of plans that were not learned, above the real ones; returns their mean distance.
static double test(Networks& networks, const ct::Dataset& dataset, const std::string& path) {
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    std::vector<ct::Example> all;
    for (int64_t i = 0; i < dataset.size(); ++i) all.push_back(dataset[i]);
    const ct::Batch batch = ct::concat_examples(all, {.device = &ct::current_device()});
    const ct::Variable made = networks.picture(batch[0]);
    examples::write_pictures(path, (0.5 * ct::concat({made, batch[1]}, 0) + 0.5).array(),
                             dataset.size());
    return ct::mean_absolute_error(made, batch[1]).item<double>();
}

static void train(examples::Example& example, const Options& options) {
    Networks networks{Encoder(parts, options.width, options.levels),
                      Decoder(3, options.width, options.levels),
                      PatchDiscriminator(parts, 3, options.width)};
    const ct::AdamOptions rule{.alpha = 0.0002, .beta1 = 0.5};
    ct::Adam encoder(rule), decoder(rule), discriminator(rule);
    encoder.setup(networks.encoder);
    decoder.setup(networks.decoder);
    discriminator.setup(networks.discriminator);
    for (ct::Adam* optimizer : {&encoder, &decoder, &discriminator})
        optimizer->add_hook(ct::WeightDecay(0.00001));

    ct::SerialIterator iterator(facades(options.facades, 1), options.batch_size);
    FacadeUpdater updater(iterator, networks, {encoder, decoder, discriminator},
                          &ct::current_device());
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    const ct::AnyTrigger display(options.display_interval, "iteration"),
        snapshots(options.snapshot_interval, "iteration");
    trainer.extend(extensions::snapshot({.n_retains = 1}), {.trigger = snapshots});
    trainer.extend(extensions::LogReport({.trigger = display}));
    trainer.extend(
        extensions::PrintReport({"epoch", "iteration", "dec/loss", "dis/loss", "elapsed_time"}),
        {.trigger = display});
    trainer.extend(extensions::ProgressBar());
    const ct::Dataset others = facades(10, 2);
    trainer.extend(
        [&](ct::Trainer& t) {
            test(networks, others, fmt::format("{}/test_{}.ppm", t.out(), t.updater().iteration()));
        },
        {.name = "pictures", .trigger = snapshots});
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    example.result("distance from the real pictures",
                   test(networks, others, options.out + "/test.ppm"), examples::Better::smaller);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains pix2pix on facades");
    example.flag("-b,--batchsize", options.batch_size, "pictures in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("--facades", options.facades, "pictures to learn from");
    example.flag("--width", options.width, "channels at full size");
    example.flag("--levels", options.levels, "halvings of the size");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and pictures");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    example.flag("--snapshot_interval", options.snapshot_interval, "iterations between snapshots");
    example.flag("--display_interval", options.display_interval,
                 "iterations between rows of the log");
    return example.run(argc, argv, [&] { train(example, options); });
}
