#pragma once

#include <cstdint>
#include <optional>
#include <source_location>

#include "runtime/graph/op.h"

namespace catena {

// New arrays, on the current device, under NumPy's and ChainerX's names. Like all operations they
// may be parts of compiled programs. The dtype, where it is not given, is the default float dtype
// (config().dtype); of numbers it follows from their C++ type as in operations with scalars: bool,
// int32, or the default float dtype.

using CreationPlace = std::source_location;

Array empty(const Shape& shape, std::optional<Dtype> dtype = {});  ///< Uninitialised.
Array zeros(const Shape& shape, std::optional<Dtype> dtype = {},
            const CreationPlace& at = CreationPlace::current());
Array ones(const Shape& shape, std::optional<Dtype> dtype = {},
           const CreationPlace& at = CreationPlace::current());
Array full(const Shape& shape, const Scalar& value, std::optional<Dtype> dtype = {},
           const CreationPlace& at = CreationPlace::current());
// Of x's shape, dtype and device, unless another dtype is given.
Array empty_like(const Operand& x, std::optional<Dtype> dtype = {});
Array zeros_like(const Operand& x, std::optional<Dtype> dtype = {});
Array ones_like(const Operand& x, std::optional<Dtype> dtype = {});
Array full_like(const Operand& x, const Scalar& value, std::optional<Dtype> dtype = {});

/// start, start + step, ... before stop. ValueError for a step of 0 and for integers that the dtype
/// does not hold.
Array arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1,
             std::optional<Dtype> dtype = {}, const CreationPlace& at = CreationPlace::current());
Array arange(const Scalar& stop, std::optional<Dtype> dtype = {},
             const CreationPlace& at = CreationPlace::current());
/// `num` numbers at equal distances; the last is `stop`, or with endpoint = false the one after it
/// would be.
Array linspace(const Scalar& start, const Scalar& stop, int64_t num = 50, bool endpoint = true,
               std::optional<Dtype> dtype = {}, const CreationPlace& at = CreationPlace::current());

/// [n, m or n]: 1 where column - row is k, else 0.
Array eye(int64_t n, std::optional<int64_t> m = {}, int64_t k = 0, std::optional<Dtype> dtype = {},
          const CreationPlace& at = CreationPlace::current());
/// eye(n); by name `identity` is Chainer's function, which returns its argument.
Array identity(int64_t n, std::optional<Dtype> dtype = {},
               const CreationPlace& at = CreationPlace::current());
/// [n, m or n]: 1 where column - row is at most k, else 0.
Array tri(int64_t n, std::optional<int64_t> m = {}, int64_t k = 0, std::optional<Dtype> dtype = {},
          const CreationPlace& at = CreationPlace::current());

}  // namespace catena
