// The multilayer perceptron of Chainer's train_mnist, with its flags: compiled unless --eager.
#include <catena/catena.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>
#include <random>

#include "mnist_data.h"

namespace ct = catena;
namespace fs = std::filesystem;

struct MLP : ct::Chain {
    ct::Linear l1, l2, l3;
    explicit MLP(int64_t units) : l1(units), l2(units), l3(10) {
        add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}});
    }
    ct::Variable operator()(const ct::Variable& x) { return l3(ct::relu(l2(ct::relu(l1(x))))); }
};

struct Options {
    int64_t batch_size = 100;
    int epochs = 20;
    int64_t units = 1000;
    uint64_t seed = 0;
    fs::path out = "result";
    std::string resume;
    bool eager = false;
    MnistSource source;
    std::string device = "cpu";
};

/// Sums over a set of images.
struct Score {
    double loss = 0, correct = 0, count = 0;
    void add(const ct::Variable& loss_, const ct::Variable& accuracy, int64_t n) {
        loss += loss_.item<float>() * double(n);
        correct += accuracy.item<float>() * double(n);
        count += double(n);
    }
};

/// The columns of Chainer's PrintReport.
class Report {
public:
    void print_header() const {
        for (const char* column : columns) fmt::print("{:<{}}  ", column, width(column));
        fmt::print("\n");
    }
    void print(int64_t epoch, const Score& training, const Score& test, double seconds) const {
        const double values[] = {double(epoch), training.loss / training.count, test.loss / test.count,
                                 training.correct / training.count, test.correct / test.count, seconds};
        for (size_t i = 0; i < std::size(values); ++i)
            fmt::print("{:<{}.6g}  ", values[i], width(columns[i]));
        fmt::print("\n");
        std::fflush(stdout);
    }

private:
    static constexpr const char* columns[] = {"epoch",
                                              "main/loss",
                                              "validation/main/loss",
                                              "main/accuracy",
                                              "validation/main/accuracy",
                                              "elapsed_time"};
    static size_t width(std::string_view column) { return std::max<size_t>(10, column.size()); }
};

/// Calls visit(x, t, size) for every mini-batch in the order given.
template <class Visit>
static void for_each_batch(const MnistSplit& split, const std::vector<int64_t>& order, int64_t batch_size,
                           Visit visit) {
    for (int64_t begin = 0; begin < split.size(); begin += batch_size) {
        const int64_t end = std::min(begin + batch_size, split.size());
        const auto [x, t] = split.batch(order, begin, end);
        visit(x, t, end - begin);
    }
}

static std::vector<int64_t> in_order(const MnistSplit& split) {
    std::vector<int64_t> order(split.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
}

template <class Model>
static Score evaluate(Model& model, const MnistSplit& test, int64_t batch_size) {
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    Score score;
    for_each_batch(test, in_order(test), batch_size, [&](const ct::Variable& x, const ct::Variable& t, int64_t n) {
        const ct::Variable y = model(x);
        score.add(ct::softmax_cross_entropy(y, t), ct::accuracy(y, t), n);
    });
    return score;
}

static void save(const fs::path& folder, MLP& model, ct::Adam& optimizer) {
    fs::create_directories(folder);
    ct::save_npz((folder / "mlp.model").string(), model);
    ct::save_npz((folder / "mlp.state").string(), optimizer);
}

static void run(const Options& options) {
    const ct::DeviceScope scope(ct::get_device(options.device));  // of all that is made from here on
    const Mnist data = load_mnist(options.source);
    ct::set_seed(options.seed);
    MLP model(options.units);
    ct::Adam adam;
    adam.setup(model);
    if (!options.resume.empty()) {
        ct::load_npz((fs::path(options.resume) / "mlp.model").string(), model);
        ct::load_npz((fs::path(options.resume) / "mlp.state").string(), adam);
    }
    const auto use = ct::using_config(&ct::Config::use_static_graph, !options.eager);
    auto step = ct::static_graph(
        [&](const ct::Variable& x, const ct::Variable& t) {
            const ct::Variable y = model(x);
            const ct::Variable loss = ct::softmax_cross_entropy(y, t);
            model.cleargrads();
            loss.backward();
            adam.update();
            return std::make_tuple(loss, ct::accuracy(y, t));
        },
        ct::StaticGraphOptions{.name = "mnist_step"});

    std::mt19937_64 shuffler(options.seed);
    std::vector<int64_t> order = in_order(data.training);
    const auto start = std::chrono::steady_clock::now();
    const Report report;
    report.print_header();
    for (int64_t epoch = adam.epoch() + 1; epoch <= options.epochs; ++epoch) {
        std::shuffle(order.begin(), order.end(), shuffler);
        Score training;
        for_each_batch(data.training, order, options.batch_size,
                       [&](const ct::Variable& x, const ct::Variable& t, int64_t n) {
                           const auto [loss, accuracy] = step(x, t);
                           training.add(loss, accuracy, n);
                       });
        const Score test = evaluate(model, data.test, options.batch_size);
        report.print(epoch, training, test,
                     std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        adam.new_epoch();
        save(options.out, model, adam);
    }
}

int main(int argc, char** argv) {
    Options options;
    CLI::App program("Trains a multilayer perceptron on MNIST");
    program.add_option("-b,--batchsize", options.batch_size, "images in a mini-batch")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    program.add_option("-e,--epoch", options.epochs, "sweeps over the training set")->capture_default_str();
    program.add_option("-u,--unit", options.units, "hidden units of a layer")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    program.add_option("-o,--out", options.out, "folder for mlp.model and mlp.state")->capture_default_str();
    program.add_option("-r,--resume", options.resume, "folder of mlp.model and mlp.state to start from");
    program.add_option("--data", options.source.folder, "folder of the four MNIST files; else they are downloaded");
    program.add_option("--url", options.source.url, "where to download from instead of the usual places");
    program.add_option("--seed", options.seed)->capture_default_str();
    program.add_option("--device", options.device, "where to train: cpu, cuda:0")->capture_default_str();
    program.add_flag("--eager", options.eager, "do not compile");
    CLI11_PARSE(program, argc, argv);
    try {
        run(options);
    } catch (const ct::Error& error) {
        fmt::print(stderr, "mnist: {}\n", error.what());
        return 1;
    }
    return 0;
}
