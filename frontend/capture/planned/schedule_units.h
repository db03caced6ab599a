#pragma once

#include <span>
#include <vector>

#include "runtime/program/schedule/schedule.h"

namespace catena::capture {

/// A kernel or a library call: what it reads and writes, and its numbers.
struct ScheduleUnit {
    struct Operand {
        int buffer = -1;
        int64_t offset = 0;            ///< The element at which it begins.
        std::vector<int64_t> numbers;  ///< Sizes, of a call, and strides. Not those that follow
                                       ///< from the blocks of a reduction.
    };
    std::span<const int> steps;
    std::span<const int> scalars;
    std::vector<Operand> reads, writes;
    std::vector<int64_t> numbers;  ///< The domain of a kernel, the attributes of a call.
    bool is_call = false;
    bool gathers = false;  ///< A call that only puts what it reads side by side.
};

/// The kernels of a schedule and then its library calls, and who writes what.
class ScheduleUnits {
public:
    /// `steps`: of how many steps the recording is.
    ScheduleUnits(const program::Schedule& schedule, size_t steps);

    size_t size() const { return units_.size(); }
    const ScheduleUnit& operator[](size_t u) const { return units_[u]; }
    std::span<const int> computing(int step) const;  ///< The units that compute a step.

    struct Writer {
        int unit = -1;  ///< -1: none.
        int output = 0;
    };
    const Writer& writer_of(int buffer) const { return writers_[size_t(buffer)]; }

private:
    std::vector<ScheduleUnit> units_;
    std::vector<Writer> writers_;
    std::vector<int> begin_of_step_, units_of_steps_;
};

}  // namespace catena::capture
