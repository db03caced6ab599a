#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/capture/activation.h"
#include "frontend/capture/planned/known_sizes.h"
#include "frontend/capture/path.h"
#include "runtime/program/schedule/executable.h"

namespace catena::program {
class JointExecutable;
}

namespace catena::capture {

struct FollowedCall;
class Replay;

/// The program that computes one segment for one ending. Shared by all calls that take this path;
/// contains no data of a single call.
class Program : public std::enable_shared_from_this<Program> {
public:
    /// Makes a program that is not compiled yet; `call` has just reached `ending`.
    Program(const FollowedCall& call, const Ending& ending);
    ~Program();

    /// Compiles the program; false if that was done already. Concurrent callers wait.
    bool compile();
    /// Makes the program from those of other sizes, without compiling; true on success. See
    /// KnownSizes.
    bool resize();
    /// Whether this caller should compile it in the background: true for one caller only.
    bool claim_compilation() { return !is_claimed_.exchange(true); }
    bool is_compiled() const { return compiled_.load(std::memory_order_acquire); }

    /// Runs compiled code and delivers the referenced values to `call`. Before that `check` is
    /// called with all outputs. `activation` gets what a backward outside needs; null: there can be
    /// none.
    using Check = std::function<void(std::span<const Array> outputs)>;
    void run(FollowedCall& call, Activation* activation, const Check& check = {});
    /// The same with the eager kernels.
    void interpret(FollowedCall& call, Activation* activation);
    /// Runs a call whose code is skipped, see Replay. Returns outputs(), in order; if the program
    /// is compiled together with its backward, outputs that are only saved for backward are
    /// undefined, and the block of saved bytes comes last.
    std::vector<Array> run(std::span<const Array> inputs, std::span<const double> scalars,
                           std::span<const bool> donated);
    /// Stores in `activation` what backward will need from a call.
    void keep_for_backward(Activation& activation, std::span<const Array> inputs,
                           std::span<const Array> outputs, std::span<const double> scalars);
    /// Recomputes the kept values that a backward has released.
    void compute_kept(Activation& activation);
    /// The values of GraphEnd::kept, recomputed by the eager kernels.
    std::vector<Array> kept_by_interpretation(const Activation& activation) const;
    /// Whether it is, or will be, compiled together with its backward; else why_apart() says why
    /// not.
    bool is_joint() const { return is_joint_; }
    /// The joint executable; null until it is compiled, and if is_joint() is false.
    program::JointExecutable* joint() const {
        return is_compiled() ? joint_executable_.get() : nullptr;
    }
    /// The recording of joint(), which must not be null: forward, the border operation, backward.
    std::shared_ptr<const Trace> joint_trace() const;
    std::string why_apart() const;
    /// Runs the backward part of joint().
    void run_backward(std::span<const Array> inputs, std::span<const double> scalars,
                      std::span<const bool> donated, std::span<Array> outputs);
    bool ran_backward() const { return ran_backward_; }

    /// The program's steps as a trace. Programs planned from other sizes do not store it; it is
    /// then made from the tree of paths, which must still exist.
    std::shared_ptr<const Trace> forward() const;
    int step_count() const { return ending_.last ? ending_.last->index + 1 : 0; }
    /// The scalars with their values at the time of recording.
    const std::vector<Trace::ScalarSlot>& scalars() const { return scalars_; }
    const Type& input_type(size_t i) const { return *input_types_[i]; }
    Executable* executable() const { return is_compiled() ? executable_.get() : nullptr; }
    const GraphEnd* graph() const { return graph_; }
    /// The inputs as values of the segment, in the executable's order.
    const std::vector<int>& inputs() const { return inputs_; }
    /// The outputs as values of the segment, in the executable's order.
    const std::vector<int>& outputs() const { return outputs_; }
    /// Whether anything but backward refers to output `i`.
    bool is_referenced(size_t i) const { return output_alive_[i]; }
    Device& device() const { return *device_; }
    bool fast_math() const { return fast_math_; }
    bool sends_messages() const { return sends_messages_; }
    double compile_seconds() const { return compile_seconds_; }
    /// True if it was planned from programs of other sizes.
    bool is_resized() const { return is_resized_; }
    /// True if an earlier process compiled it.
    bool is_from_disk() const { return is_from_disk_; }
    size_t bytes() const;

    std::atomic<int64_t> hits{0};
    std::atomic<int64_t> last_used{0};  ///< The number of the region's call that used it last.
    /// What calls that skip the code go by, which the region makes and knows; guarded by its mutex.
    std::shared_ptr<Replay> replay;

private:
    struct Traces {
        std::shared_ptr<Trace> forward;
        std::shared_ptr<const Trace> joint;  ///< The joint program; null unless is_joint().
    };
    Trace recorded() const;             ///< The path alone as a trace, without outputs and assigns.
    void complete(Trace& trace) const;  ///< Adds outputs and assigns to the path's trace.
    Traces traces() const;              ///< The stored traces, or new ones.
    void drop_traces();
    void find_assigns(const FollowedCall& call, const Trace& forward);
    void deliver(FollowedCall& call, std::span<const Array> outputs) const;
    void keep_for_backward(const FollowedCall& call, Activation& activation,
                           std::span<const Array> inputs, std::span<const Array> outputs);

    template <class Make>
    bool make_executable(Make make);
    template <class Make>
    KnownSizes::Made make_joint_or_apart(Make make);
    SmallVector<double, 32> joint_scalars(std::span<const double> scalars) const;
    void keep_values(Activation& activation, std::span<const Array> outputs) const;
    void run_compiled(std::span<const Array> inputs, std::span<const double> scalars,
                      std::span<const bool> donated, std::span<Array> outputs);
    size_t given_outputs() const { return outputs_.size() + (joint_executable_ ? 1 : 0); }

    const Tree& tree_;  ///< The tree of paths. It outlives this object, since every caller owns it.
    const Ending& ending_;
    const std::string region_;
    const std::shared_ptr<KnownSizes> sizes_;
    const GraphEnd* graph_;
    mutable std::mutex traces_mutex_;
    /// The program's traces, guarded by traces_mutex_. Programs planned from other sizes, of which
    /// there may be hundreds, drop them.
    Traces traces_;
    /// Memory of both traces; stored because the region adds up all its programs whenever one is
    /// new.
    size_t trace_bytes_ = 0;
    std::vector<Trace::ScalarSlot> scalars_;
    std::vector<Trace::Assign> assigns_;
    /// Values of the trace that are states because the program assigns them.
    std::vector<int> states_;
    std::vector<const Type*> input_types_;  ///< The types of the inputs; they belong to the tree.
    std::vector<int> inputs_, outputs_, wanted_;
    std::vector<char> output_alive_;  ///< For each of outputs_, whether it is still referenced.
    /// For each kept value of graph_: the index i of its output, or -1 - i for input i.
    std::vector<int> kept_outputs_;
    Device* device_;
    bool fast_math_, sends_messages_ = false;
    mutable std::mutex mutex_;
    std::atomic<bool> compiled_{false};
    /// The compiled program; of a joint program, its forward part.
    std::shared_ptr<Executable> executable_;
    std::vector<int> joint_outputs_;  ///< The indices JointTrace::outputs.
    std::shared_ptr<program::JointExecutable> joint_executable_;
    std::atomic<bool> is_joint_{false}, ran_backward_{false};
    /// The reason why forward and backward are compiled separately. Guarded by mutex_.
    std::string why_apart_;
    double compile_seconds_ = 0;
    bool is_resized_ = false, is_from_disk_ = false;
    std::atomic<bool> is_claimed_{false};
};

}  // namespace catena::capture
