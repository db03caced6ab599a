#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/program/schedule/schedule.h"
#include "runtime/program/stream/number_stream.h"

namespace catena::program {

/// A schedule, and of which kernel, library call and result of another one each of its own is a
/// copy with other numbers.
struct Copied {
    Schedule schedule;
    std::vector<int> kernels, calls, results;
};

/// A compiled host schedule as a row of numbers, from which schedules of the same form can be made.
/// Launch by launch; buffers are numbered and described where they are first used.
class ScheduleStream {
public:
    /// Nothing for a schedule whose kernels have no keys, or whose blocks reduction_blocks.h does
    /// not give.
    static std::optional<ScheduleStream> of(const Schedule& schedule);

    const NumberStream& tokens() const { return tokens_; }

    /// The schedule with these tokens. Token i has the form of this stream's token `source[i]`, and
    /// what it belongs to is made like that one's part. What follows from the numbers is computed,
    /// see settle_numbers. Nothing if the tokens are not those of a schedule, or it may need
    /// another form.
    std::optional<Copied> schedule_of(const NumberStream& tokens,
                                      std::span<const size_t> source) const;

private:
    /// What begins at a token.
    struct Part {
        enum class Kind : uint8_t {
            none,
            input,
            launch,
            kernel,
            view,
            new_buffer,
            known_buffer,
            result
        } kind = Kind::none;
        int index = -1;  ///< In the schedule; of a view: its library call.
        int place = 0;   ///< Of a view: number i of the inputs, or output -1 - i.
    };
    class Writer;
    class Reader;

    NumberStream tokens_;
    std::vector<Part> parts_;  ///< By token.
    Schedule schedule_;        ///< Without the texts of its code.
    std::vector<int64_t> blocks_of_buffer_;
    std::vector<char> combines_;  ///< By kernel, see BlockedKernels.
};

}  // namespace catena::program
