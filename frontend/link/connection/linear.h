#pragma once

#include "frontend/link/link.h"

namespace catena {

struct LinearOptions {
    bool nobias = false;
    Initializer initialW = {};  ///< Initializer of W; LeCunNormal unless given.
    Initializer initial_bias = 0.0;
};

/// y = x W^T + b with W [out_size, in_size].
class Linear : public Link {
public:
    /// Makes the link; without in_size (or with 0) it is taken from the first input.
    explicit Linear(int64_t out_size) : Linear(std::nullopt, out_size) {}
    Linear(std::optional<int64_t> in_size, int64_t out_size, const LinearOptions& options = {});

    /// A link with these weights, in config().dtype; an undefined b means no bias.
    static Linear from_params(const Array& W, const Array& b = {});

    /// The result for x, whose first n_batch_axes axes are the batch; the others are flattened.
    Variable operator()(const Operand& x, int n_batch_axes = 1);
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    Parameter W, b;  ///< The weights and the bias; b is empty with nobias.

private:
    int64_t out_size_;
    bool nobias_;
};

}  // namespace catena
