#pragma once

#include <span>
#include <string_view>
#include <thread>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/follow/composites.h"
#include "frontend/capture/follow/walks.h"
#include "frontend/capture/path/path.h"
#include "runtime/core/array/pending.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/walk/walk_memory.h"

namespace catena::capture {

/// The region, to the Follower of a call: it owns the programs and runs them.
class SegmentRunner {
public:
    /// Computes the values of `ending` and delivers them to `call`.
    virtual void run(FollowedCall& call, Ending& ending) = 0;
    /// Called where the code leaves all known paths: it does step `now` instead of `expected`
    /// (null: where earlier calls ended), or ends (null `now`) before `expected`.
    virtual void left(const Step* now, const Step* expected) = 0;
    /// The code has returned: what is still referenced of its graph nodes is replaced, if a
    /// backward outside is to be a program, too. Returns its graph, else null. `left`: gets the
    /// results that keep their nodes, so that their gradients are not consumed.
    virtual const GraphEnd* close_graph(FollowedCall& call, Variables& left) = 0;

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
    explicit Follower(Tree& tree) : call_(*this, tree) {}
    Follower(const Follower&) = delete;

    /// Follows the paths of another tree from the next call on, with the arrays that it has.
    void serve(Tree& tree);
    void begin(std::span<const Variable> arguments, const FollowedCall::Rules& rules,
               SegmentRunner& runner);
    /// The code has returned; the recorder's scope has ended.
    void finish();
    /// The code threw an exception: computes what was recorded before it, as eager code would have.
    /// Throws if one of these operations fails, because in eager code that error would have come
    /// first.
    void abandon();
    /// Ends the call as abandon() does, but computes nothing and undoes all changes.
    void forget(std::string_view why);

    //---- Recorder
    bool defers() const override { return true; }
    Variables perform(const OpCall& call) override;
    void assigned(const Variable& state, const Variable& value) override;
    void changing(VariableBody& variable, Change what) override;
    void reads_gradient(VariableBody& variable) override;
    void host_read(ArrayBody& array) override;
    void addressed(ArrayBody& array) override;
    void settle() override;
    void passing() override { call_.effects.pass(); }
    void needs_code(const char* why) override;
    void stands_for(const Variable& state, const Variable& variable) override;
    void same(const Array& copy, const Array& array) override;
    void asks(const std::shared_ptr<const HostFact>& fact) override;
    void walks(const Node& node) override;

    //---- WalkMemory
    bool repeat(const WalkRequest& request, Variables& results) override;
    void visits(const Node& node) override { walks_.visits(node); }
    void stored(const VariableBody& leaf) override { walks_.stored(leaf); }
    void ended(std::span<const Variable> results) override { walks_.ended(results); }

    //---- Pending
    void force(ArrayBody& array) override;
    ArrayBody* look(ArrayBody& array, const Shape& shape, const Strides& strides,
                    int64_t offset) override;
    Array row_major(ArrayBody& array) override;

private:
    /// The results of a call that is the expected one; of a composite, if its body need not run.
    bool follow(const OpCall& call, Variables& outputs);
    bool follow_step(const OpCall& call, Variables& outputs);
    /// The results of a call that no known path has here, which one has from now on.
    Variables extend(const OpCall& call);
    /// The results of a composite, which is followed as the calls of its body.
    Variables follow_body(const OpCall& call);
    void change_settings(const OpCall& call);
    void leave_device(const OpDef& op, const Device& next);
    void take(const Step& step, const OpCall& call, Variables& outputs) {
        call_.take(step, call, outputs);
        composites_.forget_last();
    }

    /// Whether the code is running, so that what it does is its own.
    bool is_in_code() const { return is_open_ && !call_.is_computing; }
    void cut();
    void run(Ending& ending);
    template <class Compute>
    void compute(Compute compute);
    void after_failure(std::string_view why) noexcept;
    void end_call();

    FollowedCall call_;
    Composites composites_{call_};
    Walks walks_{call_};
    SegmentRunner* runner_ = nullptr;
    std::thread::id thread_;
    bool tf32_ = false;     ///< Config::tf32 when the call began.
    bool debug_ = false;    ///< Config::debug in this segment.
    bool is_open_ = false;  ///< Whether a call is between begin() and its end.
};

}  // namespace catena::capture
