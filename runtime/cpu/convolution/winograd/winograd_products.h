#pragma once

#include <cstdint>
#include <memory>

#include <dnnl.hpp>

namespace catena::winograd {

/// Computes [batch, m, n] = [batch, m, k] [batch, k, n] on the caller's thread alone: by oneDNN, or
/// by tiles in registers (product_tile.h) where a matrix of up to 48 columns is a panel as it
/// stands.
class Products {
public:
    struct Form {
        int64_t m, n, k, batch;
        bool transposed = false;  ///< Whether the first matrices are stored as [k, m].
        /// Whether the products are added to the present content of the results.
        bool adds = false;
        int64_t pad = 0;  ///< Number of floats between matrices.
        auto operator<=>(const Form&) const = default;
    };
    /// The products for a form, made once in a process.
    static std::shared_ptr<const Products> find(const Form& form);
    /// Computes the products; `b` is 64-byte aligned.
    void run(const float* a, const float* b, float* y) const;

    explicit Products(const Form& form);

private:
    void run_in_tiles(const float* a, const float* b, float* y) const;

    const Form form_;
    const bool in_tiles_;
    dnnl::matmul::primitive_desc desc_;
    dnnl::matmul primitive_;
    size_t scratch_bytes_ = 0;
};

}  // namespace catena::winograd
