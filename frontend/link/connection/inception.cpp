#include "frontend/link/connection/inception.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/pooling/pooling.h"

namespace catena {
namespace {

Convolution2D path(std::optional<int64_t> in, int64_t out, int64_t ksize,
                   const InceptionOptions& o) {
    return Convolution2D(in, out, ksize,
                         {.pad = ksize / 2, .initialW = o.conv_init, .initial_bias = o.bias_init});
}

}  // namespace

Inception::Inception(std::optional<int64_t> in, const InceptionOptions& o)
    : conv1(path(in, o.out1, 1, o)),
      proj3(path(in, o.proj3, 1, o)),
      conv3(path(o.proj3, o.out3, 3, o)),
      proj5(path(in, o.proj5, 1, o)),
      conv5(path(o.proj5, o.out5, 5, o)),
      projp(path(in, o.proj_pool, 1, o)) {
    list_child("conv1", conv1);
    list_child("proj3", proj3);
    list_child("conv3", conv3);
    list_child("proj5", proj5);
    list_child("conv5", conv5);
    list_child("projp", projp);
}

Variable Inception::operator()(const Operand& operand) {
    LocationScope scope(operand.location());
    return called(operand, [&] {
        const Variable& x = operand;
        const Variable paths[] = {conv1(x), conv3(relu(proj3(x))), conv5(relu(proj5(x))),
                                  projp(max_pooling_2d(x, 3, {.stride = 1, .pad = 1}))};
        return relu(concat(paths, 1));
    });
}

}  // namespace catena
