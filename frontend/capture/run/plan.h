#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frontend/capture/path/path.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/trace/trace.h"

namespace catena::capture {

struct FollowedCall;

/// What the program of one ending computes: its inputs and outputs, and which states it assigns.
/// Immutable; contains no data of a single call.
class Plan {
public:
    /// `call` has just reached `ending`. `recorded`: gets trace().
    Plan(const FollowedCall& call, const Ending& ending, Trace& recorded);

    /// The program's steps, made from the tree of paths, which must still exist.
    Trace trace() const;

    const Ending& ending() const { return ending_; }
    const GraphEnd* graph() const { return ending_.graph; }
    const std::shared_ptr<KnownSizes>& sizes() const { return tree_.sizes; }
    int step_count() const { return ending_.last ? ending_.last->index + 1 : 0; }
    /// The inputs as values of the segment, in the executable's order.
    const std::vector<int>& inputs() const { return inputs_; }
    const Type& input_type(size_t i) const { return *input_types_[i]; }
    /// The outputs as values of the segment, in the executable's order.
    const std::vector<int>& outputs() const { return outputs_; }
    /// For each output: whether anything but backward refers to it.
    const std::vector<char>& referenced() const { return referenced_; }
    bool is_referenced(size_t output) const { return referenced_[output]; }
    /// The values that the eager kernels are to compute.
    const std::vector<int>& wanted() const { return wanted_; }
    /// For each value of BackwardProgram::kept: the index i of its output, or -1 - i for input i.
    const std::vector<int>& kept() const { return kept_; }
    /// The scalars with their values at the time of recording.
    const std::vector<Trace::ScalarSlot>& scalars() const { return scalars_; }
    Device& device() const { return *device_; }
    bool fast_math() const { return fast_math_; }
    bool sends_messages() const { return sends_messages_; }

private:
    /// The path alone, without outputs and assigns.
    Trace recorded() const;
    /// Adds outputs and assigns to the path's trace.
    void complete(Trace& trace) const;
    void find_wanted(const Trace& recorded);
    void find_assigns(const FollowedCall& call, const Trace& recorded);
    void find_outputs();
    void find_kept(const Trace& recorded);

    /// The tree of the path, which outlives this object, since every caller owns it.
    const Tree& tree_;
    const Ending& ending_;
    const std::string region_;
    std::vector<Trace::ScalarSlot> scalars_;
    std::vector<Trace::Assign> assigns_;
    /// Values of the trace that are states because the program assigns them.
    std::vector<int> states_;
    std::vector<const Type*> input_types_;  ///< The types of the inputs, which belong to the tree.
    std::vector<int> inputs_, outputs_, wanted_;
    std::vector<char> referenced_;
    std::vector<int> kept_;
    Device* device_;
    bool fast_math_, sends_messages_ = false;
};

}  // namespace catena::capture
