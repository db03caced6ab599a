#include "frontend/open_sizes.h"

#include <algorithm>

#include "runtime/core/error.h"

namespace catena {

OpenSizes::OpenSizes(std::string who, std::vector<Type> types, const std::vector<OpenSize>& all)
    : who_(std::move(who)), types_(std::move(types)) {
    for (const OpenSize& open : all) {
        if (open.input < 0 || size_t(open.input) >= types_.size() || open.axis < 0 ||
            open.axis >= types_[size_t(open.input)].shape.rank())
            fail<ValueError>("{}: the open size '{}' is axis {} of input {}, which is not there", who_, open.name,
                             open.axis, open.input);
        auto found = std::find_if(names_.begin(), names_.end(), [&](const Name& n) { return n.name == open.name; });
        if (found == names_.end()) {
            names_.push_back({open.name, types_[size_t(open.input)].shape[open.axis], {}});
            found = std::prev(names_.end());
        }
        found->places.push_back(open);
    }
    std::vector<int64_t> base, last;
    for (Name& name : names_) {
        name.base = name.base > 1 ? name.base : 3;  // A size of 1 would broadcast, and one of 0 hide things.
        base.push_back(name.base);
        last.push_back(2 * name.base + 3);
    }
    runs_.push_back(base);
    for (size_t k = 0; k < names_.size(); ++k) {
        runs_.push_back(base);
        ++runs_.back()[k];
    }
    if (!names_.empty()) runs_.push_back(last);
}

std::vector<Type> OpenSizes::types_at(const std::vector<int64_t>& sizes) const {
    std::vector<Type> types = types_;
    for (size_t k = 0; k < names_.size(); ++k)
        for (const OpenSize& open : names_[k].places) types[size_t(open.input)].shape[open.axis] = sizes[k];
    return types;
}

std::optional<OnnxSize> OpenSizes::affine(const std::vector<int64_t>& seen) const {
    OnnxSize size(seen[0]);
    for (size_t k = 0; k < names_.size(); ++k) {
        size.factors.push_back(seen[k + 1] - seen[0]);
        size.constant -= size.factors[k] * runs_[0][k];
    }
    int64_t expected = size.constant;
    for (size_t k = 0; k < names_.size(); ++k) expected += size.factors[k] * runs_.back()[k];
    if (!names_.empty() && expected != seen.back()) return std::nullopt;
    return size;
}

void OpenSizes::check_same(const Trace& was, const Trace& is) const {
    if (was.structure_hash() == is.structure_hash()) return;
    for (size_t s = 0; s < std::min(was.steps.size(), is.steps.size()); ++s) {
        const Trace::Step &a = was.steps[s], &b = is.steps[s];
        if (a.op != b.op || a.inputs != b.inputs || a.attributes.entries().size() != b.attributes.entries().size())
            fail<ValueError>("{}: with other open sizes the program is another: step {} is {} ({}) or {} ({})", who_, s,
                             a.op->name, to_string(a.location), b.op->name, to_string(b.location));
    }
    fail<ValueError>("{}: with other open sizes the program is another: it has {} or {} steps", who_, was.steps.size(),
                     is.steps.size());
}

}  // namespace catena
