#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "codegen/compiler.h"
#include "frontend/flatten.h"
#include "frontend/package/exported_program.h"
#include "runtime/graph/node.h"
#include "runtime/graph/trace.h"

namespace catena {

/// One recorded program of a region, for one key and one set of sizes: where its inputs come from, what becomes of
/// its outputs, and the code.
class StaticProgram : public std::enable_shared_from_this<StaticProgram> {
public:
    /// Records `body`: while it runs (and then its results are in `outputs`), or on shapes only.
    static std::shared_ptr<StaticProgram> record(const std::string& name, bool keep_grads, const Flat& arguments,
                                                 const std::function<void(Flat&)>& body, bool shape_only,
                                                 Flat& outputs);
    void compile();

    /// True when the inputs that the key does not cover are as recorded: gradients to be added to, sizes of states.
    bool applies() const;
    /// Runs the compiled program on the arguments; carries out its assignments and gradient effects.
    SmallVector<Variable, 4> run(const Flat& arguments);
    /// Takes over what may differ between two recordings of one structure: plain scalars and captured arrays.
    void refresh(const StaticProgram& other);

    /// The code went a way that only a first call goes: record the next one instead.
    bool is_passing() const { return is_passing_; }
    uint64_t structure() const { return structure_; }
    const Trace& forward() const { return forward_; }
    const Trace& backward() const { return backward_; }
    const Executable* executable() const { return executable_.get(); }
    const Executable* backward_executable() const { return backward_executable_.get(); }
    Device& device() const { return *device_; }  ///< Where the arrays of the recording were.
    bool has_backward() const { return !targets_.empty(); }
    double compile_seconds() const { return compile_seconds_; }

    /// Without what belongs to this process. ValueError when a file cannot hold it.
    ExportedProgram exported() const;

    /// About what the program takes: its records, its schedules and their machine code.
    size_t bytes() const;

    int64_t hits = 0;
    int64_t last_used = 0;  ///< Call of the region.
    /// The region's result without its Variables, which replays fill; made by the typed wrapper.
    std::shared_ptr<void> result_template;


private:
    /// Where a user-visible value of the region comes from.
    struct Source {
        enum Kind : uint8_t { argument, state, gradient, captured, computed } kind;
        int index = 0;              ///< Of the argument, or among the forward program's outputs.
        Ref<VariableBody> body;     ///< Of a state or gradient.
        Array array;                ///< Of a captured value.
    };
    struct Effect {
        Ref<VariableBody> body;     ///< Null for an argument.
        int argument = -1;
        Source value;               ///< The new gradient.
        bool cleared = false, consumed = false;
    };
    struct Activation;

    Source source_of(const Trace& trace, int value, const std::vector<int>& argument_of) const;
    void split(const Trace& full, int forward_steps, const std::vector<int>& user_outputs,
               const std::vector<int>& grad_outputs, const std::vector<int>& gradients,
               const std::vector<Trace::Assign>& backward_assigns,
               const std::vector<int>& argument_of);
    void gather(const Flat& arguments, std::vector<Array>& inputs, std::vector<char>& donated) const;
    std::vector<double> scalar_values(const Trace& trace) const;
    Array value_from(const Source& source, const Flat& arguments, std::span<const Array> outputs) const;
    void apply_effects(const Flat& arguments, std::span<const Array> outputs) const;
    void attach_gradient(const Flat& arguments, std::vector<Array> inputs, std::span<const Array> outputs,
                         SmallVector<Variable, 4>& results);
    Variables gradient(Activation& activation, Node& node, std::span<const Variable> gy);
    Variables differentiable_gradient(Activation& activation, Node& node, std::span<const Variable> gy);
    void compile_backward();

    Trace forward_, backward_;
    uint64_t structure_ = 0;
    bool keep_grads_ = false;
    bool is_passing_ = false;
    std::vector<Source> sources_;          ///< One per input of forward_.
    std::vector<Source> results_;          ///< One per Variable that the region returns.
    std::vector<char> result_has_gradient_;
    std::vector<Effect> effects_;
    std::vector<Source> targets_;          ///< What outside gradients flow to: arguments and states.
    std::vector<int> target_inputs_;       ///< Their places among the inputs of forward_.
    /// One per input of backward_ but the gradients of the results, which come last.
    struct Kept {
        bool is_input;
        int index;                         ///< Among forward_'s inputs or outputs.
    };
    std::vector<Kept> kept_;
    std::vector<char> input_kept_;
    std::vector<int> gradient_of_target_;  ///< Output of backward_, -1: nothing flows there.
    std::shared_ptr<Executable> executable_, backward_executable_;
    Device* device_ = nullptr;             ///< Where the arrays of the recording were.
    double compile_seconds_ = 0;
};

}  // namespace catena
