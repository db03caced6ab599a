#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace catena {

/// A function of open sizes s0, s1, ...: the sum of factor * s0^e0 * s1^e1 * ... of its terms.
struct SizePolynomial {
    struct Term {
        int64_t factor = 0;
        std::vector<int> exponents;  ///< The exponents of the sizes, one per open size.
    };
    std::vector<Term> terms;

    /// The value at these sizes; none on overflow of 64 bits.
    std::optional<int64_t> at(std::span<const int64_t> sizes) const;
    bool is_affine() const;
};

/// The exponents of the terms of polynomials in `count` sizes: each up to `each`, `total` in sum.
/// With each term the list contains all its divisors.
std::vector<std::vector<int>> exponents_up_to(size_t count, int each, int total);

/// The polynomial with these exponents and integer factors that has the value values[i] at base +
/// exponents[i].
std::optional<SizePolynomial> interpolate(const std::vector<std::vector<int>>& exponents,
                                          std::span<const int64_t> base,
                                          std::span<const int64_t> values);

}  // namespace catena
