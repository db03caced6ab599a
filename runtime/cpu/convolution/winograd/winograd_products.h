#pragma once

#include <cstdint>
#include <memory>

#include <dnnl.hpp>

namespace catena::winograd {

/// [batch, m, n] = [batch, m, k] [batch, k, n] on the caller's thread alone: by oneDNN, or by tiles
/// in registers (product_tile.h) where a matrix of up to 48 columns is a panel as it stands.
class Products {
public:
    struct Form {
        int64_t m, n, k, batch;
        bool transposed = false;  ///< The first matrices are stored [k, m].
        bool adds = false;        ///< To what the results hold.
        int64_t pad = 0;          ///< Floats behind each matrix.
        auto operator<=>(const Form&) const = default;
    };
    /// Made once a process for each form.
    static std::shared_ptr<const Products> find(const Form& form);
    /// `b` begins at a multiple of 64 bytes.
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
