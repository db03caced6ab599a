#pragma once

#include <functional>
#include <span>

#include "runtime/comm/collectives/reduction.h"
#include "runtime/core/array/array.h"

namespace catena {

/// DtypeError for a dtype that cannot be reduced so: bool, and integers for the mean.
void check_reducible(const char* call, Dtype dtype, Reduction reduction);

/// result[i] = parts[0][i] + parts[1][i] + ..., in that order (for mean: divided by their number),
/// rounded once to the dtype; 16-bit floats are added in float32. `result` may be one of the parts.
/// Dtypes as in check_reducible.
void reduce_parts(const char* call, Dtype dtype, std::span<const void* const> parts, void* result,
                  int64_t count, Reduction reduction);

/// data[i] /= ranks, rounded once to the dtype: what makes a mean of a sum. Dtypes as in
/// check_reducible of a mean.
void divide_by_ranks(Dtype dtype, void* data, int64_t count, int ranks);

/// A copy of 16-bit floats as float32, in which they can be added step by step; other dtypes stay
/// where they are.
class Widened {
public:
    Widened(Dtype dtype, void* data, int64_t count);
    Dtype dtype() const { return copy_.defined() ? Dtype::float32 : dtype_; }
    void* data() const { return copy_.defined() ? copy_.raw_data() : data_; }
    /// The array that owns data(); undefined where the elements stayed.
    const Array& memory() const { return copy_; }
    /// Rounds the elements of the copy into `data`.
    void round_into(void* data) const;

private:
    Dtype dtype_;
    void* data_;
    int64_t count_;
    Array copy_;
};

/// Computes this rank's part of an all-reduce of `count` elements in memory that all ranks can
/// read: `data[r]` is rank r's buffer, and the sum is written to all of them. `barrier` returns
/// when every rank has called it as often as this one. All buffers must be ready when the function
/// is called.
void reduce_together(const char* call, Dtype dtype, std::span<char* const> data, int rank,
                     int64_t count, Reduction reduction, const std::function<void()>& barrier);

}  // namespace catena
