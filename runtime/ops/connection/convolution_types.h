#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// The sizes of an image, or of a kernel, without its first two axes.
Dims spatial_sizes(const Shape& shape);

/// Type rules of the convolution and its gradients, with any number of axes.
Type convolution_type(const TypeCall& c);            ///< x, W to y.
Type biased_convolution_type(const TypeCall& c);     ///< x, W, b to y.
Types convolution_data_types(const TypeCall& c);     ///< gy, W to gx.
Types convolution_weights_types(const TypeCall& c);  ///< x, gy to gW.

}  // namespace catena
