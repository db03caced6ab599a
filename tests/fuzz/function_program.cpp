#include "tests/fuzz/function_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/math/division.h"
#include "runtime/ops/math/math.h"
#include "tests/ops/row_runner.h"

namespace catena::fuzz {
namespace {

using Layout = FunctionProgram::Layout;
using testing::Input;

Dtype dtype_of_argument(const FunctionProgram::Call& call, const Input& input, bool in_float64) {
    const Dtype dtype = input.dtype.value_or(call.run);
    return in_float64 && is_float(dtype) ? Dtype::float64 : dtype;
}

/// Into [low, high), whatever x is; NaN stays NaN.
Variable in_range(const Variable& x, const Input& input, Dtype dtype) {
    if (dtype == Dtype::bool_) return x.dtype() == Dtype::bool_ ? x : x > 0;
    if (is_float(dtype)) {
        const Variable v = cast(x, dtype);
        return input.low + (input.high - input.low) * (0.5 + 0.5 * (v / (1 + absolute(v))));
    }
    const int64_t low =
        int64_t(std::floor(dtype == Dtype::uint8 ? std::max(0.0, input.low) : input.low));
    const int64_t high = std::max(low + 1, int64_t(std::ceil(input.high)));
    if (!is_float(x.dtype()))
        return cast(remainder(cast(x, Dtype::int64), Scalar(high - low)) + Scalar(low), dtype);
    const Variable share = 0.5 + 0.5 * (x / (1 + absolute(x)));
    return cast(minimum(floor(double(low) + double(high - low) * share), double(high - 1)), dtype);
}

Array with_specials(const Array& array, std::mt19937_64& random) {
    const bool small = size_of(array.dtype()) == 2;
    const double tiny = array.dtype() == Dtype::float64 ? 4e-310 : small ? 1e-7 : 1e-40;
    const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, tiny, small ? 6e4 : 1e30};
    std::vector<double> values = array.to_vector<double>();
    for (double& value : values)
        if (random() % 8 == 0) value = specials[random() % std::size(specials)];
    return Array::from(values, array.shape()).astype(array.dtype());
}

/// The same elements, stored in the order of axes (first, ..., last) with `gap` elements before
/// them.
Array stored_as(const Array& x, const Axes& order, int64_t gap) {
    const Array base = Array::full({x.dtype(), {x.size() + gap}}, 1);
    Strides strides = Dims::filled(x.rank(), 0);
    int64_t stride = 1;
    for (int i = x.rank(); i-- > 0;) {
        strides[int(order[i])] = stride;
        stride *= std::max<int64_t>(1, x.dim(int(order[i])));
    }
    const Array view = base.view(x.shape(), strides, base.body()->offset + gap);
    copy_elements(x, view);
    return view;
}

Array laid_out(const Array& x, Layout layout) {
    Axes order;
    for (int i = 0; i < x.rank(); ++i) order.push_back(i);
    switch (layout) {
        case Layout::strided:
            return testing::strided_copy(x);
        case Layout::offset:
            return stored_as(x, order, 1);
        case Layout::channels_last:
            if (x.rank() < 3) return x;
            order.erase(1);
            order.push_back(1);
            return stored_as(x, order, 0);
        case Layout::repeated: {
            // The first of the last axis, again and again: a stride of 0.
            if (x.rank() == 0 || x.size() == 0) return x;
            Strides strides = x.strides();
            strides[x.rank() - 1] = 0;
            return x.view(x.shape(), strides, x.body()->offset);
        }
        default:
            return x;
    }
}

Array leaf(const FunctionProgram& p, const FunctionProgram::Call& call, size_t index) {
    const FunctionProgram::Argument& argument = call.arguments[index];
    testing::Generator generator(uint32_t(call.seed * 31 + index));
    Array x = testing::draw({argument.input}, call.run, generator)[0];
    std::mt19937_64 random(call.seed * 17 + index);
    if (p.specials && is_float(x.dtype()) && argument.input.values.empty())
        x = with_specials(x, random);
    return laid_out(x, argument.layout);
}

bool takes_gradient(const FunctionProgram::Call& call, size_t index) {
    const Input& input = call.arguments[index].input;
    return call.row->gradient && input.differentiable && !input.dtype && is_float(call.run);
}

int digits_of(Dtype dtype) {
    return dtype == Dtype::bfloat16  ? 8
           : dtype == Dtype::float16 ? 11
           : dtype == Dtype::float32 ? 24
                                     : 53;
}

bool is_leaf(const FunctionProgram::Argument& argument) {
    return argument.call < 0 && !argument.input.absent;
}

}  // namespace

Dtype FunctionProgram::precision() const {
    Dtype coarsest = dtype;
    for (const Call& call : calls)
        for (const Argument& argument : call.arguments) {
            const Dtype one = argument.input.dtype.value_or(call.run);
            if (is_float(one))
                coarsest = std::min(coarsest, one,
                                    [](Dtype a, Dtype b) { return digits_of(a) < digits_of(b); });
        }
    return coarsest;
}

bool FunctionProgram::is_random() const {
    return std::any_of(calls.begin(), calls.end(),
                       [](const Call& call) { return bool(call.row->before); });
}

Values leaves_of(const FunctionProgram& p, const FunctionProgram::Call& call) {
    Values leaves;
    for (size_t i = 0; i < call.arguments.size(); ++i)
        if (is_leaf(call.arguments[i]))
            leaves.emplace_back(leaf(p, call, i), takes_gradient(call, i));
    return leaves;
}

Values leaves_of(const FunctionProgram& p, bool in_float64) {
    Values leaves;
    for (const FunctionProgram::Call& call : p.calls)
        for (const Variable& x : leaves_of(p, call))
            leaves.emplace_back(
                in_float64 && is_float(x.dtype()) ? x.array().astype(Dtype::float64) : x.array(),
                x.requires_grad());
    return leaves;
}

Variable in_shape(const Variable& x, const Shape& shape) {
    if (x.shape() == shape) return x;
    const int64_t count = element_count(shape);
    if (x.size() == 0) return count == 0 ? reshape(x, shape) : Variable();
    Shape common;
    if (broadcast_shapes(x.shape(), shape, common) && common == shape)
        return broadcast_to(x, shape);
    Variable flat = reshape(x.rank() == 2 ? transpose(x) : x, {x.size()});
    if (flat.size() < count) {
        const std::vector<Variable> copies(size_t((count + flat.size() - 1) / flat.size()), flat);
        flat = concat(copies, 0);
    }
    if (flat.size() > count) flat = slice_axis(flat, 0, flat.size() - count, count);
    return reshape(flat, shape);
}

Values evaluate(const FunctionProgram::Call& call, const std::vector<Values>& outputs,
                const Values& leaves, bool in_float64) {
    std::vector<Variable> inputs;
    size_t next = 0;
    for (const FunctionProgram::Argument& argument : call.arguments) {
        if (argument.input.absent) {
            inputs.emplace_back();
        } else if (is_leaf(argument)) {
            inputs.push_back(leaves[next++]);
        } else {
            const Variable& x = outputs[size_t(argument.call)][size_t(argument.output)];
            const Dtype dtype = dtype_of_argument(call, argument.input, in_float64);
            const Variable fitted =
                argument.as_it_is && x.dtype() == dtype ? x : in_range(x, argument.input, dtype);
            inputs.push_back(in_shape(fitted, argument.input.shape));
        }
    }
    std::map<std::string, LiteralValue, std::less<>> values;
    for (const auto& [name, text] : call.set) values[name] = parse_literal(text);
    const Variables found = call_function(call.row->function, inputs, values);
    return Values(found.begin(), found.end());
}

std::vector<Values> evaluate(const FunctionProgram& p, const Values& leaves, bool in_float64) {
    std::vector<Values> outputs;
    size_t next = 0;
    for (const FunctionProgram::Call& call : p.calls) {
        const size_t count =
            size_t(std::count_if(call.arguments.begin(), call.arguments.end(), is_leaf));
        outputs.push_back(evaluate(
            call, outputs, Values(leaves.begin() + long(next), leaves.begin() + long(next + count)),
            in_float64));
        next += count;
    }
    return outputs;
}

std::vector<std::pair<int, int>> results_of(const FunctionProgram& p,
                                            const std::vector<Values>& outputs) {
    std::vector<std::pair<int, int>> results;
    for (int c = 0; c < int(outputs.size()); ++c)
        for (int o = 0; o < int(outputs[size_t(c)].size()); ++o) {
            const bool used =
                std::any_of(p.calls.begin(), p.calls.end(), [&](const FunctionProgram::Call& call) {
                    return std::any_of(call.arguments.begin(), call.arguments.end(),
                                       [&](const auto& a) { return a.call == c && a.output == o; });
                });
            if (!used && outputs[size_t(c)][size_t(o)].defined()) results.emplace_back(c, o);
        }
    return results;
}

FunctionProgram calls_below(const FunctionProgram& p, int root) {
    std::vector<char> used(p.calls.size());
    used[size_t(root)] = 1;
    for (int i = root; i >= 0; --i)
        if (used[size_t(i)])
            for (const auto& argument : p.calls[size_t(i)].arguments)
                if (argument.call >= 0) used[size_t(argument.call)] = 1;
    FunctionProgram part = p;
    part.calls.clear();
    std::vector<int> renamed(p.calls.size());
    for (int i = 0; i <= root; ++i) {
        if (!used[size_t(i)]) continue;
        renamed[size_t(i)] = int(part.calls.size());
        part.calls.push_back(p.calls[size_t(i)]);
        for (auto& argument : part.calls.back().arguments)
            if (argument.call >= 0) argument.call = renamed[size_t(argument.call)];
    }
    return part;
}

std::string to_string(const FunctionProgram& p) {
    static const char* const layouts[] = {"", " strided", " with a stride of 0", " channels last",
                                          " at an offset"};
    std::string text = fmt::format("program {} in {}{}\n", p.seed, name_of(p.dtype),
                                   p.specials ? " with NaN, inf, ..." : "");
    for (size_t c = 0; c < p.calls.size(); ++c) {
        const FunctionProgram::Call& call = p.calls[c];
        text += fmt::format("  v{} = {}(", c, call.row->function);
        const char* comma = "";
        for (const auto& argument : call.arguments) {
            text += comma;
            comma = ", ";
            const Input& input = argument.input;
            if (input.absent) {
                text += "None";
                continue;
            }
            text +=
                argument.call < 0
                    ? fmt::format("{}{}{}", name_of(input.dtype.value_or(call.run)),
                                  catena::to_string(input.shape), layouts[size_t(argument.layout)])
                    : fmt::format("v{}[{}] as {}{}", argument.call, argument.output,
                                  name_of(input.dtype.value_or(call.run)),
                                  catena::to_string(input.shape));
            if (!input.values.empty())
                text += " given";
            else if (!argument.as_it_is)
                text += fmt::format(" in {}..{}", input.low, input.high);
        }
        for (const auto& [name, value] : call.set)
            text += fmt::format("{}{}={}", comma, name, value), comma = ", ";
        text += ")\n";
    }
    return text;
}

}  // namespace catena::fuzz
