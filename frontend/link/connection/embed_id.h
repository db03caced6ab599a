#pragma once

#include "frontend/link/link.h"

namespace catena {

struct EmbedIDOptions {
    Initializer initialW = initializers::Normal(1.0);
    std::optional<int64_t> ignore_label = {};  ///< A label whose result is zeros, without gradient.
};

/// Rows of W [in_size, out_size] for integers in [0, in_size).
class EmbedID : public Link {
public:
    EmbedID(int64_t in_size, int64_t out_size, const EmbedIDOptions& options = {});
    static EmbedID from_params(const Array& W, std::optional<int64_t> ignore_label = {});
    Variable operator()(const Operand& x);
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    Parameter W;

private:
    std::optional<int64_t> ignore_label_;
};

}  // namespace catena
