#include "runtime/program/stream/rolled_stream.h"

#include <algorithm>

namespace catena::program {
namespace {

/// A place in the longer stream where turns of a loop have been inserted.
struct Insertion {
    size_t begin = 0, period = 0;
};

/// How many tokens behind an insertion must continue as in the shorter stream, or the period was
/// another.
constexpr size_t looked_ahead = 16;

/// The period of the tokens inserted at `at`, where `shorter` continues at `next`; 0: none.
size_t period_at(const NumberStream& shorter, const NumberStream& longer, size_t next, size_t at,
                 size_t from, size_t turns, size_t most) {
    for (size_t period = 1; period <= std::min(most, at - from); ++period) {
        const size_t end = at + turns * period;
        if (end > longer.size()) break;
        const size_t ahead = std::min({looked_ahead, period, shorter.size() - next});
        if (ahead == 0 ? end != longer.size() : end + ahead > longer.size()) continue;
        auto repeats = [&] {
            for (size_t j = at; j < end; ++j)
                if (longer[j].form != longer[j - period].form) return false;
            for (size_t j = 0; j < ahead; ++j)
                if (longer[end + j].form != shorter[next + j].form) return false;
            return true;
        };
        if (repeats()) return period;
    }
    return 0;
}

/// Where turns have been inserted; empty if that is not all by which the forms of the streams
/// differ.
std::vector<Insertion> insertions(const NumberStream& shorter, const NumberStream& longer,
                                  size_t turns) {
    std::vector<Insertion> found;
    size_t next = 0, at = 0, from = 0;
    size_t left = (longer.size() - shorter.size()) / turns;
    while (true) {
        while (next < shorter.size() && at < longer.size() && shorter[next].form == longer[at].form)
            ++next, ++at;
        if (next == shorter.size() && at == longer.size()) return found;
        const size_t period = period_at(shorter, longer, next, at, from, turns, left);
        if (period == 0) return {};
        found.push_back({at, period});
        left -= period;
        at += turns * period;
        from = at;
    }
}

}  // namespace

/// Calls f(token, loop or null) for all tokens but those of later turns.
template <class F>
void RolledStream::for_fixed_and_first_turns(F f) const {
    size_t at = 0;
    for (const Loop& loop : loops_) {
        while (at < loop.begin) f(at++, nullptr);
        while (at < loop.begin + loop.period) f(at++, &loop);
        at = loop.end();
    }
    while (at < longer_.size()) f(at++, nullptr);
}

/// Calls f(token, the number there, source) for all tokens of the stream with so many turns more,
/// until it returns false.
template <class F>
bool RolledStream::for_all(int64_t more_turns, F f) const {
    size_t at = 0;
    auto fixed_to = [&](size_t end) {
        for (; at < end; ++at)
            if (!f(longer_[at], longer_[at].number + growth_[at] * more_turns, at)) return false;
        return true;
    };
    for (const Loop& loop : loops_) {
        const int64_t turns = loop.turns + more_turns;
        if (turns < 1 || !fixed_to(loop.begin)) return false;
        for (int64_t turn = 0; turn < turns; ++turn)
            for (size_t i = loop.begin; i < loop.begin + loop.period; ++i)
                if (!f(longer_[i],
                       longer_[i].number + growth_[i] * more_turns + per_turn_[i] * turn,
                       i + size_t(std::min(turn, loop.turns - 1)) * loop.period))
                    return false;
        at = loop.end();
    }
    return fixed_to(longer_.size());
}

std::optional<RolledStream> RolledStream::through(const NumberStream& shorter, NumberStream longer,
                                                  int64_t turns) {
    if (turns < 1 || longer.size() <= shorter.size() ||
        (longer.size() - shorter.size()) % size_t(turns) != 0)
        return std::nullopt;
    RolledStream rolled;
    rolled.longer_ = std::move(longer);
    const NumberStream& all = rolled.longer_;
    size_t from = 0;
    for (const Insertion& insertion : insertions(shorter, all, size_t(turns))) {
        const size_t period = insertion.period;
        // The tokens that repeat in form,
        size_t first = insertion.begin - period, last = insertion.begin + size_t(turns) * period;
        while (first > from && all[first - 1].form == all[first - 1 + period].form) --first;
        while (last < all.size() && all[last].form == all[last - period].form) ++last;
        // and of these, from the middle, those that grow alike.
        const size_t middle = first + (last - first) / period / 2 * period;
        auto change = [&](size_t j) { return all[j].number - all[j - period].number; };
        auto is_regular = [&](size_t j) {
            return change(j) == change(middle + (j - first) % period);
        };
        size_t begin = middle, end = middle + period;
        while (begin - period > first && is_regular(begin - 1)) --begin;
        begin -= period;
        if (begin < first || begin < from) return std::nullopt;
        while (end < last && is_regular(end)) ++end;
        const Loop loop{begin, period, int64_t((end - begin) / period)};
        if (loop.turns <= turns) return std::nullopt;
        rolled.loops_.push_back(loop);
        from = loop.end();
    }
    if (rolled.loops_.empty() || !rolled.find_growth(shorter, turns)) return std::nullopt;
    if (!rolled.predicts(-turns, shorter) || !rolled.predicts(0, all)) return std::nullopt;
    return rolled;
}

bool RolledStream::find_growth(const NumberStream& shorter, int64_t turns) {
    growth_.assign(longer_.size(), 0);
    per_turn_.assign(longer_.size(), 0);
    bool is_even = true;
    for_fixed_and_first_turns([&](size_t at, const Loop* loop) {
        size_t missing = 0;
        for (const Loop& other : loops_)
            if (other.end() <= at) missing += other.period * size_t(turns);
        const int64_t difference = longer_[at].number - shorter[at - missing].number;
        is_even = is_even && difference % turns == 0;
        growth_[at] = difference / turns;
        if (loop && loop->turns > 1)
            per_turn_[at] = longer_[at + loop->period].number - longer_[at].number;
    });
    return is_even;
}

bool RolledStream::write(int64_t more_turns, NumberStream& stream,
                         std::vector<size_t>& source) const {
    stream.clear();
    source.clear();
    const int64_t tokens = int64_t(longer_.size()) + more_turns * int64_t(tokens_per_turn());
    stream.reserve(size_t(std::max<int64_t>(tokens, 0)));
    source.reserve(size_t(std::max<int64_t>(tokens, 0)));
    return for_all(more_turns, [&](const StreamToken& token, int64_t number, size_t from) {
        stream.push_back({token.form, number});
        source.push_back(from);
        return true;
    });
}

bool RolledStream::predicts(int64_t more_turns, const NumberStream& stream) const {
    size_t next = 0;
    return for_all(more_turns,
                   [&](const StreamToken& token, int64_t number, size_t) {
                       return next < stream.size() &&
                              stream[next++] == StreamToken{token.form, number};
                   }) &&
           next == stream.size();
}

size_t RolledStream::tokens_per_turn() const {
    size_t tokens = 0;
    for (const Loop& loop : loops_) tokens += loop.period;
    return tokens;
}

std::optional<std::vector<RolledStream::Size>> RolledStream::sizes() const {
    std::vector<Size> sizes;
    bool is_regular = true;
    for_fixed_and_first_turns([&](size_t at, const Loop*) {
        if (!longer_[at].is_size()) return;
        is_regular = is_regular && per_turn_[at] == 0;
        sizes.push_back({longer_[at].number, growth_[at]});
    });
    if (!is_regular) return std::nullopt;
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

}  // namespace catena::program
