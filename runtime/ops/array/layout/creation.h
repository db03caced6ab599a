#pragma once

#include <cstdint>
#include <optional>
#include <source_location>

#include "runtime/graph/op/op.h"

namespace catena {

// New arrays, on the current device, under NumPy's and ChainerX's names. Like all operations they
// may be parts of compiled programs. The dtype, where it is not given, is the default float dtype
// (config().dtype); of numbers it follows from their C++ type as in operations with scalars: bool,
// int32, or the default float dtype.

/// The line of the user's program, for messages.
using CreationPlace = std::source_location;

/// An array whose elements are not set.
Array empty(const Shape& shape, std::optional<Dtype> dtype = {});
/// An array of zeros.
/// - shape: Its sizes.
/// - dtype: Its dtype; if not given, the default float dtype (config().dtype in C++,
///   catena.config.dtype in Python).
Array zeros(const Shape& shape, std::optional<Dtype> dtype = {},
            const CreationPlace& at = CreationPlace::current());
/// An array of ones.
/// - shape: Its sizes.
/// - dtype: Its dtype; if not given, the default float dtype (config().dtype in C++,
///   catena.config.dtype in Python).
Array ones(const Shape& shape, std::optional<Dtype> dtype = {},
           const CreationPlace& at = CreationPlace::current());
/// An array filled with a number. ValueError for an integer that the dtype does not hold.
/// - shape: Its sizes.
/// - fill_value, value: The number.
/// - dtype: Its dtype; if not given, int32 for an integer and the default float dtype for a float.
Array full(const Shape& shape, const Scalar& value, std::optional<Dtype> dtype = {},
           const CreationPlace& at = CreationPlace::current());
/// An array of x's shape, dtype and device whose elements are not set.
Array empty_like(const Operand& x, std::optional<Dtype> dtype = {});
/// An array of zeros of x's shape and device.
/// - dtype: Its dtype; x's if not given.
Array zeros_like(const Operand& x, std::optional<Dtype> dtype = {});
/// An array of ones of x's shape and device.
/// - dtype: Its dtype; x's if not given.
Array ones_like(const Operand& x, std::optional<Dtype> dtype = {});
/// An array of x's shape and device, filled with a number.
/// - fill_value, value: The number.
/// - dtype: Its dtype; x's if not given.
Array full_like(const Operand& x, const Scalar& value, std::optional<Dtype> dtype = {});

/// start, start + step, ... before stop, as NumPy's arange: one number is the stop. ValueError for
/// a step of 0 and for integers that the dtype does not hold.
/// - start: The first number; with no stop, the stop, and the first number is 0.
/// - stop: Where the numbers end, which it is not one of.
/// - step: From one to the next.
/// - dtype: Its dtype; if not given, int32 of integers and the default float dtype of floats.
Array arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1,
             std::optional<Dtype> dtype = {}, const CreationPlace& at = CreationPlace::current());
Array arange(const Scalar& stop, std::optional<Dtype> dtype = {},
             const CreationPlace& at = CreationPlace::current());
/// Numbers at equal distances, as NumPy's linspace.
/// - start: The first.
/// - stop: The last, or without endpoint the one after it.
/// - num: How many.
/// - endpoint: Whether stop is one of them.
/// - dtype: Its dtype; the default float dtype if not given. Integers are rounded down.
Array linspace(const Scalar& start, const Scalar& stop, int64_t num = 50, bool endpoint = true,
               std::optional<Dtype> dtype = {}, const CreationPlace& at = CreationPlace::current());

/// Numbers whose logarithms are at equal distances, as NumPy's logspace: base^start to base^stop.
/// - start: The logarithm of the first.
/// - stop: The logarithm of the last, or without endpoint of the one after it.
/// - num: How many.
/// - endpoint: Whether base^stop is one of them.
/// - base: That of the logarithms, above 0.
/// - dtype: Its dtype; the default float dtype if not given. Integers are rounded down.
Array logspace(const Scalar& start, const Scalar& stop, int64_t num = 50, bool endpoint = true,
               double base = 10, std::optional<Dtype> dtype = {},
               const CreationPlace& at = CreationPlace::current());

/// A matrix (n, m) with 1 where column - row is k, and 0 elsewhere, as NumPy's eye.
/// - n: Rows.
/// - m: Columns; n if not given.
/// - k: Which diagonal: above the main one where positive, below it where negative.
/// - dtype: Its dtype; the default float dtype if not given.
Array eye(int64_t n, std::optional<int64_t> m = {}, int64_t k = 0, std::optional<Dtype> dtype = {},
          const CreationPlace& at = CreationPlace::current());
/// eye(n); by name `identity` is Chainer's function, which returns its argument.
Array identity(int64_t n, std::optional<Dtype> dtype = {},
               const CreationPlace& at = CreationPlace::current());
/// A matrix (n, m) with 1 where column - row is at most k, and 0 elsewhere, as NumPy's tri.
/// - n: Rows.
/// - m: Columns; n if not given.
/// - k: The last diagonal of ones.
/// - dtype: Its dtype; the default float dtype if not given.
Array tri(int64_t n, std::optional<int64_t> m = {}, int64_t k = 0, std::optional<Dtype> dtype = {},
          const CreationPlace& at = CreationPlace::current());

}  // namespace catena
