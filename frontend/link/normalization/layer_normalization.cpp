#include "frontend/link/normalization/layer_normalization.h"

#include "frontend/link/lazy.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena {

LayerNormalization::LayerNormalization(std::optional<int64_t> size,
                                       const LayerNormalizationOptions& options)
    : gamma(options.initial_gamma), beta(options.initial_beta), eps_(options.eps) {
    add_param("gamma", gamma);
    add_param("beta", beta);
    if (auto units = known("LayerNormalization: size", size)) {
        gamma.initialize({*units});
        beta.initialize({*units});
    }
}

Variable LayerNormalization::operator()(const Operand& x) {
    LocationScope scope(x.location());
    if (!gamma.is_initialized()) {
        const Shape& shape = x.variable().shape();
        if (shape.empty()) fail<ShapeError>("LayerNormalization: x should have an axis, it is 0-d");
        gamma.initialize({shape.back()});
        beta.initialize({shape.back()});
    }
    return called(x, [&] { return layer_normalization(x, gamma, beta, eps_); });
}

std::vector<std::pair<std::string, std::string>> LayerNormalization::printable_specs() const {
    std::optional<int64_t> size;
    if (gamma.is_initialized()) size = gamma.shape()[0];
    return {{"size", size_text(size)}, {"eps", fmt::format("{}", eps_)}};
}

}  // namespace catena
