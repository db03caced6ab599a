#include "frontend/link/activation/maxout.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/activation/activation.h"

namespace catena {
namespace {

int64_t results(int64_t out_size, int64_t pool_size) {
    if (out_size <= 0 || pool_size <= 0)
        fail<ValueError>("Maxout: out_size and pool_size must be positive, not {} and {}", out_size,
                         pool_size);
    return out_size * pool_size;
}

}  // namespace

Maxout::Maxout(std::optional<int64_t> in_size, int64_t out_size, int64_t pool_size,
               const MaxoutOptions& options)
    : linear(in_size, results(out_size, pool_size),
             {.nobias = options.nobias,
              .initialW = options.initialW,
              .initial_bias = options.initial_bias}),
      pool_size_(pool_size) {
    list_child("linear", linear);
}

Variable Maxout::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] { return maxout(linear(x), pool_size_); });
}

}  // namespace catena
