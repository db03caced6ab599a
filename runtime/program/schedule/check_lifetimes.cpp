#include "runtime/core/system/environment.h"
#include "runtime/program/schedule/check_lifetimes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "runtime/program/schedule/in_place_call.h"
#include "runtime/program/schedule/value_checks.h"

namespace catena::program {

namespace {

template <class... Args>
void require_sound(bool sound, fmt::format_string<Args...> format, Args&&... args) {
    if (!sound)
        throw InternalError("schedule: " + fmt::format(format, std::forward<Args>(args)...));
}

/// One kernel or library call that reads or writes a buffer.
struct Use {
    int launch = -1;
    int kernel = -1;  ///< The index of the kernel; -1: the library call.
};

/// True when every element that kernel `k` stores to `output` replaces the one of `input` that it
/// has just read for the last time: both have the same strides, and no other index stores there or
/// reads it later.
bool replaces_element_by_element(const Schedule& schedule, int k, int input, int output,
                                 const KernelFacts& facts) {
    const KernelLaunch& kernel = schedule.kernels[size_t(k)];
    const KernelGeometry& geometry = kernel.geometry;
    const size_t inputs = geometry.inputs.size();
    const KernelOperand* to = nullptr;
    for (size_t o = inputs; o < kernel.operands.size(); ++o) {
        if (kernel.operands[o].buffer != output) continue;
        if (to || (facts.accumulates && facts.accumulates(k, int(o - inputs)))) return false;
        to = &geometry.outputs[o - inputs];
    }
    if (!to) return false;
    for (size_t i = 0; i < inputs; ++i) {
        const bool alike = kernel.operands[i].byte_offset == 0 &&
                           geometry.inputs[i].dtype == to->dtype &&
                           geometry.inputs[i].strides == to->strides;
        if (kernel.operands[i].buffer == input && !alike) return false;
    }
    bool along_reduced = false, repeated = false;
    for (int dim = 0; dim < geometry.domain.rank(); ++dim) {
        if (geometry.domain[dim] == 1) continue;
        const bool stays = to->strides[dim] == 0;
        if (!geometry.is_reduced(dim) && stays) return false;
        if (geometry.is_reduced(dim)) (stays ? repeated : along_reduced) = true;
    }
    if (!along_reduced) return true;  // A reduced value is stored after its row.
    if (repeated) return false;
    // A second loop over the reduced dimensions would read what the first has stored.
    return !facts.sweeps_once || facts.sweeps_once(k);
}

class LifetimeChecker {
public:
    LifetimeChecker(const Schedule& schedule, const KernelFacts& facts)
        : s_(schedule),
          facts_(facts),
          reads_(s_.buffers.size()),
          writer_(s_.buffers.size()),
          last_(s_.buffers.size(), -1) {}

    void run() {
        for (size_t l = 0; l < s_.launches.size(); ++l) add(int(l));
        for (size_t b = 0; b < s_.buffers.size(); ++b) check_order(int(b));
        for (size_t r = 0; r < s_.results.size(); ++r) check_result(r);
        check_arena();
        check_donations();
    }

private:
    const Buffer& buffer(int b) const { return s_.buffers[size_t(b)]; }
    int first(int b) const { return writer_[size_t(b)].launch; }

    void add(int l) {
        const Launch& launch = s_.launches[size_t(l)];
        for (int k : launch.kernels) {
            const KernelLaunch& kernel = s_.kernels[size_t(k)];
            for (size_t o = 0; o < kernel.operands.size(); ++o)
                if (o < kernel.geometry.inputs.size())
                    read(kernel.operands[o].buffer, {l, k});
                else
                    write(kernel.operands[o].buffer, {l, k});
        }
        if (launch.library_call < 0) return;
        const LibraryCall& call = s_.library_calls[size_t(launch.library_call)];
        for (const View& view : call.inputs) read(view.buffer, {l, -1});
        for (const View& view : call.outputs) write(view.buffer, {l, -1});
    }

    void read(int b, Use use) {
        reads_[size_t(b)].push_back(use);
        last_[size_t(b)] = use.launch;
    }

    void write(int b, Use use) {
        Use& writer = writer_[size_t(b)];
        require_sound(buffer(b).place != Buffer::Place::input,
                      "launch {} writes buffer {}, which is input {}", use.launch, b,
                      buffer(b).index);
        require_sound(
            writer.launch < 0 || (writer.launch == use.launch && writer.kernel == use.kernel),
            "buffer {} is written by launch {} and again by launch {}", b, writer.launch,
            use.launch);
        writer = use;
        last_[size_t(b)] = use.launch;
    }

    void check_order(int b) const {
        if (buffer(b).place == Buffer::Place::input || buffer(b).bytes == 0) return;
        for (const Use& use : reads_[size_t(b)]) {
            require_sound(first(b) >= 0, "launch {} reads buffer {}, which is never written",
                          use.launch, b);
            require_sound(first(b) < use.launch,
                          "launch {} reads buffer {}, which launch {} writes", use.launch, b,
                          first(b));
        }
    }

    void check_result(size_t r) const {
        const Result& result = s_.results[r];
        if (result.input >= 0 || buffer(result.view.buffer).bytes == 0) return;
        require_sound(first(result.view.buffer) >= 0,
                      "result {} is buffer {}, which is never written", r, result.view.buffer);
    }

    //---- the arena

    void check_arena() {
        std::vector<std::vector<int>> born(s_.launches.size()), dying(s_.launches.size());
        for (int b = 0; b < int(s_.buffers.size()); ++b) {
            if (buffer(b).place != Buffer::Place::arena || buffer(b).bytes == 0 || first(b) < 0)
                continue;
            require_sound(buffer(b).offset + buffer(b).bytes <= s_.arena_bytes,
                          "buffer {} ends at byte {} of an arena of {}", b,
                          buffer(b).offset + buffer(b).bytes, s_.arena_bytes);
            born[size_t(first(b))].push_back(b);
            dying[size_t(last_[size_t(b)])].push_back(b);
        }
        for (size_t l = 0; l < s_.launches.size(); ++l) {
            // First those written in place: their memory is not free for the rest.
            for (int b : born[l])
                if (buffer(b).over >= 0) take_over(b);
            for (int b : born[l])
                if (buffer(b).over < 0) place(b);
            for (int b : dying[l])
                if (auto found = in_use_.find(buffer(b).offset);
                    found != in_use_.end() && found->second == b)
                    in_use_.erase(found);
        }
    }

    void take_over(int b) {
        const int below = buffer(b).over;
        auto found = in_use_.find(buffer(below).offset);
        require_sound(found != in_use_.end() && found->second == below,
                      "buffer {} lies over {}, which is not in use at launch {}", b, below,
                      first(b));
        require_sound(
            buffer(b).offset == buffer(below).offset && buffer(b).bytes == buffer(below).bytes,
            "buffer {} lies over {}, but at byte {} instead of {}", b, below, buffer(b).offset,
            buffer(below).offset);
        check_replaced(b, below, fmt::format("buffer {}", below));
        found->second = b;
    }

    void place(int b) {
        auto next = in_use_.lower_bound(buffer(b).offset);
        if (next != in_use_.end()) check_apart(b, next->second);
        if (next != in_use_.begin()) check_apart(b, std::prev(next)->second);
        in_use_.emplace(buffer(b).offset, b);
    }

    void check_apart(int b, int other) const {
        const size_t begin = std::max(buffer(b).offset, buffer(other).offset);
        const size_t end = std::min(buffer(b).offset + buffer(b).bytes,
                                    buffer(other).offset + buffer(other).bytes);
        require_sound(
            begin >= end,
            "buffers {} and {} share bytes {} to {} at launch {}, the one in use from launch "
            "{} to {}, the other from {} to {}",
            other, b, begin, end, first(b), first(other), last_[size_t(other)], first(b),
            last_[size_t(b)]);
    }

    /// `b` overwrites `below`, which must not be read afterwards.
    void check_replaced(int b, int below, const std::string& what) const {
        for (const Use& use : reads_[size_t(below)]) {
            require_sound(use.launch <= first(b),
                          "launch {} reads {} after launch {} wrote buffer {} over it", use.launch,
                          what, first(b), b);
            if (use.launch < first(b)) continue;
            const Use& writer = writer_[size_t(b)];
            require_sound(use.kernel == writer.kernel && replaces(use, below, b),
                          "launch {} reads {} while it writes buffer {} over it", use.launch, what,
                          b);
        }
    }

    /// Whether what reads `below` may write `b` over it.
    bool replaces(const Use& use, int below, int b) const {
        if (use.kernel >= 0) return replaces_element_by_element(s_, use.kernel, below, b, facts_);
        return writes_in_place(
            s_.library_calls[size_t(s_.launches[size_t(use.launch)].library_call)], below, b);
    }

    //---- memory of inputs

    void check_donations() const {
        std::vector<int> buffer_of(s_.input_types.size(), -1), taken_by(s_.input_types.size(), -1);
        for (int b = 0; b < int(s_.buffers.size()); ++b)
            if (buffer(b).place == Buffer::Place::input) buffer_of[size_t(buffer(b).index)] = b;
        int from = int(s_.launches.size());
        for (int b = 0; b < int(s_.buffers.size()); ++b) {
            const int input = buffer(b).donor;
            if (input < 0 || first(b) < 0) continue;
            require_sound(taken_by[size_t(input)] < 0,
                          "buffers {} and {} both take the memory of input {}",
                          taken_by[size_t(input)], b, input);
            taken_by[size_t(input)] = b;
            for (size_t r = 0; r < s_.results.size(); ++r)
                require_sound(s_.results[r].input != input,
                              "result {} is input {}, whose memory buffer {} takes", r, input, b);
            check_replaced(b, buffer_of[size_t(input)], fmt::format("input {}", input));
            from = std::min(from, first(b));
        }
        ValueChecks checks(s_);
        for (int l = 0; l < int(s_.launches.size()); ++l) {
            const int call = s_.launches[size_t(l)].library_call;
            if (call < 0) continue;
            require_sound(l < from || !checks.can_fail(call),
                          "launch {}, {}, can fail after launch {} wrote over an input", l,
                          s_.library_calls[size_t(call)].op->name, from);
            checks.passed(call);
        }
    }

    const Schedule& s_;
    const KernelFacts& facts_;
    std::vector<std::vector<Use>> reads_;  ///< The reads of each buffer, launches in order.
    std::vector<Use> writer_;
    std::vector<int> last_;         ///< The launch that uses it last.
    std::map<size_t, int> in_use_;  ///< Live buffers by offset, at the current launch.
};

}  // namespace

void check_lifetimes(const Schedule& schedule, const KernelFacts& facts) {
    LifetimeChecker(schedule, facts).run();
}

bool lifetimes_are_checked() {
#ifndef NDEBUG
    return true;
#else
    return environment::flag("CATENA_CHECK_SCHEDULES", false);
#endif
}

}  // namespace catena::program
