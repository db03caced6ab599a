// Chainer's train_dcgan: a generator of pictures and a discriminator that tells them from real ones, trained against each other.
#include <cmath>

#include "examples/dcgan/dcgan.h"
#include "examples/support/example.h"
#include "examples/support/pictures.h"
#include "examples/support/small_images.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string data, out = "result", resume;
    int64_t batch_size = 50, latent = 100, width = 512, snapshot_interval = 1000, display_interval = 100;
    double epochs = 1000, alpha = 0.0002;
};

/// One iteration updates both networks; it is one static region.
class DCGANUpdater : public ct::StandardUpdater {
public:
    DCGANUpdater(ct::Iterator& iterator, Generator& generator, Discriminator& discriminator, ct::Optimizer& gen_optimizer,
                 ct::Optimizer& dis_optimizer, ct::Device* device)
        : StandardUpdater({{"main", &iterator}}, {{"gen", &gen_optimizer}, {"dis", &dis_optimizer}}, {.device = device}),
          generator_(generator), discriminator_(discriminator), gen_optimizer_(gen_optimizer), dis_optimizer_(dis_optimizer),
          step_(ct::static_graph([this](const ct::Variable& x_real) { return step(x_real); }, "dcgan_step")) {}

protected:
    void update_core() override {
        const auto [gen_loss, dis_loss] = step_(next_batch()[0]);
        ct::report({{"loss", gen_loss}}, generator_);
        ct::report({{"loss", dis_loss}}, discriminator_);
    }

private:
    std::tuple<ct::Variable, ct::Variable> step(const ct::Variable& x_real) {
        const ct::Variable x_fake = generator_(generator_.make_hidden(x_real.shape()[0]));
        const ct::Variable y_real = discriminator_(x_real), y_fake = discriminator_(x_fake);

        const ct::Variable gen_loss = ct::mean(ct::softplus(-y_fake));
        generator_.cleargrads();
        gen_loss.backward();
        gen_optimizer_.update();
        x_fake.unchain_backward();

        const ct::Variable dis_loss = ct::mean(ct::softplus(-y_real)) + ct::mean(ct::softplus(y_fake));
        discriminator_.cleargrads();
        dis_loss.backward();
        dis_optimizer_.update();
        return {gen_loss, dis_loss};
    }

    Generator& generator_;
    Discriminator& discriminator_;
    ct::Optimizer &gen_optimizer_, &dis_optimizer_;
    ct::StaticFunction<std::tuple<ct::Variable, ct::Variable>(ct::Variable)> step_;
};

static ct::Array generated(Generator& generator, int64_t n) {
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    return generator(generator.make_hidden(n)).array();
}

/// How far the pixels' means and deviations over generated pictures are from those over real ones: root mean square, 0 for
/// pictures of the same distribution.
static double distance_of_moments(const ct::Array& a, const ct::Array& b) {
    const auto squares = [](const ct::Variable& x, const ct::Variable& y) { return ct::mean(ct::square(x - y)).item<double>(); };
    const auto deviation = [](const ct::Array& x) { return ct::sqrt(ct::variance(x, 0)); };
    return std::sqrt(squares(ct::mean(a, 0), ct::mean(b, 0)) + squares(deviation(a), deviation(b)));
}

static ct::Array real_pictures(const Options& options) {
    if (options.data.empty()) return examples::made_up_pictures(2000, 1).images;
    const ct::Dataset all = ct::get_cifar10(options.data, {.withlabel = false}).first;
    std::vector<ct::Example> images;
    for (int64_t i = 0; i < all.size(); ++i) images.push_back(all[i]);
    return ct::concat_examples(images)[0].array();
}

static void train(examples::Example& example, const Options& options) {
    const ct::Array pictures = real_pictures(options);
    ct::SerialIterator iterator(ct::Dataset(pictures), options.batch_size);
    Generator generator(options.latent, options.width);
    Discriminator discriminator(options.width);
    ct::Adam gen_optimizer({.alpha = options.alpha, .beta1 = 0.5}), dis_optimizer({.alpha = options.alpha, .beta1 = 0.5});
    for (auto [optimizer, link] : {std::pair<ct::Adam*, ct::Link*>{&gen_optimizer, &generator}, {&dis_optimizer, &discriminator}}) {
        optimizer->setup(*link);
        optimizer->add_hook(ct::WeightDecay(0.0001));
    }

    ct::Device& device = ct::current_device();
    DCGANUpdater updater(iterator, generator, discriminator, gen_optimizer, dis_optimizer, &device);
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    const ct::AnyTrigger snapshots(options.snapshot_interval, "iteration"), display(options.display_interval, "iteration");
    trainer.extend(extensions::snapshot({.n_retains = 1}), {.trigger = snapshots});
    trainer.extend(extensions::snapshot_object(generator, "gen_iter_{.updater.iteration}"), {.trigger = snapshots});
    trainer.extend(extensions::LogReport({.trigger = display}));
    trainer.extend(extensions::PrintReport({"epoch", "iteration", "gen/loss", "dis/loss", "elapsed_time"}), {.trigger = display});
    trainer.extend(
        [&](ct::Trainer& t) {
            examples::write_pictures(fmt::format("{}/preview_{:08}.ppm", t.out(), t.updater().iteration()),
                                     generated(generator, 100), 10);
        },
        {.name = "preview", .trigger = snapshots});
    trainer.extend(extensions::ProgressBar());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);

    const ct::Array real = ct::get_item(pictures, {ct::slice(0, 400)}).array().to(device);
    fmt::print("distance of moments before training {:.4f}\n", distance_of_moments(generated(generator, 400), real));
    trainer.run();
    examples::write_pictures(options.out + "/generated.ppm", generated(generator, 100), 10);
    example.result("distance of moments", distance_of_moments(generated(generator, 400), real), examples::Better::smaller);
    example.print_times([&] { updater.update(); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a deep convolutional generative adversarial network");
    example.flag("-i,--data", options.data, "folder of the binary version of CIFAR-10; else pictures are made up");
    example.flag("-b,--batchsize", options.batch_size, "pictures in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-n,--n_hidden", options.latent, "size of z");
    example.flag("--width", options.width, "most channels of a layer");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and pictures");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    example.flag("--snapshot_interval", options.snapshot_interval, "iterations between snapshots");
    example.flag("--display_interval", options.display_interval, "iterations between rows of the log");
    return example.run(argc, argv, [&] { train(example, options); });
}
