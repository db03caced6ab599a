#include "frontend/link/normalization/group_normalization.h"

#include "frontend/link/lazy.h"
#include "runtime/graph/settings/mixed16.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena {

GroupNormalization::GroupNormalization(int64_t groups, std::optional<int64_t> size,
                                       const GroupNormalizationOptions& options)
    : gamma(options.initial_gamma), beta(options.initial_beta), groups_(groups), eps_(options.eps) {
    if (groups <= 0)
        fail<ValueError>("GroupNormalization: groups must be positive, not {}", groups);
    add_param("gamma", gamma);
    add_param("beta", beta);
    if (auto channels = known("GroupNormalization: size", size)) {
        initialize(*channels);
    }
}

void GroupNormalization::initialize(int64_t channels) {
    const auto scope = using_config(&Config::dtype, high_precision_dtype());
    gamma.initialize({channels});
    beta.initialize({channels});
}

Variable GroupNormalization::operator()(const Operand& x) {
    LocationScope scope(x.location());
    const Shape& shape = x.variable().shape();
    if (!gamma.is_initialized()) {
        if (shape.rank() < 2)
            fail<ShapeError>("GroupNormalization: x should be [N, C, ...], it is {}",
                             to_string(shape));
        initialize(shape[1]);
    }
    return called(x, [&] { return group_normalization(x, groups_, gamma, beta, eps_); });
}

}  // namespace catena
