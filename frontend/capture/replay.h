#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "frontend/flatten.h"
#include "frontend/package/exported_program.h"
#include "runtime/graph/trace.h"

namespace catena::capture {

class Follower;
class Program;
class Tree;

/// What a followed call meant in terms that hold without the user's code: where the program's inputs came from and what
/// became of its outputs. For calls that are not followed, and for files.
class Replay {
public:
    /// `follower` has come to the end of a call that `program` is about to compute.
    Replay(const Follower& follower, const Program& program, const Flat& arguments, const Flat& results);

    /// Why the code cannot be left out of a call; empty when it can.
    const std::string& obstacle() const { return obstacle_; }
    /// Drawing random numbers and the like go by states of a thread.
    bool is_of_this_thread() const { return thread_ == std::this_thread::get_id(); }
    /// True when the call that `follower` has come to the end of means the same. Takes over which arrays were captured.
    bool holds(Follower& follower, const Program& program, const Flat& arguments);
    /// True when what the key does not cover is as it was: types of states, gradients that are added to.
    bool applies(const Flat& arguments, const Program& program) const;
    /// Computes a call and carries out what it does to variables; returns the results in the order of the region's list.
    SmallVector<Variable, 4> run(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree) const;
    /// ValueError when a file cannot hold it.
    ExportedProgram exported(const Program& program) const;

    /// The region's result without its Variables; made by the typed wrapper.
    const std::shared_ptr<std::shared_ptr<void>> result_template = std::make_shared<std::shared_ptr<void>>();

private:
    struct Source {
        enum Kind : uint8_t { none, argument, state, gradient, captured, output } kind = none;
        int index = 0;           ///< Of the argument, or among the program's outputs.
        Ref<VariableBody> body;
        Array array;
    };
    struct Effect {
        Ref<VariableBody> body;  ///< Null for an argument's variable.
        int argument = -1;
        bool is_gradient = false, consumed = false;
        Source value;            ///< None: the gradient is cleared.
    };
    void find_inputs(const Follower& follower, const Program& program, const Flat& arguments);
    void find_effects(const Follower& follower, const Program& program, const Flat& arguments);
    void find_assigned_inputs();
    void find_results(const Follower& follower, const Program& program, const Flat& arguments, const Flat& results);
    void look_for_obstacles(const Follower& follower, const Program& program, const Flat& arguments, const Flat& results);
    Source source_of(const Array& array, const Follower& follower, const Program& program) const;
    Array value_of(const Source& source, const Flat& arguments, std::span<const Array> outputs) const;
    void attach(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree, std::span<const Array> inputs,
                std::span<const Array> outputs, std::span<const double> scalars, SmallVector<Variable, 4>& results) const;

    std::vector<Source> inputs_, results_;
    std::vector<Effect> effects_;
    std::vector<char> input_assigned_;     ///< It is a state that gets new content.
    std::vector<char> input_read_later_;   ///< Its old content is a result or goes elsewhere.
    std::vector<int> border_inputs_;       ///< For each edge of the graph's border: which of `inputs_` it is the gradient of.
    std::vector<int> graph_results_;       ///< For each result of the graph: which of `results_`.
    std::vector<Trace::ScalarSlot> scalars_;
    std::string obstacle_;
    std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace catena::capture
