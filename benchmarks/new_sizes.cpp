// What does a new size of a known program cost? Runs a row of `catena bench` through all its sizes
// again and again. The first two rounds see and compile each size, the later ones only run: the
// difference is what the sizes cost, printed with the memory that they hold.
//     new_sizes [ROW [DIVISOR]]     default: gpt_decode; CATENA_TIME=1 tells the compiler's stages
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/static_graph/static_graph.h"

namespace catena::tool {
namespace {

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

/// Milliseconds of each run of a round.
std::vector<double> round_of(const Iteration& iteration) {
    std::vector<double> times;
    for (int i = 0; i < iteration.cycle; ++i) {
        const auto start = std::chrono::steady_clock::now();
        iteration.run();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                .count());
    }
    return times;
}

int run(const std::string& name, int64_t divisor) {
    const Iteration iteration = find_workload(name).prepare(Variant::step, divisor);
    std::vector<std::vector<double>> rounds;
    std::vector<double> memory = {resident_megabytes()};
    for (int r = 0; r < 6; ++r) {
        rounds.push_back(round_of(iteration));
        memory.push_back(resident_megabytes());
    }
    double known = 0, first = 0, second = 0, most = 0;
    std::vector<double> costs;
    for (size_t i = 0; i < rounds[0].size(); ++i) {
        const double steady = std::min({rounds[2][i], rounds[3][i], rounds[4][i], rounds[5][i]});
        known += steady;
        first += rounds[0][i] - steady;
        second += rounds[1][i] - steady;
        costs.push_back(rounds[0][i] + rounds[1][i] - 2 * steady);
        most = std::max(most, costs.back());
    }
    std::sort(costs.begin(), costs.end());
    const StaticGraphStatistics statistics = iteration.statistics();
    std::printf("%s: %d runs a round, %d sizes, %lld programs; a known round takes %.0f ms\n",
                name.c_str(), iteration.cycle, iteration.programs,
                static_cast<long long>(statistics.programs), known);
    std::printf(
        "beyond that: first round %.0f ms, second %.0f ms; a size %.2f ms (median), %.2f ms "
        "(most); compiling %.0f ms\n",
        first, second, costs[costs.size() / 2], most, statistics.compile_seconds * 1e3);
    std::printf(
        "resident: %.0f MB before, %.0f after the first round, %.0f after the second, %.0f at the "
        "end\n",
        memory[0], memory[1], memory[2], memory.back());
    return 0;
}

}  // namespace
}  // namespace catena::tool

int main(int count, char** arguments) {
    return catena::tool::run(count > 1 ? arguments[1] : "gpt_decode",
                             count > 2 ? std::atoll(arguments[2]) : 1);
}
