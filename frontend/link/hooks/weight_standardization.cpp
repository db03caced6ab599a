#include "frontend/link/hooks/weight_standardization.h"

#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena::link_hooks {

Variable WeightStandardization::weight_for_call(Link&, Parameter& weight) {
    const DeviceScope beside(weight.device());
    const Type channels{weight.dtype(), {weight.shape()[1]}};
    return group_normalization(weight, 1, fill(channels, 1), fill(channels, 0), eps_);
}

}  // namespace catena::link_hooks
