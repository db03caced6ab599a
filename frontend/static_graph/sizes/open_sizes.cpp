#include "frontend/static_graph/sizes/open_sizes.h"

#include <algorithm>

#include "frontend/static_graph/sizes/outside_arrays.h"
#include "frontend/static_graph/sizes/structure_difference.h"
#include "runtime/core/system/error.h"

namespace catena {

OpenSizes::OpenSizes(std::string who, std::vector<Type> types, const std::vector<OpenSize>& all,
                     Functions functions, Farther farther)
    : who_(std::move(who)), types_(std::move(types)) {
    for (const OpenSize& open : all) {
        if (open.input < 0 || size_t(open.input) >= types_.size() || open.axis < 0 ||
            open.axis >= types_[size_t(open.input)].shape.rank())
            fail<ValueError>("{}: the open size '{}' is axis {} of input {}, which does not exist",
                             who_, open.name, open.axis, open.input);
        auto found = std::find_if(names_.begin(), names_.end(),
                                  [&](const Name& n) { return n.name == open.name; });
        if (found == names_.end()) {
            names_.push_back({open.name, types_[size_t(open.input)].shape[open.axis], {}});
            found = std::prev(names_.end());
        }
        found->places.push_back(open);
    }
    choose_runs(functions, farther);
}

void OpenSizes::choose_runs(Functions functions, Farther farther) {
    std::vector<int64_t> given, base, twice, other;
    for (Name& name : names_) {
        name.base = name.base > 1
                        ? name.base
                        : 3;  // A size of 1 would broadcast, and 0 would hide dependences.
        given.push_back(name.base);
        if (!farther.first_only || base.empty()) name.base += farther.by;
        base.push_back(name.base);
        twice.push_back(2 * name.base + 3);
        other.push_back(name.base + 4 + 3 * int64_t(other.size()));
    }
    exponents_ = functions == Functions::affine ? exponents_up_to(names_.size(), 1, 1)
                                                : exponents_up_to(names_.size(), 2, 3);
    for (const std::vector<int>& exponents : exponents_) {
        runs_.push_back(base);
        for (size_t k = 0; k < exponents.size(); ++k) runs_.back()[k] += exponents[k];
    }
    if (!names_.empty()) runs_.insert(runs_.end(), {twice, other});
    is_farther_ = given != base;
    if (is_farther_) runs_.push_back(std::move(given));
}

std::vector<Type> OpenSizes::types_at(const std::vector<int64_t>& sizes) const {
    std::vector<Type> types = types_;
    for (size_t k = 0; k < names_.size(); ++k)
        for (const OpenSize& open : names_[k].places)
            types[size_t(open.input)].shape[open.axis] = sizes[k];
    return types;
}

std::optional<SizePolynomial> OpenSizes::polynomial(const std::vector<int64_t>& seen) const {
    std::optional<SizePolynomial> found =
        interpolate(exponents_, runs_[0], std::span(seen).first(exponents_.size()));
    for (size_t r = exponents_.size(); found && r < seen.size(); ++r)
        if (found->at(runs_[r]) != seen[r]) return std::nullopt;
    return found;
}

std::optional<OnnxSize> OpenSizes::affine(const std::vector<int64_t>& seen) const {
    const std::optional<SizePolynomial> found = polynomial(seen);
    if (!found || !found->is_affine()) return std::nullopt;
    OnnxSize size(0);
    size.factors.resize(names_.size());
    for (const SizePolynomial::Term& term : found->terms) {
        const auto open = std::find(term.exponents.begin(), term.exponents.end(), 1);
        (open == term.exponents.end() ? size.constant
                                      : size.factors[size_t(open - term.exponents.begin())]) =
            term.factor;
    }
    return size;
}

void OpenSizes::check_same(const Trace& was, const Trace& is, const Again& again) const {
    const std::string difference = structure_difference(was, is);
    if (difference.empty()) return;
    if (const std::string change = structure_difference(is, again()); !change.empty())
        fail<ValueError>(
            "{}: the program changes from run to run of its code, also at the same sizes: {}", who_,
            change);
    fail<ValueError>("{}: the program differs at other open sizes: {}; give that size", who_,
                     difference);
}

void OpenSizes::check_constant(std::span<const Trace* const> runs, int value,
                               const Again& again) const {
    auto array = [&](const Trace& trace) { return trace.values[size_t(value)].captured; };
    auto differing = std::find_if(runs.begin(), runs.end(), [&](const Trace* run) {
        return !difference(array(*runs[0]), array(*run)).empty();
    });
    if (differing == runs.end()) return;
    const std::string found = first_use(*runs[0], value),
                      use = found.empty() ? "the program returns" : found;
    const Trace repeated = again();
    if (repeated.structure_hash() == runs[1]->structure_hash())
        if (const std::string change = difference(array(*runs[1]), array(repeated));
            !change.empty())
            fail<ValueError>(
                "{}: {} an array from outside that changes from run to run of the code, also at "
                "the same sizes ({}), and a "
                "file holds it in one; make it a State or pass it as an argument",
                who_, use, change);
    fail<ValueError>(
        "{}: {} an array from outside that differs at other open sizes ({}), and a file holds it "
        "in one; "
        "compute it from numbers, or with operations on arrays of open sizes (arange, ones), or "
        "give that size",
        who_, use, difference(array(*runs[0]), array(**differing)));
}

void OpenSizes::check_repeats(const Trace& is, const Trace::Step& step, int scalar,
                              const Again& again) const {
    const Trace repeated = again();
    if (repeated.structure_hash() != is.structure_hash()) return;
    const double a = is.scalars[size_t(scalar)].value, b = repeated.scalars[size_t(scalar)].value;
    if (a != b && !(a != a && b != b))
        fail<ValueError>(
            "{}: a number in {} changes from run to run of the code, also at the same sizes: {} or "
            "{}; make it a Cell or "
            "pass it as an argument",
            who_, to_string(step), a, b);
}

}  // namespace catena
