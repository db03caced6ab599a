#pragma once

#include <unordered_map>
#include <vector>

#include "runtime/graph/trace/trace.h"
#include "runtime/graph/trace/tracing.h"

namespace catena {

/// Records operations as a Trace.
class Tracer : public Tracing {
public:
    /// A recorder. With `shape_only` nothing is computed, and changes of Catena's objects are
    /// undone by restore() (also called by the destructor).
    explicit Tracer(bool shape_only) : shape_only_(shape_only) {}
    /// Continues a program that was recorded elsewhere, on shapes only: `known` are the arrays of
    /// its values.
    Tracer(Trace begun, std::span<const std::pair<Array, int>> known);
    ~Tracer() override;

    /// Declares the next argument. Arguments that are the same array are one value.
    int add_argument(const Array& array, std::string name);

    /// The number of a value; an array from outside becomes a state (when it is the content of one,
    /// or of a leaf that requires a gradient) or a captured value.
    int value_of(const Array& array);
    int step_count() const { return int(trace_.steps.size()); }
    const Trace& trace() const { return trace_; }

    /// A variable whose gradient the program changed.
    struct GradientEffect {
        VariableBody* body;
        int value;  ///< The value that is assigned; -1: cleared.
    };
    /// Variables from outside whose gradient has changed since the start.
    std::vector<GradientEffect> gradient_effects();
    void restore();

    void saw(const OpCall& call, std::span<const Variable> outputs) override;
    void assigned(const Variable& state, const Variable& value) override;
    void changing(VariableBody& variable, Change what) override;
    void same(const Array& copy, const Array& array) override;
    void host_read(ArrayBody& array) override;
    bool shape_only() const override { return shape_only_; }

private:
    struct Saved {
        Ref<VariableBody> body;
        Array array;
        Ref<VariableBody> grad;
        bool grad_consumed;
    };
    int add_value(const Array& array, Trace::Value value);
    int add_input(const Array& array, Trace::Value value);
    int state_value(VariableBody& state, const Array& content);
    int scalar_slot(const Scalar& scalar);
    void release_unused();

    bool shape_only_;
    bool restored_ = false;
    Trace trace_;
    std::unordered_map<const ArrayBody*, int> known_;
    std::unordered_map<const VariableBody*, int> states_;
    std::unordered_map<const VariableBody*, size_t> saved_index_;
    std::unordered_map<const Cell::Body*, int> cell_slots_;
    std::vector<Saved> saved_;
    std::vector<Array> alive_;  ///< Keeps the addresses in known_ from being used again.
    /// Computed arrays (indices in alive_) with elements in memory; and the one to check next.
    std::vector<int> held_;
    size_t next_held_ = 0;
};

/// Steps [first, last) of `trace` as a separate program: its inputs are the values that they use
/// but do not compute, given as `inputs` (old numbers) in that order, its outputs `outputs`.
/// `assigns` (old numbers) are the part's; their targets are among the inputs.
Trace slice_trace(const Trace& trace, int first, int last, const std::vector<int>& inputs,
                  const std::vector<int>& outputs, const std::vector<Trace::Assign>& assigns = {});

}  // namespace catena
