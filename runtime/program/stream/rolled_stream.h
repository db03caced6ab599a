#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/program/stream/number_stream.h"

namespace catena::program {

/// What a program is for any number of repetitions of its loops. Each loop is a part of the stream
/// that is repeated, whose numbers grow by a constant from one turn to the next; all numbers grow
/// by a constant with each further turn of all loops.
class RolledStream {
public:
    /// The rolled form of two streams of which `longer` has `turns` more turns of every loop.
    /// Nothing if they are not of this kind.
    static std::optional<RolledStream> through(const NumberStream& shorter, NumberStream longer,
                                               int64_t turns);

    /// The stream with so many turns more than the longer one has; `source`: the token of the
    /// longer one that each token repeats. False if a loop would have no turn.
    bool write(int64_t more_turns, NumberStream& stream, std::vector<size_t>& source) const;

    /// Whether write() would write this.
    bool predicts(int64_t more_turns, const NumberStream& stream) const;

    const NumberStream& longer() const { return longer_; }
    /// The tokens of one turn of all loops.
    size_t tokens_per_turn() const;

    /// A size of an array in the longer stream, and by how much it grows with each turn more.
    struct Size {
        int64_t size = 0, growth = 0;
        friend auto operator<=>(const Size&, const Size&) = default;
    };
    /// Each once. Nothing if one changes from turn to turn.
    std::optional<std::vector<Size>> sizes() const;

private:
    struct Loop {
        size_t begin = 0, period = 0;  ///< Where a loop lies in the longer stream.
        int64_t turns = 0;
        size_t end() const { return begin + period * size_t(turns); }
    };
    bool find_growth(const NumberStream& shorter, int64_t turns);
    template <class F>
    void for_fixed_and_first_turns(F f) const;
    template <class F>
    bool for_all(int64_t more_turns, F f) const;

    NumberStream longer_;
    std::vector<Loop> loops_;
    /// The growth of each token of the longer stream with each turn more; in a loop for its first
    /// turn only.
    std::vector<int64_t> growth_;
    std::vector<int64_t> per_turn_;  ///< as is this, from turn to turn.
};

}  // namespace catena::program
