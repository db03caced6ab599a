#include "runtime/ops/define/per_axis.h"

#include <limits>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// Sums and products of two such numbers stay far from the end of 64 bits, and an int32 numbers the
/// elements of a line.
constexpr int64_t most_per_axis = std::numeric_limits<int32_t>::max();

}  // namespace

Dims per_axis(const char* op, const char* what, const Dims& dims, int axes, int64_t least) {
    Dims full = dims.rank() == 1 ? Dims::filled(axes, dims[0]) : dims;
    bool good = full.rank() == axes;
    for (int64_t value : full) good &= value >= least;
    if (!good)
        fail<ValueError>("{}: {} is {} and should be {} or more, one for each of {} axes", op, what,
                         to_string(dims), least, axes);
    for (int64_t value : full)
        if (value > most_per_axis)
            fail<ValueError>("{}: {} is {}, at most {} is possible", op, what, to_string(dims),
                             most_per_axis);
    return full;
}

}  // namespace catena
