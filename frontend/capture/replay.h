#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "frontend/static_graph/call/exported_program.h"
#include "frontend/static_graph/call/flatten.h"
#include "runtime/graph/code_changes.h"
#include "runtime/graph/code_must_run.h"
#include "runtime/graph/host_fact.h"
#include "runtime/graph/node.h"
#include "runtime/graph/trace.h"

namespace catena::capture {

class Activation;
struct FollowedCall;
struct GraphEnd;
class Program;
class Step;
class Tree;

/// A description of a followed call that needs no user code: where the program's inputs came from
/// and how its outputs were used. It serves calls that skip the code, and files.
class Replay {
public:
    /// Describes the call at the end of its code, which `program` is about to compute.
    /// `activation`: of its results; null: they have none.
    Replay(FollowedCall& call, const Activation* activation, const Program& program,
           const Flat& arguments, const Flat& results);

    /// The reason why calls cannot skip the code; empty if they can.
    const std::string& obstacle() const { return obstacle_; }
    /// Whether the call that ran was one whose code must run (code_must_run) and which may
    /// therefore have done something else than other calls.
    bool is_special() const { return is_special_; }
    /// Whether the call ran on this thread: states such as the random counter belong to a thread.
    bool is_of_this_thread() const { return thread_ == std::this_thread::get_id(); }
    /// Whether `call`, which is at its end, has the same description. Updates the
    /// captured arrays and numbers.
    bool holds(FollowedCall& call, const Program& program, const Flat& arguments,
               const Flat& results);
    /// Whether the conditions that are not part of the key are unchanged: types of states, which
    /// gradients exist, and the host facts that the code asks for.
    bool applies(const Flat& arguments, const Program& program) const;
    /// Computes a call and applies its assignments to variables; `results` are in the order of the
    /// region's list. False: the program has failed, and nothing has changed.
    bool run(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree,
             SmallVector<Variable, 4>& results) const;
    /// The call as a program for a file; ValueError if it cannot be saved.
    ExportedProgram exported(const Program& program) const;

    /// The region's result without its Variables; the typed wrapper makes it.
    const std::shared_ptr<std::shared_ptr<void>> result_template =
        std::make_shared<std::shared_ptr<void>>();

private:
    struct Source {
        enum Kind : uint8_t { none, argument, state, gradient, captured, output } kind = none;
        int index = 0;  ///< Index of the argument or of the program's output.
        Ref<VariableBody> body;
        Array array;
        /// View operations that are applied to the array, in order.
        std::vector<const Step*> views;
        int value = -1;  ///< The value of the segment, if the code computes it; else -1.
    };
    struct Effect {
        /// The variable that changes; null: that of an argument or of a result.
        Ref<VariableBody> body;
        int argument = -1, result = -1;
        bool is_gradient = false, consumed = false;
        Source value;  ///< The new value; Source::none: the gradient is cleared.

        VariableBody* target(std::span<const Variable> arguments,
                             std::span<const Variable> results) const {
            return body            ? body.get()
                   : argument >= 0 ? arguments[size_t(argument)].body()
                                   : results[size_t(result)].body();
        }
    };
    /// Describes which variable a result is: a new one, an argument, an earlier result or a state.
    struct Result {
        enum Kind : uint8_t { made, argument, earlier, state } kind = made;
        int index = 0;           ///< Index of the argument or of the earlier result.
        Ref<VariableBody> body;  ///< The state's variable.
        /// For a result that is made: whether it is a leaf that requires a gradient.
        bool requires_grad = false;
        /// For a result that is made: whether a backward inside the region has consumed its graph.
        bool is_used_up = false;
        std::string name;
    };
    /// An edge at which gradients leave the region: to a state, or to an argument.
    struct Border {
        Ref<VariableBody> state;
        int argument = -1;
        Type type;
    };
    /// A host fact that the code asked for, with its value before and after the call.
    struct Fact {
        std::shared_ptr<const HostFact> of;
        uint64_t before = 0, after = 0;
    };
    /// A variable whose gradient from before the call was read, or would have been.
    struct Read {
        Ref<VariableBody> body;  ///< The variable; null: that of an argument.
        int argument = -1;
        bool found = false, consumed = false;
    };
    static bool is_same(const Source& a, const Source& b);
    std::vector<Source> merge_inputs(Trace& trace) const;
    void refuse_gradients(const std::string& region) const;
    static Trace::Role role_of(Source::Kind kind);
    void find_inputs(FollowedCall& call, const Program& program, const Flat& arguments);
    void find_effects(FollowedCall& call, const Program& program, const Flat& arguments,
                      const Flat& results);
    void find_assigned_inputs();
    void find_results(FollowedCall& call, const Program& program, const Flat& arguments,
                      const Flat& results);
    Result result_of(size_t k, const FollowedCall& call, const Flat& arguments,
                     const Flat& results);
    void find_reads(const FollowedCall& call, const Flat& arguments);
    void find_facts(const FollowedCall& call);
    void find_graph(const FollowedCall& call, const GraphEnd& graph, const Flat& arguments,
                    const Flat& results);
    void look_for_obstacles(const FollowedCall& call, const Program& program, const Flat& arguments,
                            const Flat& results);
    Source source_of(const Array& array, FollowedCall& call, const Flat& arguments);
    Source computed(int value, FollowedCall& call, const Flat& arguments);
    void take_scalars(const FollowedCall& call);
    void find_places(const FollowedCall& call, const Program& program);
    Source from_outside(const Array& array, const Flat& arguments);
    void find_ambiguities(const Flat& arguments);
    Array value_of(const Source& source, const Flat& arguments,
                   std::span<const Array> outputs) const;
    const Array& array_of(const Source& source, const Flat& arguments,
                          std::span<const Array> outputs) const;
    void make_results(const Flat& arguments, std::span<const Array> outputs,
                      SmallVector<Variable, 4>& results) const;
    void attach(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree,
                std::span<const Array> inputs, std::span<const Array> outputs,
                std::span<const double> scalars, SmallVector<Variable, 4>& results) const;

    const Activation* activation_ = nullptr;  ///< While it is described.
    std::vector<Source> inputs_, results_;
    std::vector<Result> variables_;  ///< The variables of `results_`.
    std::vector<Read> reads_;
    std::vector<Fact> facts_;
    std::vector<Effect> effects_;
    std::vector<char> input_assigned_;  ///< For each input, whether it is a state that is assigned.
    /// For each input, whether its old content is a result or is assigned to another state.
    std::vector<char> input_read_later_;
    std::vector<Border> border_;
    std::vector<int> graph_results_;  ///< For each result of the graph, its index in `results_`.
    /// The scalars, with the numbers and cells of the latest call that ran the code.
    std::vector<Trace::ScalarSlot> scalars_;
    /// The scalars that are cells, as in Activation::cells.
    SmallVector<std::pair<int, Scalar>, 4> cells_;
    std::string region_;
    std::string obstacle_;
    /// The reason why it cannot be told which argument or state the program reads; empty if it can.
    std::string ambiguity_;
    bool is_special_ = code_must_run();
    /// The value of code_changes() when the code had run.
    uint64_t code_changes_ = code_changes();
    std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace catena::capture
