// The loop written out.
#include "mnist_multi.h"

#include <chrono>

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
    while (auto batch = batches.next_batch(&ct::current_device())) {
        const auto [batch_loss, accuracy] = visit((*batch)[0], (*batch)[1]);
        const double n = double((*batch)[0].shape()[0]);
        loss += batch_loss.template item<float>() * n;
        correct += accuracy.template item<float>() * n;
        count += n;
    }
    return {{"loss", loss / count}, {"accuracy", correct / count}};
}

void train_by_hand(const Options& options, const std::shared_ptr<ct::Communicator>& comm,
                   const Sets& sets) {
    const bool first = comm->rank() == 0;
    ct::SerialIterator test(sets.test, options.batch_size, {.repeat = false, .shuffle = false});

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
        // An iterator draws its order when it is made: a resumed run goes on as this one would.
        ct::set_seed(options.seed + epoch);
        ct::SerialIterator training(sets.training, options.batch_size, {.repeat = false});
        const auto epoch_start = std::chrono::steady_clock::now();
        const Means own = over_batches(
            training, [&](const ct::Variable& x, const ct::Variable& t) { return step(x, t); });
        training_seconds += seconds_since(epoch_start);
        images += double(sets.training.size() * comm->size());
        const Means learned = ct::mean_over_ranks(*comm, own), validated = evaluate();
        if (first) {
            fmt::print("{:<10}  {:<10.6g}  {:<20.6g}  {:<13.6g}  {:<24.6g}  {:<12.6g}\n", epoch,
                       learned.at("loss"), validated.at("loss"), learned.at("accuracy"),
                       validated.at("accuracy"), seconds_since(start));
            std::fflush(stdout);
        }
        adam.new_epoch();
        snapshot.save((fs::path(options.out) / "mlp").string(), [&](const std::string& name) {
            ct::save_npz(name + ".model", model);
            ct::save_npz(name + ".state", adam);
        });
    }
    print_statistics(*comm, images, training_seconds);
}
