// Does compiling take time in proportion to the program? An LSTM's training step (32 to 32 units,
// batch 8, mean of the steps' losses, backward, SGD) is unrolled over more and more steps into one
// region. Prints the seconds until the first compiled call has run, of those the compiler's, what
// resident memory grew by, and what the program became.
//     unrolled_compilation [STEPS ...]     CATENA_TIME=1 tells the stages
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "frontend/catena.h"

namespace catena {
namespace {

struct Network : Chain {
    LSTM lstm{32, 32};
    Linear out{32, 32};
    Network() { add_children({{"lstm", lstm}, {"out", out}}); }
};

double resident_megabytes() {
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;)
        if (word == "VmRSS:") {
            double kilobytes = 0;
            file >> kilobytes;
            return kilobytes / 1024;
        }
    return 0;
}

/// The line of explain() that counts launches.
std::string launches_in(const std::string& text) {
    const size_t at = text.find(" launches");
    if (at == std::string::npos) return "not compiled";
    const size_t begin = text.rfind('\n', at) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
}

void compile_steps(int steps) {
    Network network;
    SGD optimizer(0.1);
    optimizer.setup(network);
    std::vector<Variable> x, t;
    for (int i = 0; i < steps; ++i) {
        x.emplace_back(Array::full({Dtype::float32, {8, 32}}, 0.01 * (i % 7)), false);
        t.emplace_back(Array::full({Dtype::int32, {8}}, i % 32), false);
    }
    auto region = static_graph(
        [&](const std::vector<Variable>& xs, const std::vector<Variable>& ts) {
            network.lstm.reset_state();
            Variable loss;
            for (int i = 0; i < steps; ++i) {
                Variable each =
                    softmax_cross_entropy(network.out(network.lstm(xs[size_t(i)])), ts[size_t(i)]);
                loss = loss.defined() ? loss + each : each;
            }
            loss = loss / double(steps);
            network.cleargrads();
            loss.backward();
            optimizer.update();
            return loss;
        },
        {.name = "unrolled_" + std::to_string(steps)});
    const auto start = std::chrono::steady_clock::now();
    const double before = resident_megabytes();
    const std::clock_t cpu = std::clock();
    // The second one runs what was recorded in the first.
    region(x, t);
    const double loss = region(x, t).item<double>();
    const double both =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf(
        "%5d steps: %.3f s, %.3f of the processor's, compiler %.3f s, %+.0f MB, loss %.5f\n      "
        "%s\n",
        steps, both, double(std::clock() - cpu) / CLOCKS_PER_SEC,
        region.statistics().compile_seconds, resident_megabytes() - before, loss,
        launches_in(region.explain()).c_str());
    std::fflush(stdout);
}

}  // namespace
}  // namespace catena

int main(int count, char** arguments) {
    std::vector<int> steps;
    for (int i = 1; i < count; ++i) steps.push_back(std::atoi(arguments[i]));
    if (steps.empty()) steps = {35, 100, 350, 1000};
    catena::compile_steps(5);
    for (int each : steps) catena::compile_steps(each);
    return 0;
}
