#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

struct WorkerOptions {
    int processes = 1;
    int64_t tasks_at_once = 1;  ///< Largest number of tasks whose results were not collected.
    /// Bytes of shared memory per example; larger examples are transferred more slowly.
    size_t bytes_per_example = 0;
    double timeout = 30;  ///< Seconds after which a slow example gives a warning.
    /// Number of examples after which a process is replaced; 0: never.
    int64_t tasks_per_process = 0;
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
        int64_t seed;  ///< The seed of random numbers while the example is read.
    };
    /// Starts these tasks, at most tasks_at_once in total, and returns at once.
    void start(std::span<const Task> tasks);
    /// The first `count` uncollected examples, in the order of start(). Rethrows an error of
    /// reading one; Error naming the example when its process has died. After such an error this
    /// object is of no more use: start() and collect() throw it again.
    std::vector<Example> collect(size_t count);
    int64_t pending() const;  ///< Number of started tasks whose results were not collected.

private:
    struct Body;
    std::unique_ptr<Body> body_;
};

}  // namespace catena
