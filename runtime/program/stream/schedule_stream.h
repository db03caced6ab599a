#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/program/schedule/schedule.h"
#include "runtime/program/stream/number_stream.h"

namespace catena::program {

/// A schedule made from another one of the same form. kernels[i] is the index of the kernel in the
/// other schedule that kernel i is a copy of, with other numbers; `calls` (library calls) and
/// `results` likewise.
struct Copied {
    Schedule schedule;
    std::vector<int> kernels, calls, results;
};

/// A compiled host schedule as a row of numbers, from which schedules of the same form can be made.
/// Launch by launch; buffers are numbered and described where they are first used.
class ScheduleStream {
public:
    /// The stream of a schedule. Empty where it has a kernel without a key, or a kernel whose
    /// division into blocks is not that of reduction_blocks.h.
    static std::optional<ScheduleStream> of(const Schedule& schedule);

    const NumberStream& tokens() const { return tokens_; }

    /// The schedule that `tokens` describe. Token i has the form of this stream's token source[i]:
    /// the launch, kernel or view that it belongs to is a copy of the one which that token belongs
    /// to. Numbers that follow from others are computed, see settle_numbers. Empty if the tokens do
    /// not describe a schedule, or describe one that may need kernels of another form.
    std::optional<Copied> schedule_of(const NumberStream& tokens,
                                      std::span<const size_t> source) const;

private:
    /// The part of the schedule whose description begins at a token.
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
        int index = -1;  ///< The part's index in the schedule; of a view: its library call.
        int place = 0;   ///< The place of a view: number i of the inputs, or output -1 - i.
    };
    class Writer;
    class Reader;

    NumberStream tokens_;
    std::vector<Part> parts_;  ///< The part of each token.
    Schedule schedule_;        ///< The schedule without the texts of its code.
    std::vector<int64_t> blocks_of_buffer_;
    std::vector<char> combines_;  ///< Whether each kernel combines blocks, see BlockedKernels.
};

}  // namespace catena::program
