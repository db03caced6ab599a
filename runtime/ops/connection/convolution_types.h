#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The sizes of an image, or of a kernel, without its first two axes.
Dims spatial_sizes(const Shape& shape);

/// Type rules of the convolution and its gradients, with any number of axes.
Type convolution_type(const TypeCall& c);            ///< The type of y from those of x and W.
Type biased_convolution_type(const TypeCall& c);     ///< The type of y from those of x, W and b.
Types convolution_data_types(const TypeCall& c);     ///< The type of gx from those of gy and W.
Types convolution_weights_types(const TypeCall& c);  ///< The type of gW from those of x and gy.

}  // namespace catena
