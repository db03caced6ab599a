#include "frontend/capture/region/region.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include <fmt/format.h>

#include "frontend/capture/graph/graph_end.h"
#include "frontend/capture/run/close_graph.h"
#include "frontend/capture/replay/replay.h"
#include "frontend/capture/region/session.h"
#include "frontend/capture/run/verify.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/core/array/foreign_array.h"
#include "runtime/graph/call/held_state.h"
#include "runtime/core/system/log.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/graph/settings/settings_scope.h"
#include "runtime/profile/profiler.h"

namespace catena::capture {
namespace {

uint64_t alias_of(const Flat& arguments, size_t k) {
    const ArrayBody* body = arguments.variables[k].array().body();
    for (size_t j = 0; j < k; ++j)
        if (arguments.variables[j].defined() && arguments.variables[j].array().body() == body)
            return j;
    return k;
}

/// Where gradients of an argument flow: whether any do, whether it has a creator, is the state that
/// owns its array, and which earlier argument is the same variable.
uint64_t place_in_graph(const Flat& arguments, size_t k) {
    const Variable& x = arguments.variables[k];
    const VariableBody& body = *x.body();
    size_t first = 0;
    while (arguments.variables[first].body() != &body) ++first;
    return uint64_t(body.requires_grad) | uint64_t(bool(body.creator)) << 1 |
           uint64_t(body.array.body()->owner == &body) << 2 | uint64_t(first) << 3;
}

/// `whole`: calls may skip the code, so its path must depend on the key alone.
void make_key(const Flat& arguments, bool whole, Key& words) {
    words.clear();
    words.push_back(config_key());
    words.push_back(arguments.variables.size());
    if (whole) {
        words.push_back(arguments.signature.size());
        words.insert(words.end(), arguments.signature.begin(), arguments.signature.end());
    }
    for (size_t k = 0; k < arguments.variables.size(); ++k) {
        const Variable& x = arguments.variables[k];
        if (!x.defined() || !x.array().defined()) {
            words.push_back(~uint64_t(0));
            continue;
        }
        const Array& array = x.array();
        words.push_back(uint64_t(array.dtype()) | uint64_t(array.rank()) << 8 |
                        alias_of(arguments, k) << 32);
        words.push_back(reinterpret_cast<uintptr_t>(&array.device()));
        if (whole) words.push_back(place_in_graph(arguments, k));
        if (whole) words.push_back(reinterpret_cast<uintptr_t>(array.body()->owner));
        for (int64_t d : array.shape()) words.push_back(uint64_t(d));
    }
}

std::string describe(const Flat& arguments) {
    std::string text = config().train ? "train" : "test";
    if (!config().enable_backprop) text += " no_backprop";
    if (config().debug) text += " debug";
    for (const Variable& x : arguments.variables)
        text += " " + (x.defined() && x.array().defined() ? to_string(x.type()) : "none");
    return text;
}

bool is_due(Audit audit, int64_t call) {
    if (audit != Audit::sampled) return audit == Audit::always || call == 1;
    return call < 1024 ? (call & (call - 1)) == 0 : call % 1024 == 0;
}

}  // namespace

Region::Region(StaticGraphOptions options, const SourceLoc& at)
    : options_(std::move(options)), at_(at) {}

Outcome Region::run_eagerly(Body body) {
    bool is_first = false;
    {
        std::lock_guard lock(mutex_);
        ++statistics_.calls;
        is_first = statistics_.eager_calls++ == 0;
    }
    Flat outputs;
    const auto start = std::chrono::steady_clock::now();
    body(outputs);
    if (is_first || current_recorder()) return {};  // The first one initialises what it calls.
    std::lock_guard lock(mutex_);
    ++statistics_.timed_eager_calls;
    statistics_.eager_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {};
}

void Region::say_unavailable() {
    static std::atomic<bool> said = false;  // Once per process: it applies to all regions.
    if (said.exchange(true)) return;
    say(LogLevel::warning,
        fmt::format("static_graph {}: there is no compiler, this region and all others run eagerly "
                    "({})",
                    options_.name, compiler_complaint()));
}

void Region::count_new(bool is_new) {
    const int64_t calls = repetition_.followed(is_new);
    if (calls == 0) return;
    std::string line = fmt::format(
        "static_graph {} ({}): most calls up to call {} had paths or sizes that no call had "
        "before, which cannot pay: "
        "it runs as eager code for the next {} calls",
        options_.name, to_string(at_), statistics_.calls, calls);
    if (!std::exchange(said_rest_, true))
        say(LogLevel::warning, line + ", and then is tried again");
    note(std::move(line));
}

void Region::note(std::string line) {
    static constexpr size_t most_notes = 100;
    if (history_.size() < most_notes) history_.push_back(std::move(line));
}

Entry& Region::entry_for(const Flat& arguments) {
    make_key(arguments, options_.audit != Audit::always, scratch_);
    if (last_key_ && *last_key_ == scratch_) return *last_entry_;
    auto [found, is_new] = entries_.try_emplace(scratch_);
    if (is_new) {
        auto entry = std::make_shared<Entry>();
        entry->description = describe(arguments);
        entry->config = catena::config();
        for (const Variable& x : arguments.variables) {
            entry->types.push_back(x.defined() && x.array().defined() ? x.type() : Type());
            entry->want_gradients.push_back(x.requires_grad());
        }
        entry->tree = std::make_shared<Tree>(entry->types, sizes_);
        found->second = std::move(entry);
    }
    last_key_ = &found->first;
    last_entry_ = found->second;
    return *found->second;
}

Outcome Region::call(const Flat& arguments, Body body) try {
    // Inside another region the outer one records these operations as its own.
    if (!config().use_static_graph || current_recorder()) return run_eagerly(body);
    if (!config().debug && !verifies(options_) && repetition_.rests()) return run_eagerly(body);
    const profile::Span span("call", options_.name, at_);
    std::shared_ptr<Entry> entry;
    std::shared_ptr<Program> program;  // Set if the code can be skipped.
    std::shared_ptr<Replay> replay;
    CallNumber number;
    {
        const ReleaseLater after_unlocking;
        std::lock_guard lock(mutex_);
        ++statistics_.calls;
        if (!compiler_installed()) say_unavailable();
        entry_for(arguments);
        entry = last_entry_;
        ++entry->calls;
        entry->last_used = statistics_.calls;
        number = {entry->calls, statistics_.calls};
        if (options_.audit != Audit::always && !must_follow(*entry) &&
            entry->current->replay->applies(arguments, *entry->current)) {
            program = entry->current;
            replay = program->replay;
            program->last_used = statistics_.calls;
            ++(program->compiled().is_ready() ? statistics_.compiled_calls
                                              : statistics_.interpreted_calls);
        }
    }
    if (!program) return follow(entry, number, arguments, body);
    ++program->hits;
    Outcome outcome;
    if (!replay->run(arguments, *program, entry->tree, outcome.outputs.variables)) {
        // The code's own operations before the failing one change states, as in eager code, and the
        // error names its line.
        {
            std::lock_guard lock(mutex_);
            --(program->compiled().is_ready() ? statistics_.compiled_calls
                                              : statistics_.interpreted_calls);
        }
        program.reset();
        return follow(entry, number, arguments, body);
    }
    outcome.replayed = true;
    outcome.result_template = replay->result_template;
    return outcome;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("static_graph", options_.name);
}

bool Region::must_follow(Entry& entry) {
    if (code_must_run() || verifies(options_) || is_due(options_.audit, entry.calls) ||
        !entry.current || !entry.current->replay || config().debug)
        return true;
    if (!entry.current->compiled().is_ready() && compiler_installed()) return true;
    if (const GraphEnd* graph = entry.current->plan().graph();
        graph && !graph->latest->is_latest(graph->asked))
        return true;
    const Replay& replay = *entry.current->replay;
    if (replay.obstacle().empty() || replay.is_special())
        return replay.is_special() || !replay.is_of_this_thread();
    if (!std::exchange(said_obstacle_, true)) {
        std::string line = fmt::format(
            "static_graph {} ({}): its code runs at every call although its option audit asks for "
            "less: {}",
            options_.name, to_string(at_), replay.obstacle());
        say(LogLevel::warning, line);
        note(std::move(line));
    }
    return true;
}

Outcome Region::follow(const std::shared_ptr<Entry>& entry, const CallNumber& number,
                       const Flat& arguments, Body body) {
    std::unique_ptr<Follower> follower;
    {
        const ReleaseLater after_unlocking;
        std::lock_guard lock(mutex_);
        follower = idle_.take(entry->tree);
    }
    Flat results;
    Session session(*this, *entry, number, arguments, results);
    follower->begin(arguments.variables,
                    {.region = options_.name.c_str(),
                     .breaks = options_.breaks,
                     .keep_grads = options_.keep_grads,
                     .watches_memory = options_.watches_memory,
                     .is_replayed = options_.audit != Audit::always},
                    session);
    try {
        const parallel::ReceivingCall receiving(entry->received);
        RecorderScope recording(follower.get());
        const profile::Span span("the user's code of", options_.name, at_);
        body(results);
    } catch (...) {
        follower->abandon();
        throw;
    }
    follower->finish();
    Outcome outcome;
    const ReleaseLater after_unlocking;
    std::lock_guard lock(mutex_);
    session.count();
    if (options_.audit != Audit::always && session.replay())
        outcome.result_template = session.replay()->result_template;
    idle_.give(entry->tree, std::move(follower));
    return outcome;
}

size_t Region::bytes() const {
    size_t bytes = 0;
    for (const auto& [key, entry] : entries_) {
        std::lock_guard lock(entry->tree->mutex);
        bytes += entry->tree->bytes();
        for (const auto& ending : entry->tree->endings())
            if (ending->program) bytes += ending->program->bytes();
    }
    return bytes;
}

/// Evicts the least recently used programs, except `newest`, until the limit is met. Calls still
/// using one own it.
void Region::make_room(const Program& newest) {
    for (size_t total = bytes(); total > options_.cache_bytes;) {
        auto owner = entries_.end();
        std::shared_ptr<Program>* oldest = nullptr;
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            std::lock_guard lock(entry->second->tree->mutex);
            for (const auto& ending : entry->second->tree->endings())
                if (ending->program && ending->program.get() != &newest &&
                    (!oldest || ending->program->last_used < (*oldest)->last_used)) {
                    owner = entry;
                    oldest = &ending->program;
                }
        }
        if (!oldest) break;
        Entry& entry = *owner->second;
        bool is_empty = true;
        {
            std::lock_guard lock(entry.tree->mutex);
            if (entry.current == *oldest) entry.current = nullptr;
            total -= std::min(total, (*oldest)->bytes());
            *oldest = nullptr;
            for (const auto& ending : entry.tree->endings()) is_empty &= !ending->program;
        }
        ++statistics_.dropped;
        note(
            fmt::format("call {}: evicted a program for {}", statistics_.calls, entry.description));
        if (!is_empty) continue;
        total -= std::min(total, entry.tree->bytes());
        forget(owner);
    }
    // If the code takes a new path at every call, the paths alone may exceed the limit.
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        const auto here = entry++;
        if (here->second->tree->bytes() > options_.cache_bytes / 2 &&
            here->second->tree->endings().size() > 64)
            forget(here);
    }
}

void Region::forget(std::map<Key, std::shared_ptr<Entry>>::iterator entry) {
    if (last_entry_ == entry->second) {
        last_key_ = nullptr;
        last_entry_ = nullptr;
    }
    entries_.erase(entry);
}

StaticGraphStatistics Region::statistics() const {
    std::lock_guard lock(mutex_);
    return statistics_;
}

void Region::clear() {
    const ReleaseLater after_unlocking;
    std::lock_guard lock(mutex_);
    entries_.clear();
    idle_.clear();
    sizes_ = std::make_shared<KnownSizes>(int64_t(options_.memory_budget));
    last_key_ = nullptr;
    last_entry_ = nullptr;
}

//---- files

SavedCall Region::last_call() const {
    std::lock_guard lock(mutex_);
    if (last_entry_ && last_entry_->was_cut)
        fail<ValueError>(
            "save: region {} reads a computed value on the host ({}), which cannot be saved; "
            "return the value instead, or choose by `where` (of a parameter that is updated: drop "
            "views of it before the call)",
            options_.name, last_entry_->cut_at.place());
    if (!last_entry_ || !last_entry_->current || !last_entry_->current->replay)
        fail<ValueError>(
            "save: region {} has no program yet; call it first, not inside another region and not "
            "with static graphs off",
            options_.name);
    const Entry& entry = *last_entry_;
    return {options_.name, options_.keep_grads,  entry.tree,  entry.current,
            entry.types,   entry.want_gradients, entry.config};
}

namespace {

/// A runner that computes nothing and stores the data needed for a file.
class Exporter final : public SegmentRunner {
public:
    Exporter(const Flat& arguments, const Flat& results)
        : arguments_(arguments), results_(results) {}
    void run(FollowedCall& call, Ending& ending) override {
        Program program(call, ending);
        exported = Replay(describe(call, nullptr, program, arguments_, results_)).exported(program);
        throw Done();
    }
    void left(const Step*, const Step*) override {}
    const GraphEnd* close_graph(FollowedCall& call, Variables&) override {
        drop_graph(call);
        return nullptr;
    }
    struct Done : std::exception {};
    ExportedProgram exported;

private:
    const Flat &arguments_, &results_;
};

}  // namespace

ExportedProgram SavedCall::exported() const { return program->replay->exported(*program); }

ExportedProgram SavedCall::exported_for(const std::vector<Type>& given, Rerun rerun) const {
    Flat arguments, results;
    for (size_t k = 0; k < given.size(); ++k)
        arguments.variables.emplace_back(Array::empty(given[k], meta_device()),
                                         bool(want_gradients[k]));
    const SettingsScope settings(config);
    Tree shapes(given);
    Follower follower(shapes);
    Exporter exporter(arguments, results);
    follower.begin(arguments.variables,
                   {.region = region.c_str(), .breaks = false, .keep_grads = keep_grads}, exporter);
    const UpdatesUndone unwritten;
    try {
        RecorderScope recording(&follower);
        rerun(arguments, results);
    } catch (const std::exception& error) {
        follower.forget(error.what());
        throw;
    }
    try {
        follower.finish();
    } catch (const Exporter::Done&) {
    }
    return std::move(exporter.exported);
}

}  // namespace catena::capture
