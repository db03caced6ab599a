#include "frontend/static_graph/sizes/size_polynomial.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace catena {
namespace {

using Wide = __int128;
using Exponents = std::vector<int>;

constexpr Wide most = Wide(1) << 100;

std::optional<int64_t> narrow(Wide value) {
    if (value > INT64_MAX || value < INT64_MIN) return std::nullopt;
    return int64_t(value);
}

/// Newton's differences, one size after the other; `exponents` are in an order in which smaller
/// ones come first.
std::vector<Wide> differences(const std::vector<Exponents>& exponents,
                              std::span<const int64_t> values) {
    std::map<Exponents, size_t> place;
    for (size_t i = 0; i < exponents.size(); ++i) place[exponents[i]] = i;
    std::vector<Wide> all(values.begin(), values.end());
    for (size_t k = 0; !exponents.empty() && k < exponents[0].size(); ++k) {
        const int highest =
            std::ranges::max(exponents, {}, [&](const Exponents& e) { return e[k]; })[k];
        for (int level = 1; level <= highest; ++level)
            for (size_t i = exponents.size(); i-- > 0;) {
                if (exponents[i][k] < level) continue;
                Exponents before = exponents[i];
                --before[k];
                all[i] -= all[place.at(before)];
            }
    }
    return all;
}

/// 2 times "x - base over exponent" (a binomial), by powers of x.
std::vector<Wide> twice_binomial(int64_t base, int exponent) {
    if (exponent == 0) return {2};
    if (exponent == 1) return {Wide(-2) * base, 2};
    return {Wide(base) * (base + 1), Wide(-2) * base - 1, 1};
}

}  // namespace

std::optional<int64_t> SizePolynomial::at(std::span<const int64_t> sizes) const {
    Wide sum = 0;
    for (const Term& term : terms) {
        Wide product = term.factor;
        for (size_t k = 0; k < sizes.size(); ++k)
            for (int e = 0; e < term.exponents[k]; ++e) {
                product *= sizes[k];
                if (product > INT64_MAX || product < INT64_MIN) return std::nullopt;
            }
        sum += product;
    }
    return narrow(sum);
}

bool SizePolynomial::is_affine() const {
    return std::ranges::all_of(terms, [](const Term& term) {
        return std::accumulate(term.exponents.begin(), term.exponents.end(), 0) <= 1;
    });
}

std::vector<Exponents> exponents_up_to(size_t count, int each, int total) {
    std::vector<Exponents> found = {Exponents(count, 0)};
    for (size_t i = 0; i < found.size(); ++i)
        for (size_t k = 0; k < count; ++k) {
            Exponents next = found[i];
            if (++next[k] > each || std::accumulate(next.begin(), next.end(), 0) > total) continue;
            if (std::ranges::find(found, next) == found.end()) found.push_back(std::move(next));
        }
    return found;
}

std::optional<SizePolynomial> interpolate(const std::vector<Exponents>& exponents,
                                          std::span<const int64_t> base,
                                          std::span<const int64_t> values) {
    const std::vector<Wide> factors = differences(exponents, values);
    std::map<Exponents, Wide> powers;  // Each scaled by 2^sizes.
    for (size_t i = 0; i < exponents.size(); ++i) {
        if (factors[i] == 0) continue;
        std::map<Exponents, Wide> product = {{Exponents(base.size(), 0), factors[i]}};
        for (size_t k = 0; k < base.size(); ++k) {
            const std::vector<Wide> one = twice_binomial(base[k], exponents[i][k]);
            std::map<Exponents, Wide> next;
            for (const auto& [exponent, factor] : product)
                for (size_t e = 0; e < one.size(); ++e) {
                    if (factor > most / (one[e] < 0 ? 1 - one[e] : 1 + one[e]) ||
                        factor < -most / (one[e] < 0 ? 1 - one[e] : 1 + one[e]))
                        return std::nullopt;
                    Exponents higher = exponent;
                    higher[k] += int(e);
                    next[higher] += factor * one[e];
                }
            product = std::move(next);
        }
        for (const auto& [exponent, factor] : product) powers[exponent] += factor;
    }
    SizePolynomial polynomial;
    const Wide scale = Wide(1) << base.size();
    for (const auto& [exponent, scaled] : powers) {
        if (scaled == 0) continue;
        const std::optional<int64_t> factor = narrow(scaled / scale);
        if (scaled % scale != 0 || !factor) return std::nullopt;
        polynomial.terms.push_back({*factor, exponent});
    }
    return polynomial;
}

}  // namespace catena
