#pragma once

#include "frontend/link/link.h"

namespace catena {

/// Options of an EmbedID.
struct EmbedIDOptions {
    /// Initializer of W.
    Initializer initialW = initializers::Normal(1.0);
    std::optional<int64_t> ignore_label = {};  ///< A label whose result is zeros, without gradient.
};

/// Rows of W [in_size, out_size] for integers in [0, in_size).
class EmbedID : public Link {
public:
    /// A table for in_size different integers, with rows of out_size elements.
    EmbedID(int64_t in_size, int64_t out_size, const EmbedIDOptions& options = {});
    /// A table with these rows, [in_size, out_size].
    static EmbedID from_params(const Array& W, std::optional<int64_t> ignore_label = {});
    /// Integers x of any shape [...] give [..., out_size]; ValueError for one outside of [0,
    /// in_size) that is not ignore_label.
    Variable operator()(const Operand& x);
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    /// The rows, [in_size, out_size].
    Parameter W;

private:
    std::optional<int64_t> ignore_label_;
};

}  // namespace catena
