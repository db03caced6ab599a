#include "runtime/graph/settings/autocast.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/thread_settings.h"

namespace catena {
namespace {

constexpr DeclarationKind<Autocast> autocast_kind("in_autocast");

bool is_castable(Dtype dtype) { return is_float(dtype) && dtype != Dtype::float64; }

std::optional<Dtype> common_dtype(std::span<const Variable* const> inputs) {
    std::optional<Dtype> common;
    for (const Variable* input : inputs)
        if (is_float(input->dtype()))
            common = common ? promote(*common, input->dtype()) : input->dtype();
    return common;
}

/// The dtype for every input that can be cast.
std::optional<Dtype> wanted_dtype(Autocast how, std::span<const Variable* const> inputs) {
    switch (how) {
        case Autocast::narrow:
            return autocast_dtype();
        case Autocast::wide:
            return Dtype::float32;
        case Autocast::same:
            return common_dtype(inputs);
        default:
            return std::nullopt;
    }
}

}  // namespace

Declaration in_autocast(Autocast how) { return autocast_kind(how); }

Autocast autocast_of(const OpDef& op) {
    const Autocast* const how = autocast_kind.in(op.declared);
    return how ? *how : Autocast::unchanged;
}

AutocastScope::AutocastScope(Dtype dtype) : previous_(autocast_dtype()) {
    if (!is_castable(dtype))
        fail<ValueError>(
            "autocast: the dtype is {} and should be bfloat16, float16, or float32 for none",
            name_of(dtype));
    thread_settings().autocast = dtype;
}
AutocastScope::~AutocastScope() { thread_settings().autocast = previous_; }

Dtype autocast_dtype() { return thread_settings().autocast; }

Variable autocast_wide(const Variable& x) {
    return autocast_dtype() != Dtype::float32 && is_castable(x.dtype()) ? cast(x, Dtype::float32)
                                                                        : x;
}

std::vector<Variable> autocast_wide(std::span<const Variable> xs) {
    std::vector<Variable> wide;
    for (const Variable& x : xs) wide.push_back(autocast_wide(x));
    return wide;
}

AutocastInputs autocast_inputs(const OpDef& op, std::span<const Variable* const> inputs) {
    const std::optional<Dtype> wanted = wanted_dtype(autocast_of(op), inputs);
    const auto is_double = [](const Variable* x) { return x->dtype() == Dtype::float64; };
    if (!wanted || std::ranges::any_of(inputs, is_double)) return {};
    AutocastInputs taken;
    bool any = false;
    for (const Variable* input : inputs) {
        const bool changes = is_castable(input->dtype()) && input->dtype() != *wanted;
        taken.push_back(changes ? cast(*input, *wanted) : *input);
        any |= changes;
    }
    return any ? taken : AutocastInputs();
}

}  // namespace catena
