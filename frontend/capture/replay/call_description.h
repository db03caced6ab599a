#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/static_graph/call/flatten.h"
#include "runtime/graph/call/host_fact.h"
#include "runtime/graph/trace/trace.h"
#include "runtime/graph/variable/variable.h"

namespace catena::capture {

class Activation;
class Program;
class Step;
struct FollowedCall;

/// A followed call in terms that need no user code: where the program's inputs came from and how
/// its outputs were used.
struct CallDescription {
    /// Where an array comes from.
    struct Source {
        enum Kind : uint8_t { none, argument, state, gradient, captured, output } kind = none;
        int index = 0;  ///< Index of the argument or of the program's output.
        Ref<VariableBody> body;
        Array array;
        /// View operations that are applied to the array, in order.
        std::vector<const Step*> views;
        int value = -1;  ///< The value of the segment, if the code computes it; else -1.
    };

    /// A change of a variable.
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

    std::string region;
    std::vector<Source> inputs, results;
    std::vector<Result> variables;  ///< The variables of `results`.
    std::vector<Read> reads;
    std::vector<Fact> facts;
    std::vector<Effect> effects;
    std::vector<char> input_assigned;  ///< For each input, whether it is a state that is assigned.
    /// For each input, whether its old content is a result or is assigned to another state.
    std::vector<char> input_read_later;
    std::vector<Border> border;
    std::vector<int> graph_results;  ///< For each result of the graph, its index in `results`.
    /// The scalars, with the numbers and cells of the latest call that ran the code.
    std::vector<Trace::ScalarSlot> scalars;
    /// The scalars that are cells, as in Activation::cells.
    SmallVector<std::pair<int, Scalar>, 4> cells;
    /// The reason why calls cannot skip the code; empty if they can. (A file can be written all the
    /// same: it needs no more than the rest.)
    std::string obstacle;
    /// The reason why it cannot be told which argument or state the program reads; empty if it can.
    std::string ambiguity;

    void take_scalars(const FollowedCall& call);
};

/// Describes the call at the end of its code, which `program` is about to compute. `activation`: of
/// its results; null: they have none.
CallDescription describe(FollowedCall& call, const Activation* activation, const Program& program,
                         const Flat& arguments, const Flat& results);

}  // namespace catena::capture
