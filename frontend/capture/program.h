#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/capture/activation.h"
#include "frontend/capture/planned/known_sizes.h"
#include "frontend/capture/path.h"
#include "frontend/capture/replay.h"
#include "runtime/program/schedule/executable.h"

namespace catena::program {
class JointExecutable;
}

namespace catena::capture {

class Follower;

/// Whether a program may give one of its results the memory of this input, if nobody else has it.
bool begins_its_storage(const Array& array);

/// Computes one segment for one ending. Shared by all calls that take this path; contains no data
/// of a single call.
class Program : public std::enable_shared_from_this<Program> {
public:
    /// `follower` has just reached `ending`.
    Program(const Follower& follower, const Ending& ending);
    ~Program();

    bool compile();  ///< False if it was compiled already; concurrent callers wait.
    bool resize();   ///< True if it has become a program now, without compiling it: see KnownSizes.
    /// True for the one caller that should compile it in the background.
    bool claim_compilation() { return !is_claimed_.exchange(true); }
    bool is_compiled() const { return compiled_.load(std::memory_order_acquire); }

    /// Runs compiled code and delivers the referenced values to `follower`. `check` is called with
    /// all outputs before.
    using Check = std::function<void(std::span<const Array> outputs)>;
    void run(Follower& follower, const Check& check = {});
    /// The same with the eager kernels.
    void interpret(Follower& follower);
    /// A call without a Follower, see Replay. Returns outputs(), in order, those that are only kept
    /// for backward undefined if the program is compiled together with its backward, and then
    /// behind them what it saves for that.
    std::vector<Array> run(std::span<const Array> inputs, std::span<const double> scalars,
                           std::span<const bool> donated);
    /// Stores in `activation` what backward will need of a call.
    void keep_for_backward(Activation& activation, std::span<const Array> inputs,
                           std::span<const Array> outputs, std::span<const double> scalars);
    /// Recomputes the kept values that a backward has released.
    void compute_kept(Activation& activation);
    /// GraphEnd::kept, recomputed by the eager kernels.
    std::vector<Array> kept_by_interpretation(const Activation& activation) const;
    /// Compiled together with its backward, or to be; else there is a reason why not.
    bool is_joint() const { return is_joint_; }
    /// Null until it is compiled, and if is_joint() is false.
    program::JointExecutable* joint() const {
        return is_compiled() ? joint_executable_.get() : nullptr;
    }
    std::shared_ptr<const Trace> joint_trace()
        const;  ///< Of joint(), which must not be null: forward, the border, backward.
    std::string why_apart() const;
    /// The backward part of joint().
    void run_backward(std::span<const Array> inputs, std::span<const double> scalars,
                      std::span<const bool> donated, std::span<Array> outputs);
    bool ran_backward() const { return ran_backward_; }

    /// Its steps as a trace. Written again at each call for programs planned from other sizes,
    /// which do not keep it; the tree of the paths must be there.
    std::shared_ptr<const Trace> forward() const;
    int step_count() const { return ending_.last ? ending_.last->index + 1 : 0; }
    const std::vector<Trace::ScalarSlot>& scalars() const {
        return scalars_;
    }  ///< As when it was recorded.
    const Type& input_type(size_t i) const { return *input_types_[i]; }
    Executable* executable() const { return is_compiled() ? executable_.get() : nullptr; }
    const GraphEnd* graph() const { return graph_; }
    const std::vector<int>& inputs() const { return inputs_; }    ///< As values of the segment,
    const std::vector<int>& outputs() const { return outputs_; }  ///< in the executable's order.
    /// Somebody but backward refers to output `i`.
    bool is_referenced(size_t i) const { return output_alive_[i]; }
    Device& device() const { return *device_; }
    bool fast_math() const { return fast_math_; }
    bool sends_messages() const { return sends_messages_; }
    double compile_seconds() const { return compile_seconds_; }
    bool is_resized() const { return is_resized_; }  ///< Planned from the programs of other sizes.
    bool is_from_disk() const { return is_from_disk_; }  ///< Compiled by an earlier process.
    size_t bytes() const;

    std::atomic<int64_t> hits{0};
    std::atomic<int64_t> last_used{0};  ///< The region's call number.
    std::shared_ptr<Replay>
        replay;  ///< Made by the latest followed call; guarded by the region's mutex.

private:
    struct Traces {
        std::shared_ptr<Trace> forward;
        std::shared_ptr<const Trace> joint;  ///< Null unless is_joint().
    };
    Trace recorded() const;             ///< The path alone: no outputs, no assigns.
    void complete(Trace& trace) const;  ///< Adds those.
    Traces traces() const;              ///< Those kept, or new ones.
    void drop_traces();
    void find_assigns(const Follower& follower, const Trace& forward);
    void deliver(Follower& follower, std::span<const Array> outputs) const;
    void keep_for_backward(Follower& follower, std::span<const Array> inputs,
                           std::span<const Array> outputs);

    template <class Make>
    bool make_executable(Make make);
    template <class Make>
    KnownSizes::Made make_joint_or_apart(Make make);
    SmallVector<double, 32> joint_scalars(std::span<const double> scalars) const;
    void keep_values(Activation& activation, std::span<const Array> outputs) const;
    void run_compiled(std::span<const Array> inputs, std::span<const double> scalars,
                      std::span<const bool> donated, std::span<Array> outputs);
    size_t given_outputs() const { return outputs_.size() + (joint_executable_ ? 1 : 0); }

    const Tree& tree_;  ///< Whoever calls this owns it, too.
    const Ending& ending_;
    const std::string region_;
    const std::shared_ptr<KnownSizes> sizes_;
    const GraphEnd* graph_;
    mutable std::mutex traces_mutex_;
    Traces traces_;  ///< Guarded by traces_mutex_. Programs planned from other sizes, of which
                     ///< there may be hundreds, drop it.
    size_t trace_bytes_ = 0;  ///< Of both: the region adds up all its programs whenever one is new.
    std::vector<Trace::ScalarSlot> scalars_;
    std::vector<Trace::Assign> assigns_;
    std::vector<int> states_;  ///< Values of the trace that are states because they are assigned.
    std::vector<const Type*> input_types_;  ///< In the tree.
    std::vector<int> inputs_, outputs_, wanted_;
    std::vector<char> output_alive_;  ///< For each of outputs_: it is still referenced.
    std::vector<int> kept_outputs_;  ///< For each kept value of graph_: its output index i, or -1 -
                                     ///< its input index.
    Device* device_;
    bool fast_math_, sends_messages_ = false;
    mutable std::mutex mutex_;
    std::atomic<bool> compiled_{false};
    std::shared_ptr<Executable> executable_;  ///< Of a joint program: its forward part.
    std::vector<int> joint_outputs_;          ///< See JointTrace.
    std::shared_ptr<program::JointExecutable> joint_executable_;
    std::atomic<bool> is_joint_{false}, ran_backward_{false};
    std::string why_apart_;  ///< Guarded by mutex_.
    double compile_seconds_ = 0;
    bool is_resized_ = false, is_from_disk_ = false;
    std::atomic<bool> is_claimed_{false};
};

}  // namespace catena::capture
