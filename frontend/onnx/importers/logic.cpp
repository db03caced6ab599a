#include <limits>

#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

Variables exclusive_or(const NodeCall& n) { return {n[0] != n[1]}; }

Variables is_infinite(const NodeCall& n) {
    const double infinity = std::numeric_limits<double>::infinity();
    const Variable positive = n[0] == infinity, negative = n[0] == -infinity;
    const bool up = n.integer("detect_positive", 1) != 0,
               down = n.integer("detect_negative", 1) != 0;
    if (up && down) return {positive || negative};
    return {up ? positive : down ? negative : n[0] != n[0] && n[0] == n[0]};
}

/// The sign bit is part of the number here, so only what stays in range is right.
Variables bits_inverted(const NodeCall& n) {
    if (n[0].dtype() == Dtype::uint8) return {cast(255 - cast(n[0], Dtype::int32), Dtype::uint8)};
    return {-n[0] - constant_like(n[0], 1)};
}

const int importers = add_importers({
    {"And", [](const NodeCall& n) { return Variables{n[0] && n[1]}; }},
    {"Or", [](const NodeCall& n) { return Variables{n[0] || n[1]}; }},
    {"Xor", exclusive_or},
    {"Not", [](const NodeCall& n) { return Variables{!n[0]}; }},
    {"Where", [](const NodeCall& n) { return Variables{where(n[0], n[1], n[2])}; }},
    {"IsNaN", [](const NodeCall& n) { return Variables{n[0] != n[0]}; }},
    {"IsInf", is_infinite},
    {"BitwiseNot", bits_inverted},
});

}  // namespace
}  // namespace catena::onnx
