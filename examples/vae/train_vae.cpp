// Chainer's train_vae: a variational auto-encoder (Kingma and Welling 2013) of images of digits.
#include <cmath>

#include "support/example.h"
#include "support/small_images.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string data, out = "results", resume;
    int64_t batch_size = 100, latent = 20, hidden = 500, samples = 1;
    double epochs = 100, beta = 1;
};

struct VAE : ct::Chain {
    ct::Linear encoder, mean, ln_var, hidden, decoder;
    VAE(int64_t pixels, int64_t latent, int64_t units)
        : encoder(pixels, units),
          mean(units, latent),
          ln_var(units, latent),
          hidden(latent, units),
          decoder(units, pixels) {
        add_children({{"encoder", encoder},
                      {"mean", mean},
                      {"ln_var", ln_var},
                      {"hidden", hidden},
                      {"decoder", decoder}});
    }
    /// Logits of the pixels.
    ct::Variable decode(const ct::Variable& z) { return decoder(ct::tanh(hidden(z))); }

    /// The negative evidence lower bound of an image, with the divergence weighted by beta, from
    /// `samples` draws of z.
    ct::Variable loss(const ct::Variable& x, double beta, int64_t samples) {
        const ct::Variable h = ct::tanh(encoder(x)), mu = mean(h), log_variance = ln_var(h);
        const double n = double(x.shape()[0]);
        ct::Variable reconstruction;
        for (int64_t k = 0; k < samples; ++k) {
            const ct::Variable term = ct::bernoulli_nll(x, decode(ct::gaussian(mu, log_variance))) /
                                      (n * double(samples));
            reconstruction = k == 0 ? term : reconstruction + term;
        }
        const ct::Variable divergence = ct::gaussian_kl_divergence(mu, log_variance) / n;
        const ct::Variable total = reconstruction + beta * divergence;
        ct::report(
            {{"loss", total}, {"reconstruction", reconstruction}, {"divergence", divergence}},
            *this);
        return total;
    }
};

/// Images of the test set over what the model makes of them, and images of random z.
static void write_examples(VAE& model, const ct::Dataset& test, const Options& options) {
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    std::vector<ct::Example> some;
    for (int64_t i = 0; i < 9; ++i) some.push_back(test[i][0]);
    const ct::Variable x = ct::concat_examples(some, {.device = &ct::current_device()})[0];
    const int64_t side = std::lround(std::sqrt(double(x.shape()[1])));
    const auto pictures = [&](const ct::Variable& y) {
        return ct::reshape(y, {-1, 1, side, side}).array();
    };
    const ct::Variable again = ct::sigmoid(model.decode(model.mean(ct::tanh(model.encoder(x)))));
    examples::write_pictures(options.out + "/reconstructed.ppm",
                             pictures(ct::concat({x, again}, 0)), 9);
    examples::write_pictures(
        options.out + "/sampled.ppm",
        pictures(ct::sigmoid(model.decode(ct::random_normal({27, options.latent})))), 9);
}

static void train(examples::Example& example, const Options& options) {
    const auto [labelled_training, labelled_test] = examples::digit_images(options.data);
    const auto image = [](const ct::Example& pair) { return ct::Example(pair[0]); };
    const ct::Dataset training = ct::TransformDataset(labelled_training, image),
                      test = ct::TransformDataset(labelled_test, image);
    VAE model(training[0][0].size(), options.latent, options.hidden);
    ct::Adam optimizer;
    optimizer.setup(model);

    ct::SerialIterator train_iter(training, options.batch_size);
    ct::SerialIterator test_iter(test, options.batch_size, {.repeat = false, .shuffle = false});
    ct::Device* device = &ct::current_device();
    const auto loss = [&](const ct::Variable& x) {
        return model.loss(x, options.beta, options.samples);
    };
    ct::StandardUpdater updater(train_iter, optimizer, loss,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::Evaluator(test_iter, model,
                                         [&](const ct::Variable& x) { model.loss(x, 1, 10); },
                                         {.device = device, .static_graph = true}));
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::LogReport());
    trainer.extend(
        extensions::PrintReport({"epoch", "main/loss", "validation/main/loss",
                                 "main/reconstruction", "main/divergence", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    write_examples(model, test, options);
    example.result("test loss", examples::observed(trainer, "validation/main/loss"),
                   examples::Better::smaller);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a variational auto-encoder");
    example.flag("--data", options.data,
                 "folder of the four MNIST files; else 8x8 digits are used");
    example.flag("-b,--batch-size", options.batch_size, "images in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-z,--dim-z", options.latent, "size of the code of an image");
    example.flag("--dim-h", options.hidden, "units of the hidden layers");
    example.flag("--beta", options.beta, "weight of the divergence");
    example.flag("-k,--k", options.samples, "draws of z for an image");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and images");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    return example.run(argc, argv, [&] { train(example, options); });
}
