#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "frontend/capture/planned/known_sizes.h"
#include "frontend/capture/run/plan.h"
#include "runtime/core/memory/function_ref.h"
#include "runtime/program/schedule/executable.h"

namespace catena::program {
class JointExecutable;
}

namespace catena::capture {

/// The executables of a program and how they came: compiled, read from the disk, or planned from
/// those of other sizes; forward together with its backward, or apart.
class Compiled {
public:
    /// Nothing is compiled yet. `forward`: the plan's trace.
    Compiled(const Plan& plan, std::shared_ptr<Trace> forward);
    ~Compiled();

    /// Compiles the program; false if that was done already. Concurrent callers wait.
    bool compile();
    /// Makes the program from those of other sizes, without compiling; true on success. See
    /// KnownSizes.
    bool resize();
    /// Whether this caller should compile it in the background: true for one caller only.
    bool claim() { return !is_claimed_.exchange(true); }
    bool is_ready() const { return is_ready_.load(std::memory_order_acquire); }

    /// The compiled program, of a joint one its forward part; null until it is compiled.
    Executable* executable() const { return is_ready() ? executable_.get() : nullptr; }
    /// Whether it is, or will be, compiled together with its backward; else why_apart() says why
    /// not.
    bool is_joint() const { return is_joint_; }
    /// The compiled forward and backward together; null until they are compiled, and if is_joint()
    /// is false.
    program::JointExecutable* joint() const { return is_ready() ? joint_.get() : nullptr; }
    std::string why_apart() const;
    double seconds() const { return seconds_; }
    /// Whether the program was planned from those of other sizes.
    bool is_resized() const { return is_resized_; }
    /// Whether an earlier process compiled the program.
    bool is_from_disk() const { return is_from_disk_; }
    size_t bytes() const;

    /// Plan::trace(). Programs planned from other sizes do not store it; it is then made from the
    /// tree of paths, which must still exist.
    std::shared_ptr<const Trace> forward() const { return traces().forward; }
    /// The recording of joint(), which must not be null: forward, the border operation, backward.
    std::shared_ptr<const Trace> joint_trace() const { return traces().joint; }

    //---- running it
    /// The number of outputs of run(): the plan's, and of a joint program the block of bytes that
    /// it saves for backward.
    size_t output_count() const { return plan_.outputs().size() + (joint_ ? 1 : 0); }
    /// Outputs of a joint program that are only saved for backward are left undefined.
    void run(std::span<const Array> inputs, std::span<const double> scalars,
             std::span<const bool> donated, std::span<Array> outputs);
    /// Runs the backward part of joint().
    void run_backward(std::span<const Array> inputs, std::span<const double> scalars,
                      std::span<Array> outputs);
    bool ran_backward() const { return ran_backward_; }
    /// The scalars of a joint program, which forward reads, too: it computes what backward would
    /// compute once more.
    SmallVector<double, 32> joint_scalars(std::span<const double> scalars) const;
    /// The index among run()'s outputs of the joint program's output `i`.
    size_t place_of_joint_output(int i) const { return size_t(joint_outputs_[size_t(i)]); }

private:
    struct Traces {
        std::shared_ptr<Trace> forward;
        /// The trace of forward and backward together; null unless is_joint().
        std::shared_ptr<const Trace> joint;
    };
    using Make =
        FunctionRef<KnownSizes::Made(const std::shared_ptr<const Trace>&, const CompileOptions&)>;
    bool make(Make make);
    KnownSizes::Made make_joint_or_apart(Make make, const CompileOptions& options);
    /// The stored traces, or new ones.
    Traces traces() const;
    void drop_traces();

    const Plan& plan_;
    mutable std::mutex traces_mutex_;
    /// Guarded by traces_mutex_. Programs planned from other sizes, of which there may be hundreds,
    /// drop them.
    Traces traces_;
    /// Memory of both traces; stored because the region adds up all its programs whenever one is
    /// new.
    size_t trace_bytes_ = 0;
    mutable std::mutex mutex_;
    std::atomic<bool> is_ready_{false};
    std::shared_ptr<Executable> executable_;
    std::vector<int> joint_outputs_;  ///< The indices JointTrace::outputs.
    std::shared_ptr<program::JointExecutable> joint_;
    std::atomic<bool> is_joint_{false}, ran_backward_{false};
    /// The reason why forward and backward are compiled separately. Guarded by mutex_.
    std::string why_apart_;
    double seconds_ = 0;
    bool is_resized_ = false, is_from_disk_ = false;
    std::atomic<bool> is_claimed_{false};
};

}  // namespace catena::capture
