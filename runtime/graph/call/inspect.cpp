#include "runtime/graph/call/inspect.h"

#include <cmath>

#include "runtime/core/array/device.h"
#include "runtime/graph/call/held_state.h"
#include "runtime/graph/node/node.h"

namespace catena {
namespace {

std::string named(const Variable& x) { return x.name().empty() ? "" : x.name() + " "; }

/// "mean=0.5, std=1.2" of numbers in float64.
std::string statistics_of(const Array& array) {
    if (array.device().is_meta()) return "no elements on meta";
    if (array.size() == 0) return "no elements";
    const std::vector<double> values = array.to_vector<double>();
    const double n = double(values.size());
    double mean = 0, square = 0;
    for (double v : values) mean += v / n;
    for (double v : values) square += (v - mean) * (v - mean) / n;
    return fmt::format("mean={:.8g}, std={:.8g}", mean, std::sqrt(square));
}

}  // namespace

std::string label(const Variable& x) {
    std::string shape;
    for (int64_t size : x.shape()) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    return fmt::format("{}({}{}), {}", named(x), shape, x.rank() == 1 ? "," : "",
                       name_of(x.dtype()));
}

int64_t graph_rank(const Variable& x) {
    const Edge edge = edge_of(x);
    return edge.node ? edge.node->rank : 0;
}

std::string creator_label(const Variable& x) {
    const Edge edge = edge_of(x);
    return edge.node ? edge.node->op->name : "";
}

std::string summary(const Variable& x) {
    if (!x.defined() || !x.array().defined()) return "variable without an array";
    const std::string creator = creator_label(x);
    return fmt::format("variable {}{} on {}{}{}", named(x), to_string(x.type()), x.device().name(),
                       x.requires_grad() ? ", requires a gradient" : "",
                       creator.empty() ? "" : ", made by " + creator);
}

std::string debug_print(const Variable& x) {
    std::string text = summary(x);
    if (!x.defined() || !x.array().defined()) return text;
    const Array gradient = x.grad();
    text += "\n- elements: " + statistics_of(x.array());
    text += "\n- gradient: " + (gradient.defined() ? statistics_of(gradient) : "none");
    return text;
}

void copydata(const Variable& to, const Variable& from) {
    if (!from.array().defined()) return;
    const Array& target = to.array();
    if (!target.defined()) return to.set_array(from.array());
    if (target.shape() != from.shape())
        fail<ShapeError>("copydata: from is {}, to {}; shapes must be equal",
                         to_string(from.type()), to_string(target.type()));
    Array content = from.array().astype(target.dtype()).to(target.device());
    if (to.body()->is_state)
        update_content(to, std::move(content));
    else
        to.set_array(std::move(content));
}

}  // namespace catena
