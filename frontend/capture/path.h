#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/small_vector.h"
#include "runtime/graph/trace.h"

namespace catena::capture {

class Program;
struct GraphEnd;
struct Step;
struct Ending;

/// A place between two operations of a region's code: what came next there at one call or another.
struct Place {
    std::atomic<Step*> steps{nullptr};      ///< Linked by Step::sibling.
    std::atomic<Ending*> endings{nullptr};  ///< Linked by Ending::sibling.
    std::atomic<GraphEnd*> graphs{nullptr};
};

/// A stretch of code without a host read: values are numbered on from `first_value`, of which the first `arguments` are
/// the region's arguments.
struct Segment {
    Place start;
    int first_value = 0;
    int arguments = 0;
};

/// A composite whose body is a run of steps, so that its own kernel may run instead.
struct Composite {
    const OpDef* op = nullptr;
    Attributes attributes;
    std::vector<int> operands, outputs;  ///< Values.
    int first_scalar = 0, scalar_count = 0;
    int steps = 0;  ///< How many, the last of which knows this.
};

/// One operation of a recorded path. Constant once others can see it.
struct Step {
    struct Input {
        Type type;
        Device* device = nullptr;
        std::string name;       ///< Of the state whose content it was.
        bool is_state = false;
    };
    const OpDef* op = nullptr;
    Attributes attributes;
    SourceLoc location;
    Device* device = nullptr;             ///< Of the outputs.
    SmallVector<int, 4> operands;         ///< Values; those from first_value on come from outside and are new here.
    SmallVector<int, 2> scalars;          ///< Slots; those from first_scalar on are new.
    SmallVector<Input, 1> inputs;         ///< The new ones.
    SmallVector<Type, 1> outputs;
    int first_value = 0, first_output = 0, end_value = 0;
    int first_scalar = 0, end_scalar = 0;
    int index = 0;                        ///< In its segment.
    const Step* previous = nullptr;       ///< Null for the first of a segment.
    std::vector<Ref<Cell::Body>> cells;   ///< Of `scalars`; null for plain numbers. For explanations and files.
    std::vector<std::unique_ptr<Composite>> composites;  ///< That end here, the innermost first. Guarded by Tree::mutex.
    Place next;
    std::atomic<Step*> sibling{nullptr};
};

/// Where a segment ended at some call, with what was alive then: the program of it.
struct Ending {
    bool is_cut = false;
    const Step* last = nullptr;
    const Segment* segment = nullptr;
    std::vector<int> alive;             ///< Computed values that somebody holds, in order.
    const GraphEnd* graph = nullptr;    ///< Of the results, when a backward may come from outside.
    std::shared_ptr<Program> program;   ///< Guarded by Tree::mutex.
    std::unique_ptr<Segment> rest;      ///< After a cut.
    std::atomic<Ending*> sibling{nullptr};
};

/// All paths that the code of a region took for one key. Calls follow it side by side without locks; what is added appears
/// at once and never changes.
class Tree : public std::enable_shared_from_this<Tree> {
public:
    explicit Tree(std::vector<Type> arguments);
    ~Tree();

    std::mutex mutex;
    Segment root;
    const std::vector<Type> arguments;

    /// Adds what `made` says, with the mutex held.
    Step& add(Place& place, std::unique_ptr<Step> made);
    Ending& add(Place& place, std::unique_ptr<Ending> made);
    GraphEnd& add(Place& place, std::unique_ptr<GraphEnd> made);

    size_t bytes() const { return bytes_; }
    const std::deque<std::unique_ptr<Ending>>& endings() const { return endings_; }

private:
    std::deque<std::unique_ptr<Step>> steps_;
    std::deque<std::unique_ptr<Ending>> endings_;
    std::deque<std::unique_ptr<GraphEnd>> graphs_;
    std::atomic<size_t> bytes_{0};
};

/// The steps of a segment up to `last`, in order.
std::vector<const Step*> steps_to(const Step* last);

}  // namespace catena::capture
