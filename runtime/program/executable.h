#pragma once

#include <mutex>
#include <vector>

#include "runtime/program/placement.h"
#include "runtime/program/schedule.h"

namespace catena::program {

/// Runs a schedule. A call allocates its outputs and one block for all temporaries from the pool, nothing else. With
/// CATENA_POISON=1 temporaries are not numbers, and no indices, before they are written and after their last use.
class ScheduledExecutable : public Executable {
public:
    explicit ScheduledExecutable(Schedule schedule);

    /// DtypeError or ShapeError when an input is not what was compiled for; errors of library calls
    /// carry the user's line. Calls from several threads wait for each other.
    void run(std::span<const Array> inputs, std::span<const double> scalars,
             std::span<const bool> donated, std::span<Array> outputs) override;
    const ExecutableInfo& info() const override { return schedule_.info; }

private:
    /// A library call with its arrays made; their storage is pointed at the call's memory.
    struct BoundCall {
        const LibraryCall* call = nullptr;
        std::vector<Array> inputs, outputs;
        std::vector<double> scalars;
    };
    /// A piece of a kernel that one thread runs.
    struct Chunk {
        int kernel;
        int64_t begin, end;
    };
    struct Batch {
        int library_call = -1;
        std::vector<Chunk> chunks;
        int64_t grain = 0;  ///< Chunks below which no second thread pays.
    };

    void bind_kernels();
    void bind_library_calls();
    void bind_launches();

    void run_batch(const Batch& batch, std::span<const double> scalars);
    void find_dying_buffers();

    Schedule schedule_;
    std::mutex mutex_;

    Placement placement_;

    // Arguments of all kernels, end to end.
    struct Patch {
        int buffer;
        int64_t byte_offset;
    };
    std::vector<Patch> patches_;
    std::vector<void*> pointers_;
    std::vector<int> scalar_indices_;
    std::vector<double> scalar_values_;
    std::vector<KernelArguments> arguments_;

    std::vector<BoundCall> calls_;
    std::vector<Batch> batches_;
    std::vector<std::vector<int>> dying_;  ///< With CATENA_POISON, by launch: temporaries that nobody uses afterwards.
};

}  // namespace catena::program
