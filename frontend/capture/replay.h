#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "frontend/static_graph/exported_program.h"
#include "frontend/static_graph/flatten.h"
#include "runtime/graph/trace.h"

namespace catena::capture {

class Follower;
class Program;
class Tree;

/// A description of a followed call that needs no user code: where the program's inputs came from and what its outputs were
/// used for. For calls that skip the code, and for files.
class Replay {
public:
    /// `follower` has reached the end of a call that `program` is about to compute.
    Replay(const Follower& follower, const Program& program, const Flat& arguments, const Flat& results);

    /// Why calls cannot skip the code; empty if they can.
    const std::string& obstacle() const { return obstacle_; }
    /// States such as the random counter belong to a thread.
    bool is_of_this_thread() const { return thread_ == std::this_thread::get_id(); }
    /// True if the call that `follower` has just finished has the same description. Updates the captured arrays.
    bool holds(Follower& follower, const Program& program, const Flat& arguments, const Flat& results);
    /// True if the conditions outside of the key are unchanged: types of states, which gradients exist.
    bool applies(const Flat& arguments, const Program& program) const;
    /// Computes a call and applies its assignments to variables; returns the results in the order of the region's list.
    SmallVector<Variable, 4> run(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree) const;
    /// ValueError if it cannot be saved.
    ExportedProgram exported(const Program& program) const;

    /// The region's result without its Variables; made by the typed wrapper.
    const std::shared_ptr<std::shared_ptr<void>> result_template = std::make_shared<std::shared_ptr<void>>();

private:
    struct Source {
        enum Kind : uint8_t { none, argument, state, gradient, captured, output } kind = none;
        int index = 0;           ///< Index of the argument or of the program's output.
        Ref<VariableBody> body;
        Array array;
    };
    struct Effect {
        Ref<VariableBody> body;  ///< Null: the variable of an argument or of a result.
        int argument = -1, result = -1;
        bool is_gradient = false, consumed = false;
        Source value;            ///< Source::none: the gradient is cleared.

        VariableBody* target(std::span<const Variable> arguments, std::span<const Variable> results) const {
            return body ? body.get() : argument >= 0 ? arguments[size_t(argument)].body() : results[size_t(result)].body();
        }
    };
    void find_inputs(const Follower& follower, const Program& program, const Flat& arguments);
    void find_effects(const Follower& follower, const Program& program, const Flat& arguments, const Flat& results);
    void find_assigned_inputs();
    void find_results(const Follower& follower, const Program& program, const Flat& arguments, const Flat& results);
    void look_for_obstacles(const Follower& follower, const Program& program, const Flat& arguments, const Flat& results);
    Source source_of(const Array& array, const Follower& follower, const Program& program) const;
    Array value_of(const Source& source, const Flat& arguments, std::span<const Array> outputs) const;
    void attach(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree, std::span<const Array> inputs,
                std::span<const Array> outputs, std::span<const double> scalars, SmallVector<Variable, 4>& results) const;

    std::vector<Source> inputs_, results_;
    std::vector<Effect> effects_;
    std::vector<char> input_assigned_;     ///< The input is a state that is assigned.
    std::vector<char> input_read_later_;   ///< Its old content is a result or is assigned to another state.
    std::vector<int> border_inputs_;       ///< For each border edge: the index in `inputs_` of its variable.
    std::vector<int> graph_results_;       ///< For each result of the graph: its index in `results_`.
    std::vector<Trace::ScalarSlot> scalars_;
    std::string obstacle_;
    std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace catena::capture
