// What does a step over ragged batches cost? Two layers of LSTM in both directions over sequences
// of 5 to 60 words, forward, loss, backward and update by SGD: eager, compiled as one region that
// takes the rows of all sequences, and what the products of such a step take alone, as if a
// sequence's steps did not depend on each other. The three run in turn.
//     n_step_lstm [BATCH [UNITS [ROUNDS]]]     default: 32 256 3
//     n_step_lstm BATCH UNITS listen           a round for each line of the input:
//     benchmarks/n_step_lstm.py, which adds PyTorch
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "frontend/catena.h"
#include "frontend/link/rnn/n_step.h"
#include "runtime/cpu/product/sgemm.h"

namespace catena {
namespace {

constexpr int64_t features = 128, classes = 10;
constexpr int batches = 8;

/// Batches of sequences whose lengths are drawn once, the same in every run.
std::vector<SequenceRows> draw_batches(int64_t batch) {
    std::mt19937 random(1);
    std::vector<SequenceRows> all;
    for (int i = 0; i < batches; ++i) {
        std::vector<Variable> xs;
        for (int64_t b = 0; b < batch; ++b) {
            const int64_t length = 5 + int64_t(random() % 56);
            std::vector<float> values(size_t(length * features));
            for (float& value : values) value = float(random() % 2001) / 1000 - 1;
            xs.emplace_back(Array::from(values, {length, features}), false);
        }
        all.push_back(rows_of_sequences(xs));
    }
    return all;
}

struct Model : Chain {
    NStepBiLSTM rnn;
    Linear out;
    explicit Model(int64_t units) : rnn(2, features, units, 0.0), out(2 * units, classes) {
        add_children({{"rnn", rnn}, {"out", out}});
    }
    Variable operator()(const Variable& rows, const Variable& lengths) {
        const Variable y = out(rnn({}, {}, SequenceRows{rows, lengths}).ys);
        return mean(square(y));
    }
};

/// The products of a step over `total` rows: x W^T and h R^T, and two of the same size for each
/// one's gradients, but for those of the first layer's input.
class Products {
public:
    Products(int64_t units, int64_t longest) : units_(units) {
        const size_t wide = size_t(std::max(longest, 4 * units) * 4 * units);
        for (std::vector<float>* memory : {&a_, &b_, &c_}) memory->assign(wide, 0.5f);
    }
    void run(int64_t total) {
        for (int direction = 0; direction < 2; ++direction) {
            triple(total, 4 * units_, features, false);
            triple(total, 4 * units_, 2 * units_, true);
            for (int layer = 0; layer < 2; ++layer) triple(total, 4 * units_, units_, true);
        }
    }

private:
    void triple(int64_t m, int64_t n, int64_t k, bool has_input_gradient) {
        sgemm(false, true, m, n, k, 1, a_.data(), k, b_.data(), k, 0, c_.data(), n);
        sgemm(true, false, n, k, m, 1, a_.data(), n, b_.data(), k, 0, c_.data(), k);
        if (has_input_gradient)
            sgemm(false, false, m, k, n, 1, a_.data(), n, b_.data(), k, 0, c_.data(), k);
    }
    int64_t units_;
    std::vector<float> a_, b_, c_;
};

double milliseconds(const std::function<void()>& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

/// One of the things that are measured: each batch's fastest round.
struct Contender {
    std::string name;
    std::function<void(const SequenceRows&)> step;
    std::vector<double> fastest = std::vector<double>(batches, 1e30);

    double median() const {
        std::vector<double> sorted = fastest;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
};

int run(int64_t batch, int64_t units, int rounds) {
    const std::vector<SequenceRows> data = draw_batches(batch);
    Model models[2] = {Model(units), Model(units)};
    SGD optimizers[2] = {SGD(1e-3), SGD(1e-3)};
    for (int i = 0; i < 2; ++i) optimizers[i].setup(models[i]);
    const auto make_step = [&](int i) {
        return [&model = models[i], &optimizer = optimizers[i]](const Variable& rows,
                                                                const Variable& lengths) {
            const Variable loss = model(rows, lengths);
            model.cleargrads();
            loss.backward();
            optimizer.update();
            return loss;
        };
    };
    auto region = static_graph(make_step(1), "n_step");
    Products products(units, 60 * batch);
    std::vector<Contender> all{
        {"products alone", [&](const SequenceRows& x) { products.run(x.rows.shape()[0]); }},
        {"eager", [&, step = make_step(0)](
                      const SequenceRows& x) { (void)step(x.rows, x.lengths).item<float>(); }},
        {"compiled",
         [&](const SequenceRows& x) { (void)region(x.rows, x.lengths).item<float>(); }}};
    const auto round = [&](bool counts) {
        for (const SequenceRows& x : data)
            for (Contender& contender : all) {
                const double ms = milliseconds([&] { contender.step(x); });
                double& fastest = contender.fastest[size_t(&x - data.data())];
                if (counts) fastest = std::min(fastest, ms);
            }
    };
    for (int i = 0; i < 2; ++i) round(false);  // Record and compile.
    std::string line;
    if (rounds == 0) {
        for (const SequenceRows& x : data)
            std::cout << fmt::format("{} ", fmt::join(x.lengths.array().to_vector<int32_t>(), ","));
        for (std::cout << std::endl; std::getline(std::cin, line); std::cout << "done" << std::endl)
            round(true);
    }
    for (int i = 0; i < rounds; ++i) round(true);
    for (const Contender& contender : all)
        std::printf("%-16s %8.2f ms a step\n", contender.name.c_str(), contender.median());
    const StaticGraphStatistics s = region.statistics();
    std::printf(
        "compiled is %.2f x as fast as eager; %lld programs, %lld of them planned without "
        "compiling\n",
        all[1].median() / all[2].median(), static_cast<long long>(s.programs),
        static_cast<long long>(s.resized));
    return 0;
}

}  // namespace
}  // namespace catena

int main(int count, char** arguments) {
    const auto number = [&](int i, int64_t otherwise) {
        return count > i ? std::atoll(arguments[i]) : otherwise;
    };
    return catena::run(number(1, 32), number(2, 256), int(number(3, 3)));  // "listen" is 0.
}
