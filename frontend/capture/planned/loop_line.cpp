#include "frontend/capture/planned/loop_line.h"

#include <algorithm>

#include "frontend/capture/planned/trace_stream.h"

namespace catena::capture {

using program::NumberStream;
using program::RolledStream;
using program::ScheduleStream;

LoopLine::LoopLine(RolledStream recording, RolledStream schedule, ScheduleStream compiled,
                   int64_t turns)
    : recording_(std::move(recording)),
      schedule_(std::move(schedule)),
      sizes_(*recording_.sizes()),
      compiled_(std::move(compiled)),
      first_(-turns) {}

std::unique_ptr<LoopLine> LoopLine::through(const NumberStream& shorter,
                                            const ScheduleStream& compiled_shorter,
                                            const NumberStream& longer,
                                            const ScheduleStream& compiled_longer,
                                            int64_t most_turns) {
    // A turn is as short as it can be, so that most lengths are on the line.
    for (int64_t turns = most_turns; turns > 0; --turns) {
        if ((longer.size() - shorter.size()) % size_t(turns) != 0) continue;
        std::optional<RolledStream> recording = RolledStream::through(shorter, longer, turns);
        if (!recording || !recording->sizes()) continue;
        std::optional<RolledStream> schedule =
            RolledStream::through(compiled_shorter.tokens(), compiled_longer.tokens(), turns);
        if (!schedule) continue;
        std::unique_ptr<LoopLine> line(
            new LoopLine(std::move(*recording), std::move(*schedule), compiled_longer, turns));
        if (line->is_ordinary(0) && line->is_ordinary(-turns)) return line;
        return nullptr;
    }
    return nullptr;
}

bool LoopLine::is_ordinary(int64_t position) const {
    std::vector<int64_t> values;
    for (const RolledStream::Size& size : sizes_) {
        values.push_back(size.size + size.growth * position);
        if (size.growth != 0 && values.back() <= 1) return false;
    }
    std::sort(values.begin(), values.end());
    return std::ranges::adjacent_find(values) == values.end();
}

std::optional<int64_t> LoopLine::position_of(const NumberStream& recording) const {
    const int64_t more = int64_t(recording.size()) - int64_t(recording_.longer().size()),
                  turn = int64_t(recording_.tokens_per_turn());
    if (more % turn != 0 || !is_ordinary(more / turn)) return std::nullopt;
    if (!recording_.predicts(more / turn, recording)) return std::nullopt;
    return more / turn;
}

std::optional<int64_t> LoopLine::beyond(int64_t position) const {
    if (position <= last_ ||
        std::ranges::any_of(others_, [&](int64_t other) { return other > first_; }))
        return std::nullopt;
    int64_t further = 2 * position - first_;  // As much longer as this is than the shortest.
    for (int tries = 0; tries < 16 && !is_ordinary(further); ++tries) ++further;
    return is_ordinary(further) ? std::optional(further) : std::nullopt;
}

std::optional<Trace> LoopLine::trace_at(int64_t position, const Trace& longer) const {
    NumberStream tokens;
    std::vector<size_t> source;
    if (!recording_.write(position, tokens, source)) return std::nullopt;
    return trace_of(tokens, source, longer);
}

bool LoopLine::add(int64_t position, const ScheduleStream& compiled) {
    if (!schedule_.predicts(position, compiled.tokens())) {
        others_.push_back(position);
        return false;
    }
    is_confirmed_ = is_confirmed_ || (position != 0 && position != first_);
    first_ = std::min(first_, position);
    last_ = std::max(last_, position);
    return true;
}

std::optional<LoopLine::Derived> LoopLine::schedule_at(int64_t position) const {
    if (!is_confirmed_ || position < first_ || position > last_) return std::nullopt;
    if (std::ranges::any_of(others_,
                            [&](int64_t other) { return other > first_ && other < last_; }))
        return std::nullopt;
    Derived derived;
    std::vector<size_t> source;
    if (!schedule_.write(position, derived.tokens, source)) return std::nullopt;
    std::optional<program::Copied> copied = compiled_.schedule_of(derived.tokens, source);
    if (!copied) return std::nullopt;
    derived.copied = std::move(*copied);
    return derived;
}

}  // namespace catena::capture
