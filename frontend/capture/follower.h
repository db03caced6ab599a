#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "frontend/capture/host_read.h"
#include "frontend/capture/known_body.h"
#include "frontend/capture/known_walk.h"
#include "frontend/capture/live_graph.h"
#include "frontend/capture/made_nodes.h"
#include "frontend/capture/path.h"
#include "frontend/capture/planned/expected_results.h"
#include "frontend/capture/pointer_table.h"
#include "frontend/capture/undo_log.h"
#include "frontend/capture/view_layout.h"
#include "frontend/capture/watched_inputs.h"
#include "frontend/static_graph/call/flatten.h"
#include "runtime/core/array/pending.h"
#include "runtime/graph/config.h"
#include "runtime/graph/host_fact.h"
#include "runtime/graph/recorder.h"
#include "runtime/graph/walk_memory.h"

namespace catena::capture {

class Activation;
class Follower;
struct GraphEnd;

/// Interface to the region, which owns the programs and runs them.
class SegmentRunner {
public:
    /// Computes the values of `ending` and passes them to `follower`.
    virtual void run(Follower& follower, Ending& ending) = 0;
    /// Called where the code leaves all known paths: it does step `now` instead of `expected`
    /// (null: where earlier calls ended), or ends (null `now`) before `expected`.
    virtual void left(const Step* now, const Step* expected) = 0;

protected:
    ~SegmentRunner() = default;
};

/// The thread's recorder while the code of a region runs: operations are compared with the steps of
/// a Tree, return pending arrays and are not computed yet. Where the code leaves the tree, a branch
/// is added. At the end of the code, and where the host reads a pending array, all arrays still
/// referenced are computed and filled in place. One object serves many calls in sequence; it reuses
/// the array bodies of values that are no longer referenced.
class Follower final : public Recorder, public Pending, public WalkMemory {
public:
    explicit Follower(Tree& tree) : tree_(&tree), log_(this) {}
    Follower(const Follower&) = delete;

    struct Rules {
        const char* region = "";
        bool breaks = true;
        bool keep_grads = false;
        bool watches_memory = false;
        bool is_replayed =
            false;  ///< Calls may skip the code: the results' graph must be a compiled program.
        bool has_no_graph = false;  ///< No backward() will come from outside.
    };
    /// Follows the paths of another tree from the next call on, with the arrays that it has.
    void serve(Tree& tree);
    void begin(const Flat& arguments, const Rules& rules, SegmentRunner& runner);
    /// The code has returned; the recorder's scope has ended.
    void finish();
    /// The code threw an exception: computes what was recorded before it, as eager code would have.
    /// Throws if one of these operations fails, because in eager code that error would have come
    /// first.
    void abandon();
    /// Like abandon(), but computes nothing and undoes all changes.
    void forget(std::string_view why);

    bool was_cut() const { return cuts_ > 0; }
    int cuts() const { return cuts_; }
    bool is_passing() const { return is_passing_; }  ///< See Watcher::passing.
    const char* needs_code() const {
        return needs_code_;
    }  ///< The reason why calls cannot skip the code; null: none.
    /// A state and the variable that replaces it, see Watcher::stands_for.
    using StandIn = std::pair<const VariableBody*, Ref<VariableBody>>;
    std::span<const StandIn> stand_ins() const { return stand_ins_; }
    /// The array from before the call that a state took as its own (Watcher::same); any other is
    /// its own original.
    const Array& original(const Array& array);
    /// What the code asked of the host, and the answer before it did.
    using Fact = std::pair<std::shared_ptr<const HostFact>, uint64_t>;
    std::span<const Fact> facts() const { return facts_; }

    //---- used by the runner
    Tree& tree() const { return *tree_; }
    const Array& value(int v) const { return slots_[size_t(v)].array; }
    /// What a program is to read for input `v`: its elements as operations have read them.
    const Array& content(int v);
    bool is_computed(int v) const { return slots_[size_t(v)].maker; }  ///< Not from outside.
    std::span<const double> scalars() const { return scalars_; }
    /// The scalar slots of the segment whose numbers are cells in this call, in order.
    using Cells = std::vector<std::pair<int, Ref<Cell::Body>>>;
    const Cells& cells() const { return cells_; }
    const UndoLog& log() const { return log_; }
    /// The number of references to input `v` that belong to the follower itself, so cannot be used
    /// to read it.
    uint32_t own_references(int v) const;
    /// Must be called before own_references().
    void count_references();
    /// The same of a storage: by arrays that nobody else refers to.
    uint32_t own_references(const Storage& storage);
    void deliver(int v, const Array& content);
    /// The view operations that lead from `base`, the value or the array from outside whose memory
    /// value `v` shows, to it; none if its memory is its own.
    std::vector<const Step*> view_steps(int v, int& base) const;
    /// The values that are such views, and whose arrays somebody refers to.
    std::vector<int> live_views() const;
    PointerTable& scratch() { return scratch_; }
    /// Called when step `index` has a value error, which is thrown through run(): only operations
    /// before it take effect.
    void fail_at(int index) { failed_at_ = index; }
    /// The values of this segment with their arrays, for recording a backward program.
    std::vector<std::pair<Array, int>> known_arrays() const;
    const Segment& segment() const { return *segment_; }
    const Step* step() const { return step_; }
    const char* region() const { return rules_.region; }
    const HostRead& reader() const { return reader_; }  ///< What reads a value now.
    /// Keeps the activations of this run for a backward outside the region; null if there can be
    /// none.
    Activation* activation() const { return activation_; }

    //---- Recorder
    bool defers() const override { return true; }
    Variables perform(const OpCall& call) override;
    void assigned(const Variable& state, const Variable& value) override;
    void changing(VariableBody& variable, Change what) override;
    void reads_gradient(VariableBody& variable) override;
    void host_read(ArrayBody& array) override;
    void addressed(ArrayBody& array) override;
    void settle() override;
    void passing() override;
    void needs_code(const char* why) override;
    void stands_for(const Variable& state, const Variable& variable) override;
    void same(const Array& copy, const Array& array) override;
    void asks(const std::shared_ptr<const HostFact>& fact) override;
    void walks(const Node& node) override;

    //---- WalkMemory
    bool repeat(const WalkRequest& request, Variables& results) override;
    void visits(const Node& node) override;
    void stored(const VariableBody& leaf) override;
    void ended(std::span<const Variable> results) override;

    //---- Pending
    void force(ArrayBody& array) override;
    ArrayBody* look(ArrayBody& array, const Shape& shape, const Strides& strides,
                    int64_t offset) override;
    Array row_major(ArrayBody& array) override;

    const MadeNodes& nodes() const { return nodes_; }

private:
    /// The results of a call that is the expected one; of a composite, if its body need not run.
    bool follow(const OpCall& call, Variables& outputs);
    bool follow_step(const OpCall& call, Variables& outputs);
    /// The results of a call that no known path has here, which one has from now on.
    Variables extend(const OpCall& call);
    /// The results of a composite, which is followed as the calls of its body.
    Variables follow_body(const OpCall& call);
    void composite_begins(const OpCall& call);
    void composite_ends(std::span<const Variable> outputs);
    void attached(Node& node);
    /// ValueError where the operation runs on a device.
    void refuse_precision(const OpCall& call) const;
    void change_settings(const OpCall& call);
    /// A program is of one device: what was recorded for another than that of `op` is computed
    /// first.
    void leave_device(const OpDef& op, const Device& next);
    /// A value of the call: the array of an input or of a result. `maker` is the step that caches
    /// the result's array; null and a pending array: one that a step of this number may take.
    struct Slot {
        Array array;
        const Step* maker = nullptr;
        int base = -1;    ///< The value whose memory it shows; its own number: none but its own.
        int layout = -1;  ///< Among `layouts_`; -1: no view step has given it yet.
    };
    struct OpenComposite {
        const OpDef* op;
        const Attributes* attributes;
        std::span<const Variable* const> inputs;
        const Step* before;
        int first_scalar, scalar_count;
        BodyRecording recording;  ///< Without a place: its body is neither compared nor remembered.
    };

    const Place& place() const { return step_ ? step_->next : segment_->start; }
    Place& place() { return const_cast<Place&>(std::as_const(*this).place()); }
    bool matches(const Step& step, const OpCall& call);
    void take(const Step& step, const OpCall& call, Variables& outputs);
    std::unique_ptr<Step> make_step(const OpCall& call, std::span<const Type> types,
                                    Device& device);
    bool is_new(const ArrayBody& array, int v);
    void take_input(int v, const Array& array);
    int number_of(const Array& array);  ///< -1: it is no value of the segment.
    void know_cells();
    void add_scalar(const Scalar& scalar);
    Cells::const_iterator first_cell_from(int slot) const;
    const Cell::Body* cell_of(int slot) const;  ///< Null: the slot is a plain number.
    KnownSteps steps_since(const Step* before, size_t scalars) const;
    void take_again(const KnownSteps& known);
    Slot& slot(int v);
    Array& placeholder(int v, const Type& type, const Step& step);

    // The memory of values (follower_memory.cpp).
    const Ref<Storage>& nowhere(Device& device);
    void own_memory(int v, Device& device);
    void lay_out(const Step& step);
    void lay_out(const KnownSteps& known);
    void own_results(std::span<const Variable> outputs);
    bool shows_outside(int v) const { return !slots_[size_t(slots_[size_t(v)].base)].maker; }
    bool is_whole(int v) const;
    void needed_for_views();
    bool show(ArrayBody& body, int v) const;
    void show_views();
    bool is_addressed(const ArrayBody& array) const;
    void watch(const OpDef& op, ArrayBody& read, const Attributes& attributes);
    std::span<const Variable* const> as_read(const OpCall& call);
    Array snapshot(const ArrayBody& array);

    KnownBody* known_body(const OpCall& call);
    bool is_given(const KnownBody& known, std::span<const Variable* const> inputs);
    bool repeat_body(const OpCall& call, Variables& outputs);
    BodyRecording begin_body(const OpCall& call);
    void end_body(const OpenComposite& open, std::span<const Variable> outputs);
    std::unique_ptr<KnownBody> made_body(const OpenComposite& open,
                                         std::span<const Variable> outputs);

    bool describe(const WalkRequest& request);
    bool reads_the_same(const KnownWalk& known) const;
    void do_again(const KnownWalk& known, const WalkRequest& request, Variables& results);
    void begin_recording(const WalkRequest& request, Place& at, KnownWalk* expected);
    void remember(const Variable& gradient, int leaf);
    bool complete(WalkRecording& recording) const;

    void check_thread() const;
    void cut();
    void collect_alive();
    Ending& find_ending(bool is_cut, const GraphEnd* graph);
    void run(Ending& ending);
    void after_failure(std::string_view why) noexcept;
    void fail_pending(std::string_view why) noexcept;
    /// The end of the segment's slots: one more was counted where there was no memory for it.
    int slots_end() const { return std::min(count_, int(slots_.size())); }
    void release(bool computed_too);
    void end_call();

    // The graph of the results.
    int live_results(Variables& open, Variables& walked);
    /// An op of the live nodes whose gradient is the user's code, or null.
    const OpDef* user_gradient() const;
    void keep_inner_results(Variables& open, Variables& walked);
    void refuse_second_backward(Variables& walked);
    std::unique_ptr<GraphEnd> try_to_record(const LiveGraph& live, const AskedMask& asked);
    AskedMask expected_results(size_t count) const;
    const GraphEnd* close_graph(Variables& open, Activation*& activation);

    Tree* tree_;
    SegmentRunner* runner_ = nullptr;
    Rules rules_;
    std::thread::id thread_;

    const Segment* segment_ = nullptr;
    const Step* step_ = nullptr;  ///< The latest of the segment.
    int steps_ = 0;               ///< Number of steps in the segment.
    int count_ = 0;               ///< Number of values so far.
    std::vector<Slot> slots_;
    std::vector<double> scalars_;
    Cells cells_;
    std::vector<std::pair<Array, int>>
        looks_;  ///< Further array bodies of pending values, made by look().
    UndoLog log_;
    std::vector<OpenComposite> composites_;
    int last_composite_scalar_ = -1;
    MadeNodes nodes_;
    std::vector<StandIn> stand_ins_;
    std::vector<std::pair<Array, Array>>
        copies_;                ///< Watcher::same, of arrays from outside: the copy, its original.
    PointerTable copy_places_;  ///< The places of the copies.
    std::vector<Fact> facts_;
    std::vector<int> alive_;  ///< What must be computed for the arrays that are referenced.

    std::vector<Ref<Storage>> nowhere_;
    std::vector<Ref<Storage>> own_storages_;  ///< By value: the storage, without data, of its
                                              ///< pending array if that has memory of its own.
    std::vector<ViewLayout> layouts_;         ///< Of values that view steps gave.
    std::vector<int> views_;                  ///< The segment's values that show another's memory.
    std::vector<std::pair<int, int>> live_views_;       ///< Of those referenced: base, value.
    std::vector<std::pair<int, Array>> view_contents_;  ///< Elements of views that were computed.
    PointerTable storage_references_;
    WatchedInputs watched_;
    std::vector<Ref<Storage>> addressed_;  ///< Through which the code may write at any time.
    std::vector<Snapshot> snapshots_;      ///< Of arrays in those.
    std::vector<Variable> read_;           ///< What an operation reads instead of its inputs.
    std::vector<const Variable*> read_list_;

    bool cells_known_ = false;
    bool tf32_ = false;     ///< When the call began.
    bool debug_ = false;    ///< In this segment.
    bool leaving_ = false;  ///< The code has left the tree in this segment.
    bool is_open_ = false;  ///< Between begin() and the end.
    bool running_ = false;
    bool is_new_end_ = false;
    bool is_unread_end_ = false;  ///< No call came to this end before.
    int cuts_ = 0;
    bool is_passing_ = false;
    const char* needs_code_ = nullptr;
    int failed_at_ = -1;
    HostRead reader_;
    Ending* ending_ = nullptr;
    PointerTable input_numbers_;  ///< The inputs of the segment by their arrays,
    PointerTable new_inputs_;     ///< and those of the step or body that is compared.
    PointerTable cell_slots_, scratch_;
    std::vector<uint32_t> extra_references_;
    GraphWalk walk_;
    std::optional<WalkRecording> recording_;
    int64_t disturbances_ = 0;  ///< Counts what a walk that can be repeated does not do.
    LiveGraph walk_graph_;      ///< Of a walk that is asked for; these two keep their memory.
    std::vector<Variable> walk_variables_;
    Activation* activation_ = nullptr;
};

}  // namespace catena::capture
