// Rows of numbers in which parts are repeated: what is found from two of them, and what is refused.
#include <gtest/gtest.h>

#include <functional>

#include "runtime/program/stream/rolled_stream.h"

namespace catena::program {
namespace {

struct Made {
    StreamWriter out;
    void add(uint64_t form, int64_t number) {
        out.form(form);
        out.number(number);
    }
};

/// A loop forward, one backward that reads what the first has made, and an operation on a list of
/// all results.
NumberStream program_of(int64_t turns, const std::function<void(Made&, int64_t turn)>& also = {}) {
    Made made;
    made.add(1, 7);
    for (int64_t t = 0; t < turns; ++t) {
        made.add(2, t == 0 ? 0 : 10 + 2 * t);  // The first reads something else.
        if (also) also(made, t);
        made.add(3, 11 + 2 * t);
    }
    made.add(4, turns);
    for (int64_t t = 0; t < turns; ++t) made.add(5, 11 + 2 * t);
    for (int64_t t = turns; t-- > 0;) {
        made.add(6, 11 + 2 * t);
        made.add(7, 100 + 2 * turns + (turns - t));
    }
    made.add(8, 3 * turns + 1);
    return made.out.take();
}

std::optional<NumberStream> rolled_to(const NumberStream& shorter, const NumberStream& longer,
                                      int64_t turns, int64_t more) {
    const std::optional<RolledStream> rolled = RolledStream::through(shorter, longer, turns);
    if (!rolled) return std::nullopt;
    NumberStream stream;
    std::vector<size_t> source;
    if (!rolled->write(more, stream, source)) return std::nullopt;
    EXPECT_EQ(stream.size(), source.size());
    for (size_t i = 0; i < std::min(stream.size(), source.size()); ++i)
        EXPECT_EQ(stream[i].form, longer[source[i]].form);
    return stream;
}

TEST(RolledStream, predicts_other_numbers_of_turns) {
    for (int64_t shorter : {4, 5, 8})
        for (int64_t longer : {9, 10, 20})
            for (int64_t turns : {4, 6, 7, 15, 40})
                EXPECT_EQ(rolled_to(program_of(shorter), program_of(longer), longer - shorter,
                                    turns - longer),
                          program_of(turns))
                    << shorter << " " << longer << " " << turns;
}

TEST(RolledStream, refuses_a_turn_that_is_another) {
    auto another = [](Made& made, int64_t turn) { made.add(turn == 3 ? 20 : 21, 0); };
    const std::optional<NumberStream> longer =
        rolled_to(program_of(8, another), program_of(12, another), 4, 8);
    EXPECT_EQ(longer, program_of(20, another));  // Before the loop begins.
    auto in_the_middle = [](int64_t turns) {
        return program_of(
            turns, [=](Made& made, int64_t turn) { made.add(turn == turns / 2 ? 20 : 21, 0); });
    };
    EXPECT_FALSE(RolledStream::through(in_the_middle(8), in_the_middle(12), 4));
    EXPECT_FALSE(RolledStream::through(program_of(8), in_the_middle(12), 4));
}

TEST(RolledStream, refuses_numbers_that_do_not_grow_by_a_constant) {
    auto square = [](int64_t turns) {
        return program_of(turns, [](Made& made, int64_t turn) { made.add(20, turn * turn); });
    };
    EXPECT_FALSE(RolledStream::through(square(8), square(12), 4));
    auto odd = [](int64_t turns) {
        return program_of(turns, [=](Made& made, int64_t) { made.add(20, turns / 2); });
    };
    EXPECT_FALSE(RolledStream::through(odd(8), odd(11), 3));
}

TEST(RolledStream, needs_a_turn_in_every_loop) {
    EXPECT_FALSE(rolled_to(program_of(5), program_of(9), 4, -9));
    EXPECT_FALSE(RolledStream::through(program_of(5), program_of(5), 1));
    EXPECT_FALSE(RolledStream::through(program_of(5), program_of(9), 3));
}

}  // namespace
}  // namespace catena::program
