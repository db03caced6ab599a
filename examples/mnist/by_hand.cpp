#include "mnist.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace ct = catena;
namespace fs = std::filesystem;

namespace {

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
        const double values[] = {double(epoch),
                                 training.loss / training.count,
                                 test.loss / test.count,
                                 training.correct / training.count,
                                 test.correct / test.count,
                                 seconds};
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

Score evaluate(MLP& model, ct::SerialIterator& batches) {
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    Score score;
    batches.reset();
    while (auto batch = batches.next_batch(&ct::current_device())) {
        const ct::Variable &x = (*batch)[0], &t = (*batch)[1];
        const ct::Variable y = model(x);
        score.add(ct::softmax_cross_entropy(y, t), ct::accuracy(y, t), t.size());
    }
    return score;
}

void save(const fs::path& folder, MLP& model, ct::Adam& optimizer) {
    fs::create_directories(folder);
    ct::save_npz((folder / "mlp.model").string(), model);
    ct::save_npz((folder / "mlp.state").string(), optimizer);
}

}  // namespace

void train_by_hand(examples::Example& example, const Options& options, const ct::Dataset& training,
                   const ct::Dataset& test) {
    MLP model(options.units);
    ct::Adam adam;
    adam.setup(model);
    if (!options.resume.empty()) {
        ct::load_npz((fs::path(options.resume) / "mlp.model").string(), model);
        ct::load_npz((fs::path(options.resume) / "mlp.state").string(), adam);
    }
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

    ct::SerialIterator train_batches(training, options.batch_size, {.repeat = false});
    ct::SerialIterator test_batches(test, options.batch_size, {.repeat = false, .shuffle = false});
    const auto start = std::chrono::steady_clock::now();
    const Report report;
    report.print_header();
    for (int64_t epoch = adam.epoch() + 1; epoch <= options.epochs; ++epoch) {
        Score score;
        train_batches.reset();
        while (auto batch = train_batches.next_batch(&ct::current_device())) {
            const auto [loss, accuracy] = step((*batch)[0], (*batch)[1]);
            score.add(loss, accuracy, (*batch)[1].size());
        }
        const Score test_score = evaluate(model, test_batches);
        report.print(
            epoch, score, test_score,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        adam.new_epoch();
        save(options.out, model, adam);
        if (epoch == options.epochs)
            example.result("validation accuracy", test_score.correct / test_score.count,
                           examples::Better::larger);
    }
    train_batches.reset();
    const ct::Batch batch = *train_batches.next_batch(&ct::current_device());
    example.print_times([&] { step(batch[0], batch[1]); });
}
