#include "frontend/static_graph/sizes/outside_arrays.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/array/device.h"

namespace catena {
namespace {

bool has(const std::vector<int>& values, int value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

std::string element(const Array& array, int64_t index) {
    const Array one = array.view(Shape{}, Strides{}, index);
    return is_float(array.dtype()) ? fmt::format("{}", one.item<double>())
                                   : fmt::format("{}", one.item<int64_t>());
}

std::string place(const Shape& shape, int64_t index) {
    std::string text;
    for (int axis = shape.rank(); axis-- > 0; index /= shape[axis])
        text = std::to_string(index % shape[axis]) + (text.empty() ? "" : "," + text);
    return "[" + text + "]";
}

}  // namespace

std::string difference(const Array& a, const Array& b) {
    if (a == b) return "";
    if (!(a.type() == b.type())) return to_string(a.type()) + " or " + to_string(b.type());
    if (a.device().is_meta() || b.device().is_meta()) return "";
    const Array left = a.to(cpu_device()).as_contiguous(),
                right = b.to(cpu_device()).as_contiguous();
    const size_t bytes = size_of(a.dtype());
    const auto *l = static_cast<const char*>(left.elements()),
               *r = static_cast<const char*>(right.elements());
    for (int64_t i = 0; i < a.size(); ++i)
        if (std::memcmp(l + size_t(i) * bytes, r + size_t(i) * bytes, bytes) != 0)
            return fmt::format("{}, element {} is {} or {}", to_string(a.type()),
                               place(a.shape(), i), element(left, i), element(right, i));
    return "";
}

std::string to_string(const Trace::Step& step) {
    const std::string line = to_string(step.location),
                      name = *step.function ? step.function : step.op->name;
    return line.empty() ? name : fmt::format("{} ({})", name, line);
}

std::string first_use(const Trace& trace, int value) {
    for (const Trace::Step& step : trace.steps)
        if (has(step.inputs, value)) return to_string(step) + " reads";
    for (const Trace::Assign& assign : trace.assigns)
        if (assign.value == value) {
            const std::string& name = trace.values[size_t(assign.target)].name;
            return name.empty() ? "a state becomes" : "'" + name + "' becomes";
        }
    return has(trace.outputs, value) ? "the program returns" : "";
}

}  // namespace catena
