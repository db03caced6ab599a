#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace catena::fuzz {

/// What became of many inputs.
struct Tally {
    int64_t inputs = 0, accepted = 0, refused = 0;
    int64_t peak_bytes = 0;  ///< Of memory in use at once, by any of the processes.
    double slowest = 0;      ///< Seconds of one input.
    struct Failure {
        uint64_t seed = 0;
        std::string what;  ///< "died of Segmentation fault", "took longer than 20 s", "took 2100
                           ///< MiB", another error than ours.
    };
    std::vector<Failure> failures;
};

struct Supervision {
    uint64_t first_seed = 1;
    double seconds = 4;         ///< When to stop,
    int64_t least_inputs = 0;   ///< but not before these.
    double patience = 20;       ///< For one input.
    int64_t address_bytes = 0;  ///< Bounds the memory of the children, if the build allows it.
    int64_t most_bytes = 0;     ///< Of memory, after which an input is a failure; 0: any.
    size_t most_failures = 10;
};

/// Calls input(seed) for one seed after the other in child processes, each with thousands of them:
/// false says that the input was rejected with a catena::Error. A child that crashes, hangs, or
/// throws anything else is a failure; the next seed runs in a new one.
Tally supervised(const Supervision& how, const std::function<bool(uint64_t seed)>& input);

/// Runs `work` in a child, so that its threads do not stand in the way of forking later. False when
/// it died or threw.
bool in_child(const std::function<void()>& work);

}  // namespace catena::fuzz
