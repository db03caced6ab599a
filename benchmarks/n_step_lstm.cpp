// What does a step over ragged batches cost? Two layers of LSTM in both directions over sequences of 5 to 60 words, forward, loss,
// backward and update: eager, and compiled as one region that takes the rows of all sequences.
//     n_step_lstm [BATCH [UNITS [ROUNDS]]]     default: 32 256 3
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "frontend/catena.h"
#include "frontend/link/rnn/n_step.h"

namespace catena {
namespace {

constexpr int64_t features = 128;
constexpr int batches = 24;

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
    explicit Model(int64_t units) : rnn(2, features, units, 0.0), out(2 * units, 10) { add_children({{"rnn", rnn}, {"out", out}}); }
    Variable operator()(const Variable& rows, const Variable& lengths) {
        const Variable y = out(rnn({}, {}, SequenceRows{rows, lengths}).ys);
        return mean(square(y));
    }
};

double milliseconds(const std::function<void()>& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

using Step = std::function<Variable(const Variable&, const Variable&)>;

/// The median over the batches of each batch's fastest round; the first two rounds record and compile.
double measure(const char* name, const std::vector<SequenceRows>& data, int rounds, const Step& step) {
    std::vector<double> fastest(data.size(), 1e30);
    double first = 0;
    for (int round = 0; round < rounds + 2; ++round)
        for (size_t i = 0; i < data.size(); ++i) {
            const double ms = milliseconds([&] { (void)step(data[i].rows, data[i].lengths).item<float>(); });
            if (round < 2) first += ms;
            if (round >= 2) fastest[i] = std::min(fastest[i], ms);
        }
    std::sort(fastest.begin(), fastest.end());
    const double median = fastest[fastest.size() / 2];
    std::printf("%-28s %8.2f ms a step; the first two rounds took %.0f ms\n", name, median, first);
    return median;
}

int run(int64_t batch, int64_t units, int rounds) {
    const std::vector<SequenceRows> data = draw_batches(batch);
    const auto make_step = [](Model& model, Adam& optimizer) {
        return [&](const Variable& rows, const Variable& lengths) {
            const Variable loss = model(rows, lengths);
            model.cleargrads();
            loss.backward();
            optimizer.update();
            return loss;
        };
    };
    Model eager(units), compiled(units);
    Adam for_eager, for_compiled;
    for_eager.setup(eager);
    for_compiled.setup(compiled);
    const double slow = measure("eager", data, rounds, make_step(eager, for_eager));
    auto region = static_graph(make_step(compiled, for_compiled), "n_step");
    const double fast = measure("compiled", data, rounds, [&](const Variable& rows, const Variable& lengths) { return region(rows, lengths); });
    const StaticGraphStatistics s = region.statistics();
    std::printf("compiled is %.2f x as fast; %lld programs, %lld of them planned without compiling\n", slow / fast,
                static_cast<long long>(s.programs), static_cast<long long>(s.resized));
    return 0;
}

}  // namespace
}  // namespace catena

int main(int count, char** arguments) {
    const auto number = [&](int i, int64_t otherwise) { return count > i ? std::atoll(arguments[i]) : otherwise; };
    return catena::run(number(1, 32), number(2, 256), int(number(3, 3)));
}
