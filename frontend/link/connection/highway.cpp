#include "frontend/link/connection/highway.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/activation.h"

namespace catena {

Highway::Highway(int64_t size, const HighwayOptions& options)
    : plain(
          size, size,
          {.nobias = options.nobias, .initialW = options.init_Wh, .initial_bias = options.init_bh}),
      transform(
          size, size,
          {.nobias = options.nobias, .initialW = options.init_Wt, .initial_bias = options.init_bt}),
      activate_(options.activate) {
    list_child("plain", plain);
    list_child("transform", transform);
    if (!activate_) activate_ = [](const Variable& x) { return relu(x); };
}

Variable Highway::operator()(const Operand& operand) {
    LocationScope scope(operand.location());
    return called(operand, [&] {
        const Variable &x = operand, t = sigmoid(transform(x));
        return activate_(plain(x)) * t + x * (1 - t);
    });
}

}  // namespace catena
