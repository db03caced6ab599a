#pragma once

#include <vector>

#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// The two parts of a schedule with a cut, as schedules of their own. What the first saves for the
/// second is one more result of the first, bytes, behind its others, and the last input of the
/// second, which overwrites it once it is read: a part of the program's arena. The rest of the
/// arena is memory of each part.
struct DividedSchedule {
    Schedule first, second;
    /// Where each input of the second comes from, without the last: an input i of the whole, or
    /// result -1 - i of the first.
    std::vector<int> second_inputs;
};

/// InternalError if the schedule has no cut.
DividedSchedule divide(Schedule whole);

}  // namespace catena::program
