#pragma once

#include <vector>

#include "runtime/ops/declare/checked_ranges.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// Which library calls can still fail on values of their inputs, while the calls of a schedule are
/// gone through in order: one that checks numbers which an earlier one has accepted cannot.
class ValueChecks {
public:
    explicit ValueChecks(const Schedule& schedule) : schedule_(schedule) {}

    bool can_fail(int library_call) const;
    /// The call has run without an error.
    void passed(int library_call);

private:
    struct Accepted {
        View numbers;
        CheckedRange range;
    };
    bool is_accepted(const View& numbers, const CheckedRange& range) const;

    const Schedule& schedule_;
    /// The numbers that were accepted of each buffer.
    std::vector<std::vector<Accepted>> accepted_;
};

}  // namespace catena::program
