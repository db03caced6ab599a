#pragma once

#include <span>
#include <vector>

#include "runtime/program/schedule/schedule.h"

namespace catena::capture {

/// A kernel or a library call of a schedule: the operands that it reads and writes, and its
/// numbers.
struct ScheduleUnit {
    struct Operand {
        int buffer = -1;
        int64_t offset = 0;  ///< The element of the buffer at which the operand begins.
        /// The sizes (of a library call) and strides of the operand, except those that follow from
        /// the blocks of a reduction.
        std::vector<int64_t> numbers;
    };
    std::span<const int> steps;
    std::span<const int> scalars;
    std::vector<Operand> reads, writes;
    std::vector<int64_t> numbers;  ///< The domain of a kernel, or the attributes of a call.
    bool is_call = false;
    bool gathers = false;  ///< True for a call that only concatenates its operands.
};

/// All units of a schedule, first its kernels and then its library calls, and which of them writes
/// what.
class ScheduleUnits {
public:
    /// `steps`: the number of steps of the recording.
    ScheduleUnits(const program::Schedule& schedule, size_t steps);

    size_t size() const { return units_.size(); }
    const ScheduleUnit& operator[](size_t u) const { return units_[u]; }
    /// The units that compute a step of the recording.
    std::span<const int> computing(int step) const;

    struct Writer {
        int unit = -1;  ///< The unit that writes the buffer; -1: none.
        int output = 0;
    };
    const Writer& writer_of(int buffer) const { return writers_[size_t(buffer)]; }

private:
    std::vector<ScheduleUnit> units_;
    std::vector<Writer> writers_;
    std::vector<int> begin_of_step_, units_of_steps_;
};

}  // namespace catena::capture
