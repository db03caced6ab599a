#include "mnist.h"

namespace ct = catena;
namespace extensions = catena::extensions;

void train_with_trainer(examples::Example& example, const Options& options,
                        const ct::Dataset& training, const ct::Dataset& test) {
    ct::Classifier model(MLP(options.units));
    ct::Adam adam;
    adam.setup(model);

    ct::Device* device = &ct::current_device();  // Batches are moved there.
    ct::SerialIterator train_iter(training, options.batch_size);
    ct::SerialIterator test_iter(test, options.batch_size, {.repeat = false, .shuffle = false});
    ct::StandardUpdater updater(train_iter, adam, model, {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);

    trainer.extend(
        extensions::Evaluator(test_iter, model, {.device = device, .static_graph = true}));
    trainer.extend(extensions::DumpGraph("main/loss"));
    trainer.extend(extensions::snapshot({.n_retains = 2}));
    trainer.extend(extensions::StopOnSignal());  // Ctrl-C saves a snapshot first.
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::PlotReport({"main/loss", "validation/main/loss"},
                                          {.x_key = "epoch", .filename = "loss.png"}));
    trainer.extend(extensions::PlotReport({"main/accuracy", "validation/main/accuracy"},
                                          {.x_key = "epoch", .filename = "accuracy.png"}));
    trainer.extend(
        extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                 "validation/main/accuracy", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());

    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();
    if (trainer.stopping()) return;  // By a signal.
    example.result("validation accuracy", examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
    example.print_times(updater);
}
