// train_mnist of ChainerMN: examples/mnist on several processes, each with a part of the data.
#include "mnist_multi.h"

#include <catena/frontend/download/mnist.h>

#include "support/flags.h"

void print_statistics(ct::Communicator& comm, double images, double seconds) {
    if (comm.rank() > 0 || images == 0) return;
    const ct::CommunicatorStatistics s = comm.statistics();
    fmt::print(
        "{} ranks over {}: {:.0f} images/s; rank 0 sent {:.1f} MB, {:.1f} of them while it "
        "computed: "
        "{:.2f} s of transfer, of which {:.2f} s were hidden\n",
        comm.size(), comm.name(), images / seconds, double(s.bytes_sent) * 1e-6,
        double(s.background_bytes) * 1e-6, s.background_seconds, s.hidden_seconds());
}

/// Rank 0 reads the data and gives each rank its part.
static Sets scattered_sets(const Options& options, ct::Communicator& comm) {
    std::optional<ct::Dataset> training, test;
    if (comm.rank() == 0) {
        auto sets =
            ct::get_mnist(options.data.empty() ? ct::download_mnist(options.url) : options.data);
        training = sets.first;
        test = sets.second;
    }
    return {ct::scatter_dataset(training, comm, {.shuffle = true, .seed = options.seed}),
            ct::scatter_dataset(test, comm)};
}

static void run(const Options& options, const std::shared_ptr<ct::Communicator>& comm) {
    // "cuda": the n-th rank of a machine has its n-th device.
    const std::string device =
        options.device == "cuda" ? fmt::format("cuda:{}", comm->intra_rank()) : options.device;
    const auto scope = ct::using_device(device);  // of all that is made from here on
    const Sets sets = scattered_sets(options, *comm);
    if (options.trainer)
        train_with_trainer(options, comm, sets);
    else
        train_by_hand(options, comm, sets);
}

int main(int argc, char** argv) {
    Options options;
    examples::Flags flags("Trains a multilayer perceptron on MNIST with several processes");
    flags.add("-c,--communicator", options.communicator, "auto, flat, naive, tcp or pure_nccl");
    flags.add("--local", options.local, "this many threads of one process instead", 0);
    flags.add("-b,--batchsize", options.batch_size, "images in a mini-batch of each rank", 1);
    flags.add("-e,--epoch", options.epochs, "sweeps over the training set");
    flags.add("-u,--unit", options.units, "hidden units of a layer", 1);
    flags.add("-o,--out", options.out, "folder for mlp.0.model and mlp.0.state");
    flags.add("-r,--resume", options.resume, "folder of mlp.0.model and mlp.0.state to start from");
    flags.add("--device", options.device,
              "where to train: cpu, cuda:0, cuda (a device for each rank)");
    flags.add("--data", options.data, "folder of the four MNIST files; else they are downloaded");
    flags.add("--seed", options.seed, "of all random numbers");
    flags.add("--trainer", options.trainer, "let a Trainer run the loop");
    flags.add("--eager", options.eager, "do not compile");
    flags.add("--double-buffering", options.double_buffering,
              "update with the gradients of the iteration before");
    flags.add("--no-overlap", options.no_overlap, "send gradients at the update only");
    if (const std::optional<int> status = flags.read(argc, argv)) return *status;
    try {
        if (options.local > 0)
            ct::run_local(int(options.local), [&](const std::shared_ptr<ct::Communicator>& comm) {
                run(options, comm);
            });
        else
            run(options, ct::create_communicator(options.communicator));
    } catch (const std::exception& error) {
        fmt::print(stderr, "mnist_multi: {}\n", error.what());
        return 1;
    }
    return 0;
}
