#pragma once

#include "runtime/core/array/array.h"
#include "runtime/core/system/error.h"

namespace catena {

/// The error that a failed check of this folder throws; tests let it fail them.
struct CheckError : Error {
    using Error::Error;
};

/// Checks that |x - y| <= atol + rtol |y| for every element, where NaN equals NaN and an infinity
/// itself. CheckError with the number of differences, the largest, where it is, and both values;
/// also for different shapes. Dtypes may differ.
void assert_allclose(const Array& x, const Array& y, double atol = 1e-5, double rtol = 1e-4,
                     const std::source_location& at = std::source_location::current());

}  // namespace catena
