#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// The function of a vendor library that can compute the op; attributes are those of the op with
/// this role.
enum class LibraryRole : uint8_t {
    none,
    matmul,                        ///< a, b -> y; "transa", "transb"
    linear,                        ///< x, W, b -> x W^T + b
    convolution,                   ///< x, W -> y; "stride", "pad", "dilate", "groups"
    convolution_data,              ///< gy, W -> gx
    convolution_weights,           ///< x, gy -> gW
    average_pooling,               ///< x -> y; "ksize", "stride", "pad", borders count
    average_pooling_gradient,      ///< gy -> gx
    batch_normalization,           ///< x, gamma, beta, scalar eps -> y, mean, variance; "axis"
    batch_normalization_gradient,  ///< x, gamma, mean, variance, gy, scalar eps -> gx, ggamma,
                                   ///< gbeta
};
Declaration library_role(LibraryRole role);
/// LibraryRole::none without a declaration.
LibraryRole library_role_of(const OpDef& op);
/// Whether it is a convolution or one of its gradients.
bool is_convolution(LibraryRole role);

}  // namespace catena
