// The end of a Follower's call: computes the arrays still referenced.
#include <algorithm>
#include <exception>
#include <iterator>
#include <mutex>

#include "frontend/capture/activation.h"
#include "frontend/capture/failed_array.h"
#include "frontend/capture/follower.h"
#include "frontend/capture/interpreter.h"
#include "frontend/capture/planned/known_sizes.h"
#include "frontend/capture/record_graph.h"
#include "frontend/capture/used_up.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/forget_location.h"
#include "runtime/graph/user_function.h"
#include "runtime/graph/user_gradient.h"

namespace catena::capture {
namespace {

/// Moves the elements: what still refers to a variable is counted.
void move_out(Variables& from, std::vector<Variable>& to) {
    to.assign(std::move_iterator(from.begin()), std::move_iterator(from.end()));
    from.clear();
}

}  // namespace

void Follower::check_thread() const {
    if (thread_ != std::this_thread::get_id())
        fail<TraceError>(
            "static_graph {}: another thread asks for a value that the region's code has not "
            "computed yet; read it "
            "on the thread that calls the region",
            rules_.region);
}

//---- cuts

void Follower::force(ArrayBody& array) {
    check_thread();
    if (!rules_.breaks)
        fail<TraceError>(
            "static_graph {}: the host reads a value computed in the region ({}), and the "
            "option breaks is false. Return the value from the region and read it outside (of a "
            "parameter that is updated: drop views of it before the call)",
            rules_.region, to_string(array.type));
    cut();
}

void Follower::host_read(ArrayBody& array) {
    ++disturbances_;
    if (array.pending) array.pending->force(array);
}

void Follower::settle() {
    ++disturbances_;
    if (steps_ > 0)
        cut();
    else if (is_passing_)  // Nothing is recorded that could fail: what was changed stays.
        log_.clear();
}

void Follower::cut() {
    CATENA_ASSERT(is_open_ && !running_, "a static region is cut while it does not run");
    recording_.reset();
    for (OpenComposite& open : composites_) open.op = nullptr;
    collect_alive();
    Ending& ending = find_ending(true, nullptr);
    ++cuts_;
    auto go_on = [&] {
        segment_ = ending.rest.get();
        step_ = nullptr;
        steps_ = 0;
        count_ = segment_->first_value;
        scalars_.clear();
        cells_.clear();
        leaving_ = cells_known_ = false;
        input_numbers_.clear();
        views_.clear();
        watched_.begin_segment();
        last_composite_scalar_ = -1;
    };
    try {
        run(ending);
    } catch (...) {
        go_on();
        throw;
    }
    go_on();
}

//---- ends

Ending& Follower::find_ending(bool is_cut, const GraphEnd* graph) {
    auto find = [&]() -> Ending* {
        for (Ending* e = place().endings(); e; e = e->sibling.load(std::memory_order_acquire))
            if (e->is_cut == is_cut && e->graph == graph && e->alive == alive_) return e;
        return nullptr;
    };
    if (Ending* known = find()) return *known;
    auto made = std::make_unique<Ending>();
    made->is_cut = is_cut;
    made->last = step_;
    made->segment = segment_;
    made->alive = alive_;
    made->graph = graph;
    if (is_cut) {
        made->rest = std::make_unique<Segment>();
        made->rest->first_value = count_;
    }
    std::lock_guard lock(tree_->mutex);
    if (Ending* known = find()) return *known;
    is_new_end_ = place().endings() || place().steps.load();
    is_unread_end_ = true;
    return tree_->add(place(), std::move(made));
}

std::vector<std::pair<Array, int>> Follower::known_arrays() const {
    std::vector<std::pair<Array, int>> known;
    for (int v = segment_->first_value; v < count_; ++v)
        if (slots_[size_t(v)].array.defined()) known.emplace_back(slots_[size_t(v)].array, v);
    for (const auto& look : looks_) known.push_back(look);
    std::reverse(
        known.begin(),
        known.end());  // If two values share an array the first one is used: it comes last here.
    return known;
}

//---- running

void Follower::run(Ending& ending) {
    ending_ = &ending;
    failed_at_ = -1;
    running_ = true;
    RecorderScope unseen(nullptr);
    const auto checks = using_config(&Config::debug, debug_);
    reader_ = {std::exchange(is_unread_end_, false) ? current_location() : known_location(),
               running_user_function()};
    const ForgetLocation
        steps_name_theirs;  // Errors must name the line of the failing step, not of the read.
    try {
        if (std::exchange(is_new_end_, false) && !leaving_) runner_->left(nullptr, ending.last);
        runner_->run(*this, ending);
    } catch (const std::exception& error) {
        after_failure(error.what());
        throw;
    } catch (...) {
        after_failure("an unknown error");
        throw;
    }
    running_ = false;
    log_.clear();
    release(true);
}

/// Releases the segment's references.
void Follower::release(bool computed_too) {
    show_views();
    const int end = slots_end();
    for (int v = segment_->first_value; v < end; ++v) {
        Slot& s = slots_[size_t(v)];
        if (!s.maker)
            s.array = Array();
        else if (computed_too && s.array.defined() && s.array.body()->pending != this)
            s.array = Array();
    }
}

/// Without memory, too. An entry of the log that cannot be undone is gone, and its variable keeps
/// an array that was never computed.
void Follower::after_failure(std::string_view why) noexcept {
    for (size_t before = log_.size() + 1; log_.size() < before;) {
        before = log_.size();
        try {
            log_.undo(failed_at_, [&](int v) { return slots_[size_t(v)].array; });
            break;
        } catch (const std::exception&) {  // On with the next one.
        }
    }
    log_.clear();
    try {
        release(true);
    } catch (const std::exception&) {
    }
    fail_pending(why);
    running_ = false;
}

/// No array that somebody holds may wait for this call any longer.
void Follower::fail_pending(std::string_view why) noexcept {
    for (auto& [array, v] : looks_)
        if (array.defined() && array.body()->use_count() > 1)
            fail_array(*array.body(), rules_.region, why);
    looks_.clear();
    if (!segment_) return;
    const int end = slots_end();
    for (int v = segment_->first_value; v < end; ++v) {
        Slot& s = slots_[size_t(v)];
        if (!s.maker || !s.array.defined() || s.array.body()->use_count() == 1) continue;
        if (s.array.body()->pending == this) fail_array(*s.array.body(), rules_.region, why);
        s.array = Array();
    }
}

void Follower::end_call() {
    // None waits, unless dealing with one error has ended in another.
    if (std::uncaught_exceptions() > 0) fail_pending("an error ended its call");
    recording_.reset();
    activation_ = nullptr;
    stand_ins_.clear();
    copies_.clear();
    copy_places_.clear();
    facts_.clear();
    nodes_.clear();
    composites_.clear();
    scalars_.clear();
    cells_.clear();
    views_.clear();
    watched_.clear();
    addressed_.clear();
    snapshots_.clear();
    read_.clear();
    is_open_ = false;
}

void Follower::finish() {
    struct EndCall {
        Follower& follower;
        ~EndCall() { follower.end_call(); }
    } at_end{*this};
    recording_.reset();
    const GraphEnd* graph = nullptr;
    Activation* activation = nullptr;
    Ending* ending = nullptr;
    try {
        log_.drop_unheld(scratch_);
        std::erase_if(stand_ins_, [](const StandIn& s) { return s.second->use_count() == 1; });
        Variables open, walked;
        const int nodes = live_results(open, walked);
        if (rules_.has_no_graph) {
            for (const auto* results : {&open, &walked})
                for (const Variable& y : *results) detach_creator(*y.body());
            open.clear();
            walked.clear();
        }
        keep_inner_results(open, walked);
        if (!walked.empty()) refuse_second_backward(walked);
        // With so few nodes a compiled gradient would fuse nothing, and a user's code runs at every
        // backward.
        const OpDef* users = open.empty() ? nullptr : user_gradient();
        if (users)
            needs_code_ =
                intern(fmt::format("the gradient of {} is code of yours, which runs at every "
                                   "backward through its results",
                                   users->name));
        const bool keeps_nodes = users || (nodes <= 2 && !rules_.is_replayed);
        if (!open.empty() && cuts_ == 0 && !keeps_nodes) graph = close_graph(open, activation);
        if (!rules_.keep_grads) log_.consume_gradients(scratch_);
        collect_alive();
        ending = &find_ending(false, graph);
    } catch (const std::exception& error) {
        failed_at_ = -1;
        after_failure(error.what());
        throw;
    }
    activation_ = activation;
    run(*ending);
}

void Follower::abandon() {
    struct EndCall {
        Follower& follower;
        ~EndCall() { follower.end_call(); }
    } at_end{*this};
    recording_.reset();
    running_ = true;
    failed_at_ = -1;
    RecorderScope unseen(nullptr);
    const auto checks = using_config(&Config::debug, debug_);
    const ForgetLocation steps_name_theirs;
    try {
        collect_alive();
        if (!alive_.empty()) interpret(*this, step_, alive_);
    } catch (const std::exception& error) {
        after_failure(error.what());
        throw;
    }
    running_ = false;
    log_.clear();
    release(true);
}

void Follower::forget(std::string_view why) {
    failed_at_ = -1;
    after_failure(why);
    end_call();
}

//---- the graph of the results

/// Returns the number of live nodes.
int Follower::live_results(Variables& open, Variables& walked) {
    int nodes = 0;
    for (const MadeNode& made : nodes_.all()) {
        if (!made.node) continue;
        ++nodes;
        for (VariableBody* body : made.node->outputs)
            if (body) (made.node->walked ? walked : open).emplace_back(Ref<VariableBody>(body));
    }
    return nodes;
}

const OpDef* Follower::user_gradient() const {
    for (const MadeNode& made : nodes_.all())
        if (made.node && has_user_gradient(*made.node->op)) return made.node->op;
    return nullptr;
}

/// Results of a backward inside through which gradients of open results flow remain part of their
/// graph, as in eager code: it keeps what their own gradients need anyway.
void Follower::keep_inner_results(Variables& open, Variables& walked) {
    if (open.empty() || walked.empty()) return;
    const ClearedGraph at_end{walk_graph_};
    walk_graph_.results.assign(open.begin(), open.end());
    walk_.run(nodes_, this, walk_graph_);
    scratch_.clear();
    for (const Node* node : walk_graph_.nodes) scratch_.insert(node, 0);
    Variables others;
    for (Variable& y : walked)
        (scratch_.find(y.body()->creator.get()) ? open : others).push_back(std::move(y));
    walked = std::move(others);
}

void Follower::refuse_second_backward(Variables& refused) {
    // Keeping the graph would keep every activation. Only its border is kept, for
    // unchain_backward().
    LiveGraph live;
    if (nodes_.follow_others()) {
        live.results.assign(refused.begin(), refused.end());
        walk_.run(nodes_, this, live);
    }
    Reach reach(live, nodes_);
    std::vector<int64_t> ranks;
    for (size_t k = 0; refused.size() > 1 && k < refused.size(); ++k)
        ranks.push_back(refused[k].body()->creator->rank);
    attach_region(region_op(), live.border, live.border_types, refused,
                  std::make_unique<UsedUp>(rules_.region, std::move(reach), std::move(ranks)));
    refused.clear();
}

/// Null when an operation has no gradient for what it was given: the nodes stay as they are, and
/// only a backward, which the user may never ask for, fails there. A call that skips the code has
/// no nodes and must fail now.
std::unique_ptr<GraphEnd> Follower::try_to_record(const LiveGraph& live, const AskedMask& asked) {
    struct Running {  // The arrays are inspected and must stay pending.
        bool& flag;
        explicit Running(bool& flag) : flag(flag) { flag = true; }
        ~Running() { flag = false; }
    } running(running_);
    try {
        return record_graph(*this, live, asked);
    } catch (const Error&) {
        if (rules_.is_replayed) throw;
        return nullptr;
    }
}

AskedMask Follower::expected_results(size_t count) const {
    return tree_->sizes ? tree_->sizes->expected_results.of(count) : AskedMask(count, true);
}

const GraphEnd* Follower::close_graph(Variables& open, Activation*& activation) {
    LiveGraph& live = walk_graph_;
    const ClearedGraph at_end{live};
    move_out(open, live.results);
    walk_.run(nodes_, this, live);
    GraphEnd* graph = nullptr;
    std::shared_ptr<AskedResults> latest;
    auto find = [&] {
        graph = place().find<GraphEnd>([&](const GraphEnd& known) {
            if (!known.fits(live, scalars_)) return false;
            latest = known.latest;
            return latest->is_latest(known.asked);
        });
    };
    find();
    if (!graph) {
        if (!latest) latest = std::make_shared<AskedResults>(expected_results(live.results.size()));
        std::unique_ptr<GraphEnd> made = try_to_record(live, latest->latest());
        if (!made) return nullptr;
        made->latest = latest;
        std::lock_guard lock(tree_->mutex);
        find();
        if (!graph) graph = &tree_->grow(place(), std::move(made));
    }
    auto made_activation = std::make_unique<Activation>(tree_->shared_from_this(), *graph);
    activation = made_activation.get();
    for (const MadeNode& made : nodes_.all())
        for (size_t k = 0; made.node && k < made.node->scalars.size(); ++k)
            if (made.node->scalars[k].cell())
                activation->cells.emplace_back(made.slot_of(k), made.node->scalars[k]);
    attach_region(region_op(), live.border, live.border_types, live.results,
                  std::move(made_activation));
    return graph;
}

}  // namespace catena::capture
