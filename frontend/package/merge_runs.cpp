#include "frontend/package/merge_runs.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "runtime/core/error.h"
#include "runtime/program/schedule_json.h"

namespace catena {
namespace {

using Json = nlohmann::json;

Json affine_json(const OnnxSize& size, const OpenSizes& open) {
    std::vector<int64_t> terms = size.factors;
    terms.resize(open.names().size());
    terms.insert(terms.begin(), size.constant);
    return terms;
}

/// The call or kernel that a place in a document belongs to.
struct Place {
    std::string text;
    std::string owner;
};

[[noreturn]] void differs(const Place& place, const Json& a, const Json& b) {
    fail<ValueError>("save: {}{} is {} or {} at different open sizes, which is no affine function of them; give that size",
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
    auto different = std::find_if(all.begin(), all.end(), [&](const Json* other) { return *other != first; });
    if (different == all.end()) return first;
    if (!first.is_number_integer()) differs(place, first, **different);
    std::vector<int64_t> seen;
    for (const Json* json : all) seen.push_back(json->get<int64_t>());
    const std::optional<OnnxSize> size = open.affine(seen);
    if (!size) differs(place, first, **different);
    return {{"affine", affine_json(*size, open)}};
}

}  // namespace

Json merge_runs(const std::vector<Json>& documents, const OpenSizes& open) {
    std::vector<const Json*> all;
    for (const Json& json : documents) all.push_back(&json);
    return merge(all, open, {});
}

Json merge_numbers(const std::vector<double>& seen, const OpenSizes& open) {
    const Json first = program::number_json(seen[0]);
    if (std::all_of(seen.begin(), seen.end(), [&](double value) { return program::number_json(value) == first; })) return first;
    const size_t count = open.names().size();
    auto value_at = [&](const OnnxSize& size, size_t r) {
        double value = double(size.constant);
        for (size_t k = 0; k < size.factors.size(); ++k) value += double(size.factors[k]) * double(open.runs()[r][k]);
        return value;
    };
    // 1 / n, 2 / n, n / (n - 1): a factor times 1 or an open size, over an affine function.
    std::vector<OnnxSize> numerators = {OnnxSize(1)};
    for (size_t k = 0; k < count; ++k) {
        numerators.emplace_back(0);
        numerators.back().factors.resize(count);
        numerators.back().factors[k] = 1;
    }
    for (const OnnxSize& numerator : numerators) {
        std::vector<double> factors = {1, -1};
        for (size_t k = 0; k < count; ++k)
            factors.push_back(seen[0] * double(open.runs()[0][k]) / value_at(numerator, 0));
        for (double factor : factors) {
            std::vector<int64_t> divisors;
            for (size_t r = 0; r < seen.size(); ++r) {
                const double divisor = std::round(factor * value_at(numerator, r) / seen[r]);
                divisors.push_back(std::abs(divisor) < 1e15 ? int64_t(divisor) : 0);
            }
            const std::optional<OnnxSize> divisor = open.affine(divisors);
            bool fits = bool(divisor);
            for (size_t r = 0; fits && r < seen.size(); ++r)
                fits = std::abs(factor * value_at(numerator, r) / value_at(*divisor, r) - seen[r]) <=
                       1e-15 * std::abs(seen[r]);
            if (fits) return {{"ratio", {factor, affine_json(numerator, open), affine_json(*divisor, open)}}};
        }
    }
    std::vector<int64_t> integers;
    for (double value : seen) {
        if (value != std::round(value) || std::abs(value) > 1e15) return nullptr;
        integers.push_back(int64_t(value));
    }
    const std::optional<OnnxSize> size = open.affine(integers);
    return size ? Json{{"affine", affine_json(*size, open)}} : Json(nullptr);
}

}  // namespace catena
