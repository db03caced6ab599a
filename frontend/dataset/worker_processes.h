#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

struct WorkerOptions {
    int processes = 1;
    int64_t tasks_at_once = 1;        ///< The most that are begun and not collected.
    size_t bytes_per_example = 0;     ///< Larger ones take a slower way.
    double timeout = 30;              ///< Seconds after which a slow example is complained about.
    int64_t tasks_per_process = 0;    ///< A process that has read so many is replaced; 0: never.
};

/// Processes that read examples of a dataset, which they see as it was when they were forked. What they
/// read comes back through memory that all of them share.
class WorkerProcesses {
public:
    WorkerProcesses(const Dataset& dataset, WorkerOptions options);  ///< Forks. Error when it cannot.
    ~WorkerProcesses();
    WorkerProcesses(const WorkerProcesses&) = delete;

    struct Task {
        int64_t index;
        int64_t seed;  ///< What is random while it is read is a function of it.
    };
    /// Has them read these; at most tasks_at_once altogether. Returns at once.
    void start(std::span<const Task> tasks);
    /// The first `count` examples that were started and not collected, in their order. Throws what reading one of
    /// them threw; Error that names the example when its process has died.
    std::vector<Example> collect(size_t count);
    int64_t pending() const;  ///< Started, not collected.

private:
    struct Body;
    std::unique_ptr<Body> body_;
};

}  // namespace catena
