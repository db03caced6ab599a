#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/no_memory/failing_allocations.h"

namespace catena::testing {

/// Work that is done again and again, each time with another allocation failing.
class Work {
public:
    virtual ~Work() = default;
    virtual void prepare() {}          ///< The same state as the first time.
    virtual void run() = 0;            ///< Here allocations fail.
    virtual std::string result() = 0;  ///< Bits of all that run() changes or gives.
};

enum class Outcome : uint8_t {
    none,         ///< Not tried.
    right,        ///< The result is that of a run in which nothing fails.
    refused,      ///< A catena::Error, and then the right result of a run in which nothing fails.
    other_bits,   ///< Another result, without an error.
    other_error,  ///< An exception that is not Catena's.
    unusable,     ///< What came after the error was not right.
    died,
};
constexpr int outcome_count = 7;
const char* name_of(Outcome outcome);

struct Trial {
    int64_t number = 0;  ///< Of the allocation that failed first.
    Outcome outcome = Outcome::none;
    CallStack failed, latest, death;
    char message[240] = {};
};

struct TrialOptions {
    int64_t first = 0, step = 1;   ///< Which allocations fail;
    std::vector<int64_t> numbers;  ///< these, if there are any.
    int64_t most = 1 << 14;        ///< So many trials at most.
    int64_t many = 1;              ///< Allocations that fail one after the other.
    bool first_run = false;        ///< Of a process: each trial has its own.
    double patience = 10;          ///< Seconds for one trial.
};

/// The numbers of the allocations that Catena's own code asks for in the first run of a process.
std::vector<int64_t> own_allocations(const std::function<std::unique_ptr<Work>()>& make);

/// Runs the work in child processes until every allocation has failed once. A child that dies is a
/// trial that died; another goes on.
std::vector<Trial> trials(const std::function<std::unique_ptr<Work>()>& make,
                          const TrialOptions& options = {});

}  // namespace catena::testing
