#include <limits>

#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/math/reduction/logic.h"

namespace catena::onnx {
namespace {

Variables exclusive_or(const NodeCall& n) { return {logical_xor(n[0], n[1])}; }

Variables is_infinite(const NodeCall& n) {
    const double infinity = std::numeric_limits<double>::infinity();
    const Variable positive = n[0] == infinity, negative = n[0] == -infinity;
    const bool up = n.flag("detect_positive", true), down = n.flag("detect_negative", true);
    if (up && down) return {positive || negative};
    return {up ? positive : down ? negative : n[0] != n[0] && n[0] == n[0]};
}

const int logic_importers = add_importers({
    {"And", [](const NodeCall& n) { return Variables{n[0] && n[1]}; }},
    {"Or", [](const NodeCall& n) { return Variables{n[0] || n[1]}; }},
    {"Xor", exclusive_or},
    {"Not", [](const NodeCall& n) { return Variables{!n[0]}; }},
    {"Where", [](const NodeCall& n) { return Variables{where(n[0], n[1], n[2])}; }},
    {"IsNaN", [](const NodeCall& n) { return Variables{isnan(n[0])}; }},
    {"IsInf", is_infinite},
});

}  // namespace
}  // namespace catena::onnx
