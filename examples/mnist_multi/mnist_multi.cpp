// train_mnist of ChainerMN: examples/mnist on several processes, each with a part of the data.
#include <catena/catena.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>

#include "frontend/download/mnist.h"

namespace ct = catena;
namespace fs = std::filesystem;

struct MLP : ct::Chain {
    ct::Linear l1, l2, l3;
    explicit MLP(int64_t units) : l1(784, units), l2(units, units), l3(units, 10) {
        add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}});
    }
    ct::Variable operator()(const ct::Variable& x) { return l3(ct::relu(l2(ct::relu(l1(x))))); }
};

struct Options {
    std::string communicator = "flat";
    int local = 0;
    int64_t batch_size = 100;
    int epochs = 20;
    int64_t units = 1000;
    int64_t seed = 0;
    fs::path out = "result";
    std::string resume;
    bool eager = false, double_buffering = false, no_overlap = false;
    std::string data, url;
};

using Means = std::map<std::string, double>;

static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Calls visit(x, t) for every mini-batch and returns the means of what it returns: loss and
/// accuracy.
template <class Visit>
static Means over_batches(ct::SerialIterator& batches, Visit visit) {
    double loss = 0, correct = 0, count = 0;
    batches.reset();
    while (auto batch = batches.next_batch()) {
        const auto [batch_loss, accuracy] = visit((*batch)[0], (*batch)[1]);
        const double n = double((*batch)[0].shape()[0]);
        loss += batch_loss.template item<float>() * n;
        correct += accuracy.template item<float>() * n;
        count += n;
    }
    return {{"loss", loss / count}, {"accuracy", correct / count}};
}

static void run(const Options& options, const std::shared_ptr<ct::Communicator>& comm) {
    const bool first = comm->rank() == 0;
    std::optional<ct::Dataset> training_set, test_set;  // Rank 0 has them and gives each its part.
    if (first) {
        auto sets =
            ct::get_mnist(options.data.empty() ? ct::download_mnist(options.url) : options.data);
        training_set = sets.first;
        test_set = sets.second;
    }
    ct::SerialIterator training(
        ct::scatter_dataset(training_set, *comm, {.shuffle = true, .seed = options.seed}),
        options.batch_size, {.repeat = false});
    ct::SerialIterator test(ct::scatter_dataset(test_set, *comm), options.batch_size,
                            {.repeat = false, .shuffle = false});

    ct::set_seed(options.seed);
    MLP model(options.units);
    ct::Adam adam;
    adam.setup(model);
    ct::create_multi_node_optimizer(
        adam, comm, {.double_buffering = options.double_buffering, .overlap = !options.no_overlap});
    const ct::MultiNodeSnapshot snapshot = ct::multi_node_snapshot(comm);
    if (!options.resume.empty())
        snapshot.load((fs::path(options.resume) / "mlp").string(),
                      [&](const std::string& name) {
                          ct::load_npz(name + ".model", model);
                          ct::load_npz(name + ".state", adam);
                      },
                      model, &adam);
    if (first) fs::create_directories(options.out);

    const auto use = ct::using_config(&ct::Config::use_static_graph, !options.eager);
    auto step = ct::static_graph(
        [&](const ct::Variable& x, const ct::Variable& t) {
            const ct::Variable y = model(x);
            const ct::Variable loss = ct::softmax_cross_entropy(y, t);
            model.cleargrads();
            adam.backward(loss);  // Gradients travel while the others are computed.
            adam.update();
            return std::make_tuple(loss, ct::accuracy(y, t));
        },
        ct::StaticGraphOptions{.name = "mnist_step"});
    auto evaluate = ct::create_multi_node_evaluator(
        [&] {
            const auto test_mode = ct::using_config(&ct::Config::train, false);
            const auto no_graph = ct::no_backprop_mode();
            return over_batches(test, [&](const ct::Variable& x, const ct::Variable& t) {
                const ct::Variable y = model(x);
                return std::make_tuple(ct::softmax_cross_entropy(y, t), ct::accuracy(y, t));
            });
        },
        comm);

    if (first)
        fmt::print(
            "epoch       main/loss   validation/main/loss  main/accuracy  validation/main/accuracy "
            " elapsed_time\n");
    const auto start = std::chrono::steady_clock::now();
    double training_seconds = 0, images = 0;
    for (int64_t epoch = adam.epoch() + 1; epoch <= options.epochs; ++epoch) {
        ct::set_seed(options.seed +
                     epoch);  // Of the shuffle: a resumed run goes on as this one would.
        const auto epoch_start = std::chrono::steady_clock::now();
        const Means own = over_batches(
            training, [&](const ct::Variable& x, const ct::Variable& t) { return step(x, t); });
        training_seconds += seconds_since(epoch_start);
        images += double(training.dataset().size() * comm->size());
        const Means learned = ct::mean_over_ranks(*comm, own), validated = evaluate();
        if (first) {
            fmt::print("{:<10}  {:<10.6g}  {:<20.6g}  {:<13.6g}  {:<24.6g}  {:<12.6g}\n", epoch,
                       learned.at("loss"), validated.at("loss"), learned.at("accuracy"),
                       validated.at("accuracy"), seconds_since(start));
            std::fflush(stdout);
        }
        adam.new_epoch();
        snapshot.save((options.out / "mlp").string(), [&](const std::string& name) {
            ct::save_npz(name + ".model", model);
            ct::save_npz(name + ".state", adam);
        });
    }
    const ct::CommunicatorStatistics s = comm->statistics();
    if (first && images > 0)
        fmt::print(
            "{} ranks over {}: {:.0f} images/s; rank 0 sent {:.1f} MB, {:.1f} of them while it "
            "computed: "
            "{:.2f} s of transfer, of which {:.2f} s were hidden\n",
            comm->size(), comm->name(), images / training_seconds, double(s.bytes_sent) * 1e-6,
            double(s.background_bytes) * 1e-6, s.background_seconds, s.hidden_seconds());
}

int main(int argc, char** argv) {
    Options options;
    CLI::App program("Trains a multilayer perceptron on MNIST with several processes");
    program.add_option("-c,--communicator", options.communicator, "flat, naive, tcp or pure_nccl")
        ->capture_default_str();
    program.add_option("--local", options.local, "this many threads of one process instead");
    program.add_option("-b,--batchsize", options.batch_size, "images in a mini-batch of each rank")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    program.add_option("-e,--epoch", options.epochs, "sweeps over the training set")
        ->capture_default_str();
    program.add_option("-u,--unit", options.units, "hidden units of a layer")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    program.add_option("-o,--out", options.out, "folder for mlp.0.model and mlp.0.state")
        ->capture_default_str();
    program.add_option("-r,--resume", options.resume,
                       "folder of mlp.0.model and mlp.0.state to start from");
    program.add_option("--data", options.data,
                       "folder of the four MNIST files; else they are downloaded");
    program.add_option("--seed", options.seed)->capture_default_str();
    program.add_flag("--eager", options.eager, "do not compile");
    program.add_flag("--double-buffering", options.double_buffering,
                     "update with the gradients of the iteration before");
    program.add_flag("--no-overlap", options.no_overlap, "send gradients at the update only");
    CLI11_PARSE(program, argc, argv);
    try {
        if (options.local > 0)
            ct::run_local(options.local, [&](const std::shared_ptr<ct::Communicator>& comm) {
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
