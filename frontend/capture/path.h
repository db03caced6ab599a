#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/capture/known_walk.h"
#include "frontend/capture/recorded_call.h"
#include "runtime/core/memory/small_vector.h"
#include "runtime/graph/trace.h"

namespace catena::capture {

struct KnownBody;
class KnownSizes;
class Program;
class Step;
struct GraphEnd;
struct Ending;

/// A point between two operations of a region's code, with everything that came next there in any
/// call.
class Place {
public:
    /// What few places have.
    struct Rare {
        std::atomic<Ending*> endings{nullptr};  ///< Linked by Ending::sibling.
        std::atomic<GraphEnd*> graphs{nullptr};
        std::atomic<KnownWalk*> walks{nullptr};   ///< Of backward() or grad() that began here.
        std::atomic<KnownBody*> bodies{nullptr};  ///< Of composites that began here.
        std::atomic<int> walk_attempts{0},
            body_attempts{0};  ///< How often a walk or a body from here was not known.
    };
    Place() = default;
    ~Place() { delete rare_.load(std::memory_order_relaxed); }
    Place(const Place&) = delete;

    std::atomic<Step*> steps{nullptr};  ///< Linked by Step::sibling.
    Ending* endings() const { return first(&Rare::endings); }
    GraphEnd* graphs() const { return first(&Rare::graphs); }
    KnownWalk* walks() const { return first(&Rare::walks); }
    KnownBody* bodies() const { return first(&Rare::bodies); }
    int walk_attempts() const { return first(&Rare::walk_attempts); }
    int body_attempts() const { return first(&Rare::body_attempts); }

    bool has_rare() const { return rare_.load(std::memory_order_relaxed); }
    Rare& rare();  ///< Made if there is none, by any thread.

private:
    template <class T>
    T first(std::atomic<T> Rare::* member) const {
        const Rare* rare = rare_.load(std::memory_order_acquire);
        return rare ? (rare->*member).load(std::memory_order_acquire) : T();
    }
    std::atomic<Rare*> rare_{nullptr};
};

/// A part of the code between host reads. Its values are numbered from `first_value`; the first
/// `arguments` of them are the region's arguments.
struct Segment {
    Place start;
    int first_value = 0;
    int arguments = 0;
};

/// A composite whose body consists of consecutive steps, so that its own kernel can run instead.
struct Composite {
    const OpDef* op = nullptr;
    Attributes attributes;
    std::vector<int> operands, outputs;  ///< Values.
    int first_scalar = 0, scalar_count = 0;
    int steps = 0;  ///< Number of steps; the last one owns this object.
};

/// One operation of a recorded path. Immutable once other threads can see it. A region that sees
/// many sizes holds hundreds of thousands of them: lists are as long as they are, what the turns of
/// a loop have in common belongs to the tree, and what few steps have lies apart.
class Step {
public:
    struct Call : RecordedCall {
        Device* device = nullptr;            ///< The device of the outputs.
        const Type* output_types = nullptr;  ///< See Tree::kept().
    };
    struct Input {
        Type type;
        Device* device = nullptr;
        std::string name;  ///< The name of the state that held it.
        bool is_state = false;
    };
    /// What few steps have.
    struct Rare {
        std::vector<Input> inputs;
        std::vector<Ref<Cell::Body>> cells;  ///< One for each scalar; empty if all are null.
    };
    void set_numbers(std::span<const int> operands, std::span<const int> scalars);
    std::span<const int> operands() const {
        return {numbers_.get(), operand_count_};
    }  ///< Values; those from first_value on are new inputs from outside.
    std::span<const int> scalars() const {
        return {numbers_.get() + operand_count_, scalar_count_};
    }  ///< Slots; those from first_scalar on are new.
    std::span<const Type> outputs() const {
        return {call->output_types, size_t(end_value - first_output)};
    }
    std::span<const Input> inputs() const {
        return rare ? std::span<const Input>(rare->inputs) : std::span<const Input>();
    }  ///< The new ones.
    /// Of a scalar; null for a plain number. For explain() and save().
    Cell::Body* cell(size_t scalar) const {
        return rare && !rare->cells.empty() ? rare->cells[scalar].get() : nullptr;
    }
    size_t bytes() const;

    const Call* call = nullptr;  ///< See Tree::kept().
    std::unique_ptr<const Rare> rare;
    int first_value = 0, first_output = 0, end_value = 0;
    int first_scalar = 0, end_scalar = 0;
    int index = 0;                   ///< Its index in the segment.
    const Step* previous = nullptr;  ///< Null for the first of a segment.
    /// Composites that end here, innermost first; null: none. Guarded by Tree::mutex.
    std::unique_ptr<std::vector<std::unique_ptr<Composite>>> composites;
    Place next;
    std::atomic<Step*> sibling{nullptr};

private:
    std::unique_ptr<int[]> numbers_;
    uint32_t operand_count_ = 0, scalar_count_ = 0;
};

/// An end of a segment in some call, with the values referenced then and the program that computes
/// them.
struct Ending {
    bool is_cut = false;
    const Step* last = nullptr;
    const Segment* segment = nullptr;
    std::vector<int> alive;            ///< Computed values still referenced, in order.
    const GraphEnd* graph = nullptr;   ///< The results' graph, if a backward outside is possible.
    std::shared_ptr<Program> program;  ///< Guarded by Tree::mutex.
    std::unique_ptr<Segment> rest;     ///< The next segment, after a cut.
    std::atomic<Ending*> sibling{nullptr};
};

/// All paths that the code of a region took for one key. Concurrent calls read it without locks;
/// additions are published atomically and never change.
class Tree : public std::enable_shared_from_this<Tree> {
public:
    /// `sizes`: of the region's programs; null if nothing is compiled.
    explicit Tree(std::vector<Type> arguments, std::shared_ptr<KnownSizes> sizes = {});
    ~Tree();

    std::mutex mutex;
    Segment root;
    const std::vector<Type> arguments;
    const std::shared_ptr<KnownSizes> sizes;

    /// Adds `made`, or returns the equal step that another call has added. The mutex must be held.
    Step& add(Place& place, std::unique_ptr<Step> made);
    Ending& add(Place& place, std::unique_ptr<Ending> made);
    GraphEnd& add(Place& place, std::unique_ptr<GraphEnd> made);
    KnownWalk& add(Place& place, std::unique_ptr<KnownWalk> made);
    KnownBody& add(Place& place, std::unique_ptr<KnownBody> made);

    /// Equal ones that live as long as the tree: most of a path's steps have one of a few types,
    /// and many are turns of loops. May be called without the mutex.
    const Type* kept(std::span<const Type> types);
    const Step::Call* kept(const RecordedCall& call, Device& device, std::span<const Type> outputs);

    size_t bytes() const { return bytes_; }
    const std::deque<std::unique_ptr<Ending>>& endings() const { return endings_; }

private:
    Place::Rare& rare(Place& place);

    std::mutex kept_mutex_;
    std::unordered_multimap<uint64_t, std::vector<Type>> types_;  ///< By their hash,
    std::unordered_multimap<uint64_t, Step::Call> calls_;         ///< as these.
    std::deque<std::unique_ptr<Step>> steps_;
    std::deque<std::unique_ptr<Ending>> endings_;
    std::deque<std::unique_ptr<GraphEnd>> graphs_;
    std::deque<std::unique_ptr<KnownWalk>> walks_;
    std::deque<std::unique_ptr<KnownBody>> bodies_;
    std::atomic<size_t> bytes_{0};
};

/// The steps of a segment up to `last`, in order.
std::vector<const Step*> steps_to(const Step* last);

}  // namespace catena::capture
