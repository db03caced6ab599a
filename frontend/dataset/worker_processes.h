#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

struct WorkerOptions {
    int processes = 1;
    int64_t tasks_at_once = 1;      ///< Maximum number of uncollected tasks.
    size_t bytes_per_example = 0;   ///< Larger examples are transferred more slowly.
    double timeout = 30;            ///< Seconds after which a slow example gives a warning.
    int64_t tasks_per_process = 0;  ///< A process is replaced after this many; 0: never.
};

/// Processes that read examples of a dataset, which they see as it was when they were forked.
/// Results are returned through shared memory.
class WorkerProcesses {
public:
    WorkerProcesses(const Dataset& dataset,
                    WorkerOptions options);  ///< Forks the processes; Error on failure.
    ~WorkerProcesses();
    WorkerProcesses(const WorkerProcesses&) = delete;

    struct Task {
        int64_t index;
        int64_t seed;  ///< The seed of random numbers while it is read.
    };
    /// Starts these tasks, at most tasks_at_once in total, and returns at once.
    void start(std::span<const Task> tasks);
    /// The first `count` uncollected examples, in the order of start(). Rethrows an error of
    /// reading one; Error naming the example when its process has died. This object is then of no
    /// more use: start(), and collect() of what has not been read, throw that Error again.
    std::vector<Example> collect(size_t count);
    int64_t pending() const;  ///< Number of started, uncollected tasks.

private:
    struct Body;
    std::unique_ptr<Body> body_;
};

}  // namespace catena
