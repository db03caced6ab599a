// A small convolutional network on 8x8 digits, trained as ordinary C++ and then compiled, from the
// same seed.
#include <catena/catena.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

#include "support/flags.h"
#include "support/optdigits.h"

namespace ct = catena;

struct ConvNet : ct::Chain {
    ct::Convolution2D c1{1, 16, 3, {.pad = {1, 1}}}, c2{16, 32, 3, {.pad = {1, 1}}};
    ct::Linear l1{32 * 4 * 4, 128}, l2{128, 10};
    ConvNet() { add_children({{"c1", c1}, {"c2", c2}, {"l1", l1}, {"l2", l2}}); }
    ct::Variable operator()(const ct::Variable& x) {
        ct::Variable h = ct::max_pooling_2d(ct::relu(c2(ct::relu(c1(x)))), {2});
        return l2(ct::dropout(ct::relu(l1(h)), 0.5));
    }
};

struct Options {
    std::string data = DIGITS_DATA;
    int64_t epochs = 10, batch_size = 64;
    int64_t seed = 0;
    bool explain = false;
    std::string device = "cpu";
};

struct Result {
    double iteration_ms = 0;  ///< Median over the full batches.
    double compile_ms = 0;
    double accuracy = 0;  ///< On the test set, at the end.
};

static double now_ms() {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

template <class Model>
static double test_accuracy(Model& model, const Digits& test, int64_t batch_size) {
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    std::vector<int64_t> order(test.size());
    std::iota(order.begin(), order.end(), 0);
    double correct = 0;
    for (int64_t begin = 0; begin < test.size(); begin += batch_size) {
        const int64_t end = std::min(begin + batch_size, test.size());
        const Batch batch = take_batch(test, order, begin, end);
        correct +=
            ct::accuracy(model(batch.x), batch.t).template item<float>() * double(end - begin);
    }
    return correct / double(test.size());
}

/// Trains with `step`, which does one whole iteration, and tells how it went.
template <class Step, class Model>
static Result train(const char* mode, Step& step, Model& model, ct::Adam& adam,
                    const Digits& training, const Digits& test, const Options& options) {
    std::mt19937_64 shuffler(uint64_t(options.seed));
    std::vector<int64_t> order(training.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> times;
    for (int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
        std::shuffle(order.begin(), order.end(), shuffler);
        double loss = 0;
        for (int64_t begin = 0; begin < training.size(); begin += options.batch_size) {
            const int64_t end = std::min(begin + options.batch_size, training.size());
            const Batch batch = take_batch(training, order, begin, end);
            const double start = now_ms();
            loss += step(batch.x, batch.t).template item<float>() * double(end - begin);
            times.push_back(now_ms() - start);
        }
        adam.alpha =
            0.75 * adam.alpha;  // a compiled step reads it at every call: nothing is compiled anew
        fmt::print("{:<9} epoch {:>2}  loss {:.4f}  test accuracy {:.2f} %\n", mode, epoch,
                   loss / double(training.size()),
                   100 * test_accuracy(model, test, options.batch_size));
        std::fflush(stdout);
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return {.iteration_ms = times[times.size() / 2],
            .accuracy = test_accuracy(model, test, options.batch_size)};
}

static Result run(bool compiled, const Digits& training, const Digits& test,
                  const Options& options) {
    ct::set_seed(options.seed);
    ConvNet model;
    ct::Adam adam(0.003);
    adam.setup(model);
    auto step = [&](const ct::Variable& x, const ct::Variable& t) {
        ct::Variable loss = ct::softmax_cross_entropy(model(x), t);
        model.cleargrads();
        loss.backward();
        adam.update();
        return loss;
    };
    if (!compiled) return train("eager", step, model, adam, training, test, options);

    // The only difference: the same step, wrapped.
    auto region = ct::static_graph(step, ct::StaticGraphOptions{.name = "digits_step"});
    Result result = train("compiled", region, model, adam, training, test, options);
    result.compile_ms = 1e3 * region.statistics().compile_seconds;
    if (options.explain) fmt::print("\n{}\n", region.explain());
    return result;
}

static void print_table(const Result& eager, const Result& compiled) {
    fmt::print("\n{:<10} {:>14} {:>10} {:>14} {:>14}\n", "", "iteration", "speed-up",
               "compile time", "test accuracy");
    fmt::print("{:<10} {:>11.3f} ms {:>10} {:>14} {:>12.2f} %\n", "eager", eager.iteration_ms, "",
               "", 100 * eager.accuracy);
    fmt::print("{:<10} {:>11.3f} ms {:>9.2f}x {:>11.1f} ms {:>12.2f} %\n", "compiled",
               compiled.iteration_ms, eager.iteration_ms / compiled.iteration_ms,
               compiled.compile_ms, 100 * compiled.accuracy);
}

int main(int argc, char** argv) {
    Options options;
    examples::Flags flags("Trains a small convolutional network on 8x8 digits, eager and compiled");
    flags.add("--data", options.data, "folder of optdigits.tra and optdigits.tes");
    flags.add("-e,--epoch", options.epochs, "sweeps over the training set", 1);
    flags.add("-b,--batchsize", options.batch_size, "images in a mini-batch", 1);
    flags.add("--seed", options.seed, "of all random numbers");
    flags.add("--device", options.device, "where to train: cpu, cuda:0");
    flags.add("--explain", options.explain, "say what was captured and fused");
    if (const std::optional<int> status = flags.read(argc, argv)) return *status;
    try {
        const auto scope = ct::using_device(options.device);  // of all that is made from here on
        const std::filesystem::path folder = options.data;
        const Digits training = read_optdigits(folder / "optdigits.tra");
        const Digits test = read_optdigits(folder / "optdigits.tes");
        const Result eager = run(false, training, test, options);
        const Result compiled = run(true, training, test, options);
        print_table(eager, compiled);
        // Two epochs are enough for 90 %: less means that training is broken.
        return eager.accuracy > 0.9 && compiled.accuracy > 0.9 ? 0 : 1;
    } catch (const ct::Error& error) {
        fmt::print(stderr, "digits: {}\n", error.what());
        return 1;
    }
}
