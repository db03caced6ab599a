#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/ops/declare/preparation.h"
#include "runtime/program/run/launch_times.h"
#include "runtime/program/schedule/launch_pieces.h"
#include "runtime/program/schedule/placement.h"
#include "runtime/program/schedule/schedule.h"
#include "runtime/program/schedule/shared_pieces.h"

namespace catena::program {

/// Runs a schedule. A call allocates its outputs and one block for all temporaries from the pool,
/// nothing else but what library calls do that are not prepared
/// (runtime/ops/declare/preparation.h). With CATENA_POISON=1 temporaries hold NaN, or invalid
/// indices, before they are written and after their last use.
class ScheduledExecutable : public Executable {
public:
    explicit ScheduledExecutable(Schedule schedule);

    /// DtypeError or ShapeError when an input does not match the program; errors of library calls
    /// have the user's line. Concurrent calls are serialised.
    void run(std::span<const Array> inputs, std::span<const double> scalars,
             std::span<const bool> donated, std::span<Array> outputs) override;
    const ExecutableInfo& info() const override { return schedule_.info; }
    std::vector<LaunchReport> launches() override;
    const Schedule& schedule() const { return schedule_; }

private:
    /// A library call with its arrays, whose storage is set to the memory of each call.
    struct BoundCall {
        const LibraryCall* call = nullptr;
        std::vector<Array> inputs, outputs;
        std::vector<double> scalars;
        std::unique_ptr<PreparedCall> prepared;  ///< The prepared call; null: the op's kernel.
        KernelCall kernel_call() { return {*call->op, inputs, outputs, call->attributes, scalars}; }
    };
    /// A launch: a library call, or kernels and how threads share them.
    struct Batch {
        int library_call = -1;
        std::vector<int> kernels;
        std::vector<Work> work;  ///< The work of each kernel, in nanoseconds.
        double nanoseconds = 0;
        /// The pieces of the launch, for as many threads as the last call had.
        LaunchPieces pieces;
    };

    void bind_kernels();
    void bind_library_calls();
    void bind_launches();
    bool is_long() const;

    void run_batch(Batch& batch, std::span<const double> scalars, const LaunchTimes* times);
    void run_library_call(BoundCall& bound, std::span<const double> scalars);
    /// The most that a prepared call wants: they run one after the other, all in the same memory.
    size_t wanted_scratch() const;
    /// Runs the pieces that `next` numbers until it gives -1.
    template <class Next>
    void run_pieces(const Batch& batch, const LaunchTimes* times, Next&& next);
    LaunchTimes& begin_profile();
    void find_dying_buffers();

    Schedule schedule_;
    std::mutex mutex_;

    Placement placement_;

    // Arguments of all kernels, concatenated.
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
    std::span<std::byte> scratch_;  ///< The scratch memory of this call.
    std::vector<Batch> batches_;
    SharedPieces shared_;                 ///< The pieces of the launch that runs.
    std::unique_ptr<LaunchTimes> times_;  ///< Once a call was profiled.
    /// The temporaries that are not used after each launch, with CATENA_POISON.
    std::vector<std::vector<int>> dying_;
};

}  // namespace catena::program
