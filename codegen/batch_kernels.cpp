#include "codegen/batch_kernels.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "codegen/uses.h"
#include "runtime/ops/declare/message.h"
#include "runtime/program/schedule/value_checks.h"

namespace catena::codegen {

namespace {

/// How many launches ahead of the first waiting one others may run. More reduces launches, but
/// keeps more arrays alive.
constexpr size_t window = 8;

/// Updates wait for each other until together they free so much memory; a launch of its own costs
/// nothing beside that.
constexpr size_t least_freed = size_t(4) << 20;

/// Kernels whose results no launch reads, such as the updates of parameters, and which of them may
/// run now.
class Updates {
public:
    Updates(const Schedule& schedule, const std::vector<Launch>& in_order,
            const std::vector<Uses>& uses, const std::vector<int>& writer,
            std::vector<size_t> updates, const StateResults& states)
        : schedule_(schedule),
          in_order_(in_order),
          checks_(schedule),
          done_(in_order.size(), false),
          updates_(std::move(updates)),
          freed_(in_order.size(), 0),
          missing_(in_order.size(), 0),
          dependents_(in_order.size()) {
        std::vector<std::vector<size_t>> readers(schedule.buffers.size());
        for (size_t l = 0; l < in_order.size(); ++l)
            for (int b : uses[l].reads)
                if (readers[size_t(b)].empty() || readers[size_t(b)].back() != l)
                    readers[size_t(b)].push_back(l);
        const std::vector<int> replaced = replaced_states(states);
        for (size_t update : updates_) {
            for (int b : uses[update].reads) {
                const Buffer& buffer = schedule.buffers[size_t(b)];
                if (buffer.place == Buffer::Place::arena && readers[size_t(b)].size() == 1)
                    freed_[update] += buffer.bytes;
                if (writer[size_t(b)] >= 0) wait_for(size_t(writer[size_t(b)]), update);
            }
            // The old content of a state must have been read before it is overwritten.
            for (int b : uses[update].writes)
                if (replaced[size_t(b)] >= 0)
                    for (size_t reader : readers[size_t(replaced[size_t(b)])])
                        if (reader != update) wait_for(reader, update);
        }
        for (size_t l = 0; l < in_order.size(); ++l)
            if (const int call = in_order[l].library_call; call >= 0 && checks_.can_fail(call))
                can_fail_.push_back(l);
    }

    void finished(size_t l) {
        done_[l] = true;
        if (in_order_[l].library_call >= 0) checks_.passed(in_order_[l].library_call);
        for (size_t update : dependents_[l])
            if (--missing_[update] == 0) make_ready(update);
    }

    /// The indices of the kernels that are worth a launch now.
    std::vector<size_t> due() {
        if (ready_bytes_ < least_freed || may_fail()) return {};
        ready_bytes_ = 0;
        return std::exchange(ready_, {});
    }

    /// The indices of the kernels that have not run.
    std::vector<size_t> rest() const {
        std::vector<size_t> rest;
        std::ranges::copy_if(updates_, std::back_inserter(rest),
                             [&](size_t update) { return !done_[update]; });
        return rest;
    }

private:
    /// For each buffer, the one that holds the old content of the state that it replaces; -1: none.
    std::vector<int> replaced_states(const StateResults& states) const {
        std::vector<int> buffer_of(schedule_.input_types.size(), -1),
            replaced(schedule_.buffers.size(), -1);
        for (size_t b = 0; b < schedule_.buffers.size(); ++b)
            if (schedule_.buffers[b].place == Buffer::Place::input)
                buffer_of[size_t(schedule_.buffers[b].index)] = int(b);
        for (auto [result, input] : states)
            if (const Result& made = schedule_.results[size_t(result)]; made.input < 0)
                replaced[size_t(made.view.buffer)] = buffer_of[size_t(input)];
        return replaced;
    }

    void wait_for(size_t launch, size_t update) {
        dependents_[launch].push_back(update);
        ++missing_[update];
    }

    void make_ready(size_t update) {
        ready_.push_back(update);
        ready_bytes_ += freed_[update];
    }

    /// Whether a launch to come can fail: until then a caller's states keep their content.
    bool may_fail() {
        auto cannot = [&](size_t l) {
            return done_[l] || !checks_.can_fail(in_order_[l].library_call);
        };
        while (passed_ < can_fail_.size() && cannot(can_fail_[passed_])) ++passed_;
        return passed_ < can_fail_.size();
    }

    const Schedule& schedule_;
    const std::vector<Launch>& in_order_;
    program::ValueChecks checks_;
    std::vector<bool> done_;
    std::vector<size_t> updates_, ready_;
    size_t ready_bytes_ = 0;
    // By launch in program order.
    std::vector<size_t> freed_;  ///< Bytes that nobody reads after this update.
    std::vector<int> missing_;   ///< How many launches each launch waits for.
    std::vector<std::vector<size_t>> dependents_;
    std::vector<size_t> can_fail_;
    size_t passed_ = 0;  ///< How many of can_fail_ cannot fail any more.
};

/// Library calls run as early as possible; kernels wait until only kernels are ready, and then run
/// together.
class Batcher {
public:
    Batcher(Schedule& schedule, const std::vector<Launch>& in_order, const StateResults& states,
            const std::vector<Launch>& later)
        : schedule_(schedule),
          in_order_(in_order),
          before_(int(schedule.launches.size())),
          writer_(schedule.buffers.size(), -1),
          launch_of_(in_order.size(), -1) {
        for (const Launch& launch : in_order_) {
            const Uses& uses = uses_.emplace_back(uses_of(schedule_, launch));
            for (int b : uses.writes) writer_[size_t(b)] = int(uses_.size()) - 1;
        }
        std::vector<size_t> updates = sort_launches(later);
        updates_.emplace(schedule, in_order, uses_, writer_, std::move(updates), states);
    }

    void run() {
        std::vector<size_t> open;
        size_t next = 0;
        while (next < awaited_.size() || !open.empty()) {
            while (open.size() < window && next < awaited_.size()) open.push_back(awaited_[next++]);
            std::vector<size_t> batch = updates_->due();
            if (auto call = ready_call(open); call != open.end()) {
                run_together(batch);
                run_call(*call);
                open.erase(call);
                continue;
            }
            // Skips messages, which must keep their order.
            std::ranges::copy_if(open, std::back_inserter(batch), [&](size_t l) {
                return in_order_[l].library_call < 0 && is_ready(l);
            });
            run_together(batch);
            std::erase_if(open, [&](size_t l) { return is_done(l); });
        }
        run_rest();
    }

private:
    /// Launches whose results others read, and library calls, become awaited_; the rest is
    /// returned.
    std::vector<size_t> sort_launches(const std::vector<Launch>& later) {
        std::vector<bool> read(schedule_.buffers.size(), false);
        for (const Launch& launch : later)
            for (int b : uses_of(schedule_, launch).reads) read[size_t(b)] = true;
        for (const Uses& uses : uses_)
            for (int b : uses.reads) read[size_t(b)] = true;
        std::vector<size_t> others;
        for (size_t l = 0; l < in_order_.size(); ++l) {
            const bool is_read =
                std::ranges::any_of(uses_[l].writes, [&](int b) { return read[size_t(b)]; });
            (is_read || in_order_[l].library_call >= 0 ? awaited_ : others).push_back(l);
        }
        return others;
    }

    bool is_done(size_t l) const { return launch_of_[l] >= 0; }

    bool is_ready(size_t l) const {
        return std::ranges::all_of(uses_[l].reads, [&](int b) {
            const int writer = writer_[size_t(b)];
            return writer < 0 || is_done(size_t(writer));
        });
    }

    /// The first library call that can run now; a message only if none before it waits.
    std::vector<size_t>::iterator ready_call(std::vector<size_t>& open) const {
        bool message_waits = false;
        return std::ranges::find_if(open, [&](size_t l) {
            if (in_order_[l].library_call < 0) return false;
            const bool message =
                is_message(*schedule_.library_calls[size_t(in_order_[l].library_call)].op);
            const bool ready = is_ready(l) && !(message && message_waits);
            message_waits = message_waits || message;
            return ready;
        });
    }

    void run_call(size_t l) {
        schedule_.launches.push_back(in_order_[l]);
        finished(l);
    }

    void run_together(const std::vector<size_t>& batch) {
        if (batch.empty()) return;
        schedule_.launches.emplace_back();
        append(batch);
    }

    void append(const std::vector<size_t>& batch) {
        std::vector<int>& kernels = schedule_.launches.back().kernels;
        for (size_t l : batch)
            kernels.insert(kernels.end(), in_order_[l].kernels.begin(), in_order_[l].kernels.end());
        for (size_t l : batch) finished(l);
    }

    void finished(size_t l) {
        launch_of_[l] = int(schedule_.launches.size()) - 1;
        updates_->finished(l);
    }

    /// Runs the remaining kernels: in the last launch if that is one of kernels and none of these
    /// waits for it, else in a launch of their own.
    void run_rest() {
        const std::vector<size_t> rest = updates_->rest();
        const int last = int(schedule_.launches.size()) - 1;
        auto waits = [&](size_t l) {
            return std::ranges::any_of(uses_[l].reads, [&](int b) {
                return writer_[size_t(b)] >= 0 && launch_of_[size_t(writer_[size_t(b)])] == last;
            });
        };
        if (last < before_ || schedule_.launches.back().library_call >= 0 ||
            std::ranges::any_of(rest, waits))
            return run_together(rest);
        append(rest);
    }

    Schedule& schedule_;
    const std::vector<Launch>& in_order_;
    const int before_;  ///< The number of launches that were there before this part.
    std::vector<Uses> uses_;
    std::vector<int> writer_;  ///< The launch that writes each buffer; -1: none.
    /// For each kernel, its launch in the schedule; -1: it has not run.
    std::vector<int> launch_of_;
    std::vector<size_t> awaited_;
    std::optional<Updates> updates_;
};

}  // namespace

void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order,
                   const StateResults& states, const std::vector<Launch>& later) {
    Batcher(schedule, in_order, states, later).run();
    for (size_t l = 0; l < schedule.launches.size(); ++l) {
        Uses uses = uses_of(schedule, schedule.launches[l]);
        uses.reads.insert(uses.reads.end(), uses.writes.begin(), uses.writes.end());
        for (int b : uses.reads) {
            Buffer& buffer = schedule.buffers[size_t(b)];
            if (buffer.first < 0) buffer.first = int(l);
            buffer.last = int(l);
        }
    }
}

}  // namespace catena::codegen
