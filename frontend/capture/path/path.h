#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/capture/path/outgrowth.h"
#include "frontend/capture/path/recorded_call.h"
#include "runtime/graph/trace/trace.h"
#include "runtime/graph/variable/scalar_operand.h"

namespace catena::capture {

struct Ending;
class KnownSizes;
class Step;
// What is made of a path, and known to who makes it alone.
struct GraphEnd;
class Program;

/// A point between two operations of a region's code, with all continuations that calls have taken
/// there.
class Place {
public:
    /// Lists that only few places have.
    struct Rare {
        /// The ends of the segment here; the first of a list linked by Ending::sibling.
        std::atomic<Ending*> endings{nullptr};
        /// What has grown here, by kind; each the first of a list linked by Outgrowth::sibling.
        std::array<std::atomic<Outgrowth*>, Outgrowth::kinds> grown{};
        /// How often an outgrowth began at this place, by its kind.
        std::array<std::atomic<int>, Outgrowth::kinds> attempts{};
    };
    Place() = default;
    ~Place() { delete rare_.load(std::memory_order_relaxed); }
    Place(const Place&) = delete;

    /// The operations that followed here; the first of a list linked by Step::sibling.
    std::atomic<Step*> steps{nullptr};
    Ending* endings() const {
        const Rare* rare = rare_.load(std::memory_order_acquire);
        return rare ? rare->endings.load(std::memory_order_acquire) : nullptr;
    }
    /// The first outgrowth of type `T` here that `is_wanted` accepts; null: there is none.
    template <class T, class Wanted>
    T* find(Wanted is_wanted) const {
        const Rare* rare = rare_.load(std::memory_order_acquire);
        if (!rare) return nullptr;
        for (const std::atomic<Outgrowth*>* next = &rare->grown[size_t(T::kind)];;) {
            T* grown = static_cast<T*>(next->load(std::memory_order_acquire));
            if (!grown || is_wanted(*grown)) return grown;
            next = &grown->sibling;
        }
    }
    int attempts(Outgrowth::Kind kind) const {
        const Rare* rare = rare_.load(std::memory_order_acquire);
        return rare ? rare->attempts[size_t(kind)].load(std::memory_order_acquire) : 0;
    }
    void add_attempt(Outgrowth::Kind kind) { ++rare().attempts[size_t(kind)]; }

    bool has_rare() const { return rare_.load(std::memory_order_relaxed); }
    /// The rare lists, which are made if there are none; any thread may call it.
    Rare& rare();

private:
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
    /// The composite's inputs and outputs, as values of the segment.
    std::vector<int> operands, outputs;
    int first_scalar = 0, scalar_count = 0;
    int steps = 0;  ///< Number of steps of the body; the last one owns this object.
};

/// One operation of a recorded path. Immutable once other threads can see it. A region that sees
/// many sizes holds hundreds of thousands of steps, so they are small: lists have no spare
/// capacity, data common to the iterations of a loop belongs to the Tree, and rare data is stored
/// separately.
class Step {
public:
    struct Call : RecordedCall {
        Device* device = nullptr;            ///< The device on which the outputs lie.
        const Type* output_types = nullptr;  ///< The types of the outputs, see Tree::kept().
    };
    struct Input {
        Type type;
        Device* device = nullptr;
        std::string name;  ///< The name of the state that held the input; may be empty.
        bool is_state = false;
    };
    /// Data that only few steps have.
    struct Rare {
        std::vector<Input> inputs;
        /// The cells of the scalars; empty if all scalars are plain numbers.
        std::vector<Ref<Cell::Body>> cells;
    };
    void set_numbers(std::span<const int> operands, std::span<const int> scalars);
    /// The inputs, as values of the segment; those from first_value on are new arrays from outside.
    std::span<const int> operands() const { return {numbers_.get(), operand_count_}; }
    /// The scalars, as slots of the segment; those from first_scalar on are new.
    std::span<const int> scalars() const {
        return {numbers_.get() + operand_count_, scalar_count_};
    }
    std::span<const Type> outputs() const {
        return {call->output_types, size_t(end_value - first_output)};
    }
    /// Descriptions of the new arrays from outside that this step reads first.
    std::span<const Input> inputs() const {
        return rare ? std::span<const Input>(rare->inputs) : std::span<const Input>();
    }
    /// The cell of a scalar; null for a plain number. For explain() and save().
    Cell::Body* cell(size_t scalar) const {
        return rare && !rare->cells.empty() ? rare->cells[scalar].get() : nullptr;
    }
    size_t bytes() const;

    /// The operation and its attributes, shared with equal steps; see Tree::kept().
    const Call* call = nullptr;
    std::unique_ptr<const Rare> rare;
    int first_value = 0, first_output = 0, end_value = 0;
    int first_scalar = 0, end_scalar = 0;
    int index = 0;                   ///< The step's index in its segment.
    const Step* previous = nullptr;  ///< The step before this one; null for the first of a segment.
    /// The composites that end with this step, innermost first; null: none. Guarded by Tree::mutex.
    std::unique_ptr<std::vector<std::unique_ptr<Composite>>> composites;
    Place next;
    std::atomic<Step*> sibling{nullptr};

private:
    std::unique_ptr<int[]> numbers_;
    uint32_t operand_count_ = 0, scalar_count_ = 0;
};

/// An end of a segment in some call, with the values that were referenced then and the program that
/// computes them.
struct Ending {
    bool is_cut = false;
    const Step* last = nullptr;
    const Segment* segment = nullptr;
    std::vector<int> alive;  ///< The computed values that are still referenced, in order.
    /// The results' graph, if a backward outside the region is possible; else null.
    const GraphEnd* graph = nullptr;
    std::shared_ptr<Program> program;  ///< The program for this ending. Guarded by Tree::mutex.
    /// The segment that follows a cut; null at the end of the code.
    std::unique_ptr<Segment> rest;
    std::atomic<Ending*> sibling{nullptr};
};

/// All paths that the code of a region took for one key. Concurrent calls read it without locks;
/// additions are published atomically and never change.
class Tree : public std::enable_shared_from_this<Tree> {
public:
    /// `sizes`: the region's programs of all sizes; null if nothing is compiled.
    explicit Tree(std::vector<Type> arguments, std::shared_ptr<KnownSizes> sizes = {});
    ~Tree();

    std::mutex mutex;
    Segment root;
    const std::vector<Type> arguments;
    const std::shared_ptr<KnownSizes> sizes;

    /// Adds `made`, or returns the equal step that another call has added. The mutex must be held.
    Step& add(Place& place, std::unique_ptr<Step> made);
    Ending& add(Place& place, std::unique_ptr<Ending> made);
    template <class T>
    T& grow(Place& place, std::unique_ptr<T> made) {
        T& grown = *made;
        add(place, T::kind, std::move(made));
        return grown;
    }

    /// An equal list of types, or an equal call, that lives as long as the tree, so that steps can
    /// share it: most steps of a path have one of a few types, and many are iterations of loops.
    /// May be called without the mutex.
    const Type* kept(std::span<const Type> types);
    const Step::Call* kept(const RecordedCall& call, Device& device, std::span<const Type> outputs);

    size_t bytes() const { return bytes_; }
    const std::deque<std::unique_ptr<Ending>>& endings() const { return endings_; }

private:
    void add(Place& place, Outgrowth::Kind kind, std::unique_ptr<Outgrowth> made);
    Place::Rare& rare(Place& place);

    std::mutex kept_mutex_;
    /// Shared lists of types, by their hash.
    std::unordered_multimap<uint64_t, std::vector<Type>> types_;
    std::unordered_multimap<uint64_t, Step::Call> calls_;  ///< Shared calls, by their hash.
    std::deque<std::unique_ptr<Step>> steps_;
    std::deque<std::unique_ptr<Ending>> endings_;
    std::deque<std::unique_ptr<Outgrowth>> grown_;
    std::atomic<size_t> bytes_{0};
};

/// The steps of a segment up to `last`, in order.
std::vector<const Step*> steps_to(const Step* last);

}  // namespace catena::capture
