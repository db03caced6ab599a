#include "frontend/link/connection/inception_bn.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/pooling/pooling.h"

namespace catena {
namespace {

Convolution2D normalized_path(std::optional<int64_t> in, int64_t out, int64_t ksize,
                              const InceptionBNOptions& o, int64_t stride = 1) {
    return Convolution2D(
        in, out, ksize,
        {.stride = stride, .pad = ksize / 2, .nobias = true, .initialW = o.conv_init});
}

BatchNormalization normal(int64_t size, const InceptionBNOptions& o) {
    return BatchNormalization(size, {.dtype = o.dtype});
}

}  // namespace

InceptionBN::InceptionBN(std::optional<int64_t> in, const InceptionBNOptions& o)
    : proj3(normalized_path(in, o.proj3, 1, o)),
      conv3(normalized_path(o.proj3, o.out3, 3, o, o.stride)),
      proj33(normalized_path(in, o.proj33, 1, o)),
      conv33a(normalized_path(o.proj33, o.out33, 3, o)),
      conv33b(normalized_path(o.out33, o.out33, 3, o, o.stride)),
      proj3n(normal(o.proj3, o)),
      conv3n(normal(o.out3, o)),
      proj33n(normal(o.proj33, o)),
      conv33an(normal(o.out33, o)),
      conv33bn(normal(o.out33, o)),
      averages_(o.pooltype == "avg"),
      stride_(o.stride) {
    if (o.pooltype != "max" && o.pooltype != "avg")
        fail<ValueError>("InceptionBN: pooltype is '{}'; use 'max' or 'avg'", o.pooltype);
    if (o.out1 > 0 && (o.stride != 1 || !o.proj_pool))
        fail<ValueError>(
            "InceptionBN: a 1 x 1 path of {} channels needs stride 1, not {}, and a proj_pool",
            o.out1, o.stride);
    list_child("proj3", proj3);
    list_child("conv3", conv3);
    list_child("proj33", proj33);
    list_child("conv33a", conv33a);
    list_child("conv33b", conv33b);
    list_child("proj3n", proj3n);
    list_child("conv3n", conv3n);
    list_child("proj33n", proj33n);
    list_child("conv33an", conv33an);
    list_child("conv33bn", conv33bn);
    if (o.out1 > 0) {
        list_child("conv1", conv1.emplace(normalized_path(in, o.out1, 1, o)));
        list_child("conv1n", conv1n.emplace(normal(o.out1, o)));
    }
    if (o.proj_pool) {
        list_child("poolp", poolp.emplace(normalized_path(in, *o.proj_pool, 1, o)));
        list_child("poolpn", poolpn.emplace(normal(*o.proj_pool, o)));
    }
}

Variable InceptionBN::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] { return joined(x); });
}

Variable InceptionBN::joined(const Variable& x) {
    std::vector<Variable> paths;
    if (conv1) paths.push_back(relu((*conv1n)((*conv1)(x))));
    paths.push_back(relu(conv3n(conv3(relu(proj3n(proj3(x)))))));
    const Variable once = relu(conv33an(conv33a(relu(proj33n(proj33(x))))));
    paths.push_back(relu(conv33bn(conv33b(once))));
    const Variable pooled =
        averages_ ? average_pooling_2d(x, 3, stride_, 1)
                  : max_pooling_2d(x, 3, {.stride = stride_, .pad = 1, .cover_all = false});
    paths.push_back(poolp ? relu((*poolpn)((*poolp)(pooled))) : pooled);
    return concat(paths, 1);
}

}  // namespace catena
