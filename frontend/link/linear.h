#pragma once

#include "frontend/link/link.h"

namespace catena {

struct LinearOptions {
    bool nobias = false;
    Initializer initialW = {};  ///< LeCunNormal unless given.
    Initializer initial_bias = 0.0;
};

/// y = x W^T + b with W [out_size, in_size].
class Linear : public Link {
public:
    /// Without in_size (or with 0) it is taken from the first input.
    explicit Linear(int64_t out_size) : Linear(std::nullopt, out_size) {}
    Linear(std::optional<int64_t> in_size, int64_t out_size, const LinearOptions& options = {});

    static Linear from_params(
        const Array& W, const Array& b = {});  ///< In config().dtype; an undefined b is no bias.

    /// The first n_batch_axes axes of x are the batch, the others are flattened.
    Variable operator()(const Operand& x, int n_batch_axes = 1);
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    Parameter W, b;  ///< b is empty when nobias.

private:
    int64_t out_size_;
    bool nobias_;
};

}  // namespace catena
