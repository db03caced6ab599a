#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

/// An array seen as [outer, size, inner] around one axis.
struct AxisView {
    int64_t outer = 1, size = 1, inner = 1;
    AxisView(const Shape& shape, int axis);
};

/// The array as the kernel reads it: itself or a copy, row-major; float16 and bfloat16 are
/// converted to float32.
Array as_working_array(const Array& array, Dtype dtype);
/// Memory for a result in the working dtype (runtime/core/dtype/working_dtype.h): `y` itself, or a
/// temporary that store() converts.
Array working_output(const Array& y);
void store(const Array& working, const Array& y);

// All arrays below are contiguous, of one dtype, float32 or float64.

void softmax_forward(const Array& x, const Array& y, int axis, bool log);
void softmax_backward(const Array& y, const Array& gy, const Array& gx, int axis, bool log);

/// The parameters of softmax cross entropy.
struct CrossEntropyTask {
    const int64_t* labels;        ///< One label per [outer, inner] position.
    const double* class_weights;  ///< One weight per class; or null.
    int64_t ignore_label;
};
/// Computes, for each position, the loss (0 where ignored), max(x) and sum(exp(x - max(x))).
void cross_entropy_forward(const Array& x, const CrossEntropyTask& task, const Array& loss,
                           const Array& highest, const Array& total);
/// Computes gx = (softmax - onehot) * weight * gy * scale. gy has one element or one per position.
void cross_entropy_backward(const Array& x, const CrossEntropyTask& task, const Array& highest,
                            const Array& total, const Array& gy, double scale, const Array& gx);

}  // namespace catena
