// The loop run by a Trainer on every rank; rank 0 alone writes and prints.
#include "mnist_multi.h"

namespace extensions = catena::extensions;

void train_with_trainer(const Options& options, const std::shared_ptr<ct::Communicator>& comm,
                        const Sets& sets) {
    ct::set_seed(options.seed);
    ct::Classifier model(MLP(options.units));
    ct::Adam adam;
    adam.setup(model);
    ct::create_multi_node_optimizer(
        adam, comm, {.double_buffering = options.double_buffering, .overlap = !options.no_overlap});

    const bool compiled = !options.eager;
    ct::Device* device = &ct::current_device();  // Batches are moved there.
    ct::SerialIterator training(sets.training, options.batch_size);
    ct::SerialIterator test(sets.test, options.batch_size, {.repeat = false, .shuffle = false});
    ct::StandardUpdater updater(training, adam, model,
                                {.device = device, .static_graph = compiled});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);

    trainer.extend(ct::create_multi_node_evaluator(
        extensions::Evaluator(test, model, {.device = device, .static_graph = compiled}), comm));
    trainer.extend(ct::multi_node_snapshot(
        comm, extensions::SnapshotOptions{.n_retains = 2, .autoload = !options.resume.empty()}));
    trainer.extend(extensions::MultiNodeStopOnSignal(comm));  // Ctrl-C saves a snapshot first.
    if (comm->rank() == 0) {
        trainer.extend(extensions::LogReport());
        trainer.extend(
            extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                     "validation/main/accuracy", "elapsed_time"}));
    }
    trainer.run();
    print_statistics(*comm, double(updater.iteration() * options.batch_size * comm->size()),
                     trainer.elapsed_time());
}
