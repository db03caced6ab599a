#include "frontend/package/merge_runs.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "runtime/core/system/error.h"
#include "runtime/program/file/schedule_json.h"

namespace catena {
namespace {

using Json = nlohmann::json;

Json function_json(const SizePolynomial& function, size_t sizes) {
    std::vector<int64_t> terms(sizes + 1, 0);
    Json products = Json::array();
    for (const SizePolynomial::Term& term : function.terms) {
        const auto open = std::find(term.exponents.begin(), term.exponents.end(), 1);
        terms[open == term.exponents.end() ? 0 : size_t(open - term.exponents.begin()) + 1] =
            term.factor;
        Json product = {term.factor};
        for (int exponent : term.exponents) product.push_back(exponent);
        products.push_back(std::move(product));
    }
    return function.is_affine() ? Json{{"affine", terms}} : Json{{"polynomial", products}};
}

/// The call or kernel to which a place in a document belongs.
struct Place {
    std::string text;
    std::string owner;
};

[[noreturn]] void differs(const Place& place, const Json& a, const Json& b) {
    fail<ValueError>(
        "save: {}{} is {} or {} at different open sizes, which is not a sum of products of up to "
        "three of them; fix a size",
        place.owner.empty() ? "" : place.owner + ": ", place.text, a.dump(), b.dump());
}

Place inside(const Place& place, const std::string& name, const Json& value) {
    Place result{place.text.empty() ? name : place.text + "." + name, place.owner};
    if (!value.is_object()) return result;
    if (value.contains("op"))
        result.owner = value.value("op", "") + " (" + value.value("file", "") + ":" +
                       std::to_string(value.value("line", 0)) + ")";
    else if (value.contains("symbol"))
        result.owner = value.value("symbol", "");
    return result;
}

Json merge(const std::vector<const Json*>& all, const OpenSizes& open, const Place& place) {
    const Json& first = *all[0];
    for (const Json* other : all)
        if (other->type() != first.type() || other->size() != first.size())
            if (!(first.is_number() && other->is_number())) differs(place, first, *other);
    auto children = [&](auto key) {
        std::vector<const Json*> parts;
        for (const Json* json : all) parts.push_back(&json->at(key));
        return parts;
    };
    if (first.is_object()) {
        Json result = Json::object();
        for (const auto& [key, value] : first.items()) {
            for (const Json* other : all)
                if (!other->contains(key)) differs(place, first, *other);
            result[key] = merge(children(key), open, inside(place, key, value));
        }
        return result;
    }
    if (first.is_array()) {
        Json result = Json::array();
        for (size_t i = 0; i < first.size(); ++i)
            result.push_back(merge(children(i), open, inside(place, std::to_string(i), first[i])));
        return result;
    }
    auto different =
        std::find_if(all.begin(), all.end(), [&](const Json* other) { return *other != first; });
    if (different == all.end()) return first;
    if (!first.is_number_integer()) differs(place, first, **different);
    std::vector<int64_t> seen;
    for (const Json* json : all) seen.push_back(json->get<int64_t>());
    const std::optional<SizePolynomial> size = open.polynomial(seen);
    if (!size) differs(place, first, **different);
    return function_json(*size, open.names().size());
}

/// Up to this n, a rounded n / (n - 1) identifies n.
constexpr double most_counted = 1e7;

bool same_number(double a, double b) {
    return a == b || std::abs(a - b) <= 1e-15 * std::abs(b) || (std::isnan(a) && std::isnan(b));
}

/// factor * above / below.
struct Ratio {
    double factor = 1;
    SizePolynomial above, below;
    bool at_least_one = false;  ///< The divisor is max(below, 1).

    std::optional<double> at(const std::vector<int64_t>& sizes) const {
        const auto a = above.at(sizes), b = below.at(sizes);
        if (!a || !b) return std::nullopt;
        return factor * double(*a) / double(at_least_one ? std::max<int64_t>(*b, 1) : *b);
    }
    bool gives(const std::vector<double>& seen, const OpenSizes& open) const {
        for (size_t r = 0; r < seen.size(); ++r)
            if (const auto value = at(open.runs()[r]); !value || !same_number(*value, seen[r]))
                return false;
        return true;
    }
    Json json(size_t sizes) const {
        Json parts = {factor, function_json(above, sizes), function_json(below, sizes)};
        if (at_least_one) parts.push_back(1);
        return {{"ratio", std::move(parts)}};
    }
};

SizePolynomial monomial(const std::vector<int>& exponents) {
    SizePolynomial one;
    one.terms.push_back({1, exponents});
    return one;
}

std::optional<SizePolynomial> whole_function(const std::vector<double>& values, double most,
                                             const OpenSizes& open) {
    std::vector<int64_t> integers;
    for (double value : values) {
        if (!(std::abs(value) < most)) return std::nullopt;
        integers.push_back(std::llround(value));
    }
    return open.polynomial(integers);
}

/// n / (n - 1), where n is any function of the sizes: a variance's correction.
std::optional<Ratio> find_correction(const std::vector<double>& seen, const OpenSizes& open) {
    std::vector<double> counts;
    for (double value : seen) counts.push_back(value / (value - 1));
    std::optional<SizePolynomial> count = whole_function(counts, most_counted, open);
    if (!count) return std::nullopt;
    Ratio ratio{1, *count, *count, false};
    const std::vector<int> none(open.names().size(), 0);
    auto constant =
        std::find_if(ratio.below.terms.begin(), ratio.below.terms.end(),
                     [&](const SizePolynomial::Term& term) { return term.exponents == none; });
    if (constant == ratio.below.terms.end())
        ratio.below.terms.push_back({-1, none});
    else
        --constant->factor;
    return ratio.gives(seen, open) ? std::optional(ratio) : std::nullopt;
}

/// 1 / n, 2 / n: a factor times 1 or a product of open sizes, over a function of them.
std::optional<Ratio> find_ratio(const std::vector<double>& seen, const OpenSizes& open) {
    const size_t count = open.names().size();
    for (const std::vector<int>& exponents : exponents_up_to(count, 1, 2)) {
        Ratio ratio{1, monomial(exponents), {}, false};
        std::vector<double> factors = {1, -1};
        for (const std::vector<int>& others : exponents_up_to(count, 2, 3))
            factors.push_back(seen[0] * double(*monomial(others).at(open.runs()[0])) /
                              double(*ratio.above.at(open.runs()[0])));
        for (double factor : factors) {
            std::vector<double> divisors;
            for (size_t r = 0; r < seen.size(); ++r)
                divisors.push_back(factor * double(*ratio.above.at(open.runs()[r])) / seen[r]);
            std::optional<SizePolynomial> below = whole_function(divisors, 1e15, open);
            if (!below) continue;
            ratio.factor = factor;
            ratio.below = *below;
            if (ratio.gives(seen, open)) return ratio;
        }
    }
    return std::nullopt;
}

/// Small sizes at which the divisor is not positive; all of them where it grows with every size.
std::vector<std::vector<int64_t>> sizes_without_divisor(const Ratio& ratio, size_t count) {
    constexpr size_t most = 16;
    std::vector<std::vector<int64_t>> found, next = {std::vector<int64_t>(count, 1)};
    for (size_t i = 0; i < next.size() && found.size() < most; ++i) {
        const auto below = ratio.below.at(next[i]);
        if (!below || *below > 0) continue;
        found.push_back(next[i]);
        for (size_t k = 0; k < count; ++k) {
            std::vector<int64_t> larger = next[i];
            ++larger[k];
            if (std::find(next.begin(), next.end(), larger) == next.end())
                next.push_back(std::move(larger));
        }
    }
    return found;
}

/// The form of the ratio that is also correct where its divisor is not positive; none if there is
/// none.
std::optional<Ratio> form_without_divisor(Ratio ratio, const OpenSizes& open,
                                          const NumberAt& number_at) {
    const auto places = sizes_without_divisor(ratio, open.names().size());
    if (places.empty()) return ratio;
    for (bool at_least_one : {true, false}) {
        ratio.at_least_one = at_least_one;
        const bool right =
            std::all_of(places.begin(), places.end(), [&](const std::vector<int64_t>& sizes) {
                const std::optional<double> number = number_at(sizes), value = ratio.at(sizes);
                return !number || (value && same_number(*value, *number));
            });
        if (right) return ratio;
    }
    return std::nullopt;
}

}  // namespace

Json merge_runs(const std::vector<Json>& documents, const OpenSizes& open) {
    std::vector<const Json*> all;
    for (const Json& json : documents) all.push_back(&json);
    return merge(all, open, {});
}

Json merge_numbers(const std::vector<double>& seen, const OpenSizes& open,
                   const NumberAt& number_at) {
    const Json first = program::number_json(seen[0]);
    if (std::all_of(seen.begin(), seen.end(),
                    [&](double value) { return program::number_json(value) == first; }))
        return first;
    if (std::all_of(seen.begin(), seen.end(),
                    [](double value) { return value == std::round(value); }))
        if (const auto function = whole_function(seen, 1e15, open))
            return function_json(*function, open.names().size());
    for (const auto& find : {find_correction, find_ratio})
        if (const std::optional<Ratio> ratio = find(seen, open))
            if (const std::optional<Ratio> right = form_without_divisor(*ratio, open, number_at))
                return right->json(open.names().size());
    return nullptr;
}

}  // namespace catena
