#include "runtime/graph/call/check_nan.h"

#include <cmath>

#include "runtime/core/array/device.h"
#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {

bool has_nan(const Array& array) {
    if (!is_float(array.dtype()) || !array.device().is_host()) return false;
    for (double v : array.to_vector<double>())
        if (std::isnan(v)) return true;
    return false;
}

}  // namespace

void check_nan(const OpDef& op, std::span<const Array> outputs) {
    RecorderScope paused(nullptr);
    for (const Array& y : outputs)
        if (has_nan(y))
            fail<ValueError>("{}: NaN in its output {} (debug mode)", op.name, to_string(y.type()));
}

}  // namespace catena
