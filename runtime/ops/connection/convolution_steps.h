#pragma once

#include "runtime/cpu/window_steps.h"
#include "runtime/graph/op/attributes.h"

namespace catena {

/// The window steps of a convolution with these attributes.
inline WindowSteps window_steps(const Attributes& a) {
    return {a.dims("stride"), a.dims("pad"), a.dims("dilate"), a.integer("groups")};
}

}  // namespace catena
