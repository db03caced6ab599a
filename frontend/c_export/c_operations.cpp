#include "frontend/c_export/c_operations.h"

#include <algorithm>

#include "frontend/c_export/c_element_function.h"
#include "frontend/c_export/c_text.h"
#include "runtime/c/scratch.h"
#include "runtime/core/array/sizes.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/library_role.h"

namespace catena {
namespace {

using program::LibraryCall;

bool contiguous(const Type& type, const Strides& strides) {
    const Strides dense = contiguous_strides(type.shape);
    for (int d = 0; d < type.shape.rank(); ++d)
        if (type.shape[d] != 1 && strides[d] != dense[d]) return false;
    return true;
}

template <class List>
std::string listed(const List& list) {
    std::string text;
    for (int64_t value : list) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text.empty() ? "0" : text;
}

/// The values of three axes, of which those that are missing stand first.
std::string three(std::span<const int64_t> values, int64_t missing) {
    std::vector<int64_t> all(3 - values.size(), missing);
    all.insert(all.end(), values.begin(), values.end());
    return "{" + listed(all) + "}";
}

}  // namespace

size_t in_cache_lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

std::string COperations::statements(const LibraryCall& made,
                                    const std::vector<std::string>& addresses,
                                    const std::string& scratch) {
    Call call{made, {}, {}, scratch, {}, 0};
    auto operand = [&](const program::View& view) {
        const int64_t offset = view.offset * int64_t(size_of(view.type.dtype));
        return Operand{view.type, view.strides,
                       fmt::format("{} + {}", addresses[size_t(view.buffer)], offset)};
    };
    for (const program::View& view : made.inputs) call.inputs.push_back(operand(view));
    for (const program::View& view : made.outputs) call.outputs.push_back(operand(view));
    const OpDef& op = *made.op;
    const std::string who = fmt::format(
        "{}{}", op.name, made.location.line ? " (" + to_string(made.location) + ")" : "");
    if (!host_only_reason(op).empty())
        fail<ValueError>("export: {} cannot be exported to C: {}", who, host_only_reason(op));
    if (byte_count(call.outputs[0].type) == 0) return "";
    try {
        if (library(call)) {
            uses_library_ = true;
        } else if (has_element_plan(op)) {
            elements(call);
        } else if (op.kind == Kind::concat) {
            joined(call);
        } else {
            fail<ValueError>(
                "its definition has no element text; add one "
                "(runtime/ops/declare/device_form.h)");
        }
    } catch (const ValueError& error) {
        fail<ValueError>("export: {} cannot be exported to C: {}", who, error.what());
    }
    scratch_bytes_ = std::max(scratch_bytes_, call.bytes);
    return fmt::format("    {{ /* {} */\n{}    }}\n", c_comment(who), call.text);
}

std::string COperations::take_scratch(Call& call, size_t bytes) {
    const std::string address = fmt::format("{} + {}", call.scratch, call.bytes);
    call.bytes += in_cache_lines(bytes);
    return address;
}

void COperations::copy(Call& call, const Operand& from, const Operand& to) {
    const Shape& shape = from.type.shape;
    if (element_count(shape) == 0) return;
    const size_t size = size_of(from.type.dtype);
    if (contiguous(from.type, from.strides) && contiguous(to.type, to.strides)) {
        call.text += fmt::format("        memcpy({}, {}, {});\n", to.address, from.address,
                                 byte_count(from.type));
        return;
    }
    copies_ = true;
    call.text += fmt::format(
        "        {{\n            static const int64_t sizes[] = {{{}}}, from[] = {{{}}}, to[] = "
        "{{{}}};\n"
        "            {}_copy({}, to, {}, from, sizes, {}, {});\n        }}\n",
        listed(shape), listed(from.strides), listed(to.strides), name_, to.address, from.address,
        shape.rank(), size);
}

void COperations::make_contiguous(Call& call) {
    for (Operand& input : call.inputs) {
        if (contiguous(input.type, input.strides)) continue;
        const Operand dense{input.type, contiguous_strides(input.type.shape),
                            take_scratch(call, byte_count(input.type))};
        copy(call, input, dense);
        input = dense;
    }
}

void COperations::joined(Call& call) {
    const int axis = int(call.call.attributes.integer("axis"));
    Operand part = call.outputs[0];
    int64_t at = 0;
    for (const Operand& input : call.inputs) {
        part.type = input.type;
        part.address = fmt::format("{} + {}", call.outputs[0].address,
                                   at * part.strides[axis] * int64_t(size_of(input.type.dtype)));
        copy(call, input, part);
        at += input.type.shape[axis];
    }
}

void COperations::elements(Call& call) {
    make_contiguous(call);
    const CElementFunction function(call.call);
    if (function.empty()) return;
    const auto [entry, fresh] = numbers_.emplace(function.text(), int(numbers_.size()));
    const std::string name = fmt::format("{}_{}", name_, entry->second);
    if (fresh)
        functions_ +=
            fmt::format("/* {} */\n{}\n", c_comment(call.call.op->name), function.named(name));
    std::vector<std::string> arguments;
    for (int k : function.inputs()) arguments.push_back(call.inputs[size_t(k)].address);
    for (int k : function.outputs()) arguments.push_back(call.outputs[size_t(k)].address);
    if (function.uses_scratch())
        arguments.push_back("(mem_i64*)(void*)(" + take_scratch(call, function.scratch_bytes()) +
                            ")");
    for (int k : function.scalars())
        arguments.push_back(fmt::format("program->numbers[{}]", call.call.scalars[size_t(k)]));
    if (function.checks_places()) arguments.push_back("&wrong");
    std::string list;
    for (const std::string& argument : arguments) list += (list.empty() ? "" : ", ") + argument;
    if (function.checks_places()) call.text += "        wrong_place wrong = {0, 0, 0, 0, 0};\n";
    call.text += fmt::format("        {}({});\n", name, list);
    if (function.checks_places()) {
        const std::string at = to_string(call.call.location);
        call.text += fmt::format(
            "        if (wrong.found) return {}_tell(program, &wrong, {}, {});\n", name_,
            c_string(call.call.op->name), c_string(at.empty() ? "" : " (at " + at + ")"));
    }
}

/// A call of libcatena_c, when it has one for the op's role and these types.
bool COperations::library(Call& call) {
    const Dtype dtype = call.outputs[0].type.dtype;
    if (dtype != Dtype::float32 && dtype != Dtype::float64) return false;
    for (const Operand& input : call.inputs)
        if (input.type.dtype != dtype) return false;
    switch (library_role_of(*call.call.op)) {
        case LibraryRole::matmul:
            product(call);
            return true;
        case LibraryRole::convolution:
            convolution(call, 0, 1, -1);
            return true;
        case LibraryRole::convolution_data:
            convolution(call, -1, 1, 0);
            return true;
        case LibraryRole::convolution_weights:
            convolution(call, 0, -1, 1);
            return true;
        default:
            return false;
    }
}

namespace {

/// The name of a function of libcatena_c: "catena_c_product_f32_avx2".
std::string library_function(const char* what, Dtype dtype, const std::string& level) {
    return fmt::format("{}_{}_{}", what, dtype == Dtype::float32 ? "f32" : "f64", level);
}

}  // namespace

void COperations::product(Call& call) {
    const bool trans[] = {call.call.attributes.flag("transa"), call.call.attributes.flag("transb")};
    const Operand& y = call.outputs[0];
    const int rank = y.type.shape.rank();
    int64_t row[2], column[2];
    for (int k = 0; k < 2; ++k) {
        const int own = call.inputs[size_t(k)].type.shape.rank();
        row[k] = call.inputs[size_t(k)].strides[own - (trans[k] ? 1 : 2)];
        column[k] = call.inputs[size_t(k)].strides[own - (trans[k] ? 2 : 1)];
    }
    const Shape& a = call.inputs[0].type.shape;
    const int64_t rows = y.type.shape[rank - 2], columns = y.type.shape[rank - 1];
    const int64_t inner = a[a.rank() - (trans[0] ? 2 : 1)];
    const catena_c_product shape = {rows, columns, inner, row[0], column[0], row[1], column[1]};
    call.text += fmt::format(
        "        static const catena_c_product shape = {{{}, {}, {}, {}, {}, {}, {}}};\n", rows,
        columns, inner, row[0], column[0], row[1], column[1]);
    // Axes before the last two: a loop for each, along which an operand may repeat.
    std::string offsets[3], loops;
    for (int d = 0; d < rank - 2; ++d) {
        if (y.type.shape[d] == 1) continue;
        loops +=
            fmt::format("        for (int64_t i{0} = 0; i{0} < {1}; ++i{0})\n", d, y.type.shape[d]);
        for (int k = 0; k < 2; ++k) {
            const Operand& x = call.inputs[size_t(k)];
            const int own = d - (rank - x.type.shape.rank());
            if (own >= 0 && x.type.shape[own] != 1)
                offsets[k] += fmt::format(" + i{} * {}", d, x.strides[own]);
        }
        offsets[2] += fmt::format(" + i{} * {}", d, y.strides[d]);
    }
    const char* type = c_type(y.type.dtype);
    const size_t scratch = catena_c_product_scratch(&shape, size_of(y.type.dtype));
    call.text += fmt::format(
        "{0}        {1}(&shape, (const {2}*)({3}){4}, (const {2}*)({5}){6},\n            "
        "({2}*)({7}){8}, {9});\n",
        loops, library_function("catena_c_product", y.type.dtype, level_), type,
        call.inputs[0].address, offsets[0], call.inputs[1].address, offsets[1], y.address,
        offsets[2], take_scratch(call, scratch));
}

/// `x`, `W`, `y`: which input they are; -1 is the output.
void COperations::convolution(Call& call, int x, int W, int y) {
    make_contiguous(call);
    auto operand = [&](int k) -> const Operand& {
        return k < 0 ? call.outputs[0] : call.inputs[size_t(k)];
    };
    const Shape &sx = operand(x).type.shape, &sW = operand(W).type.shape,
                &sy = operand(y).type.shape;
    const Attributes& attributes = call.call.attributes;
    catena_c_convolution shape = {sx[0], sx[1], sy[1], attributes.integer("groups"), {}, {}, {},
                                  {},    {},    {}};
    auto fill = [](int64_t (&to)[3], std::span<const int64_t> values, int64_t missing) {
        for (size_t d = 0; d < 3; ++d)
            to[d] = d + values.size() < 3 ? missing : values[d + values.size() - 3];
        return three(values, missing);
    };
    auto spatial = [](const Shape& s) { return std::span<const int64_t>(s.begin() + 2, s.end()); };
    auto dims = [&](const char* name) {
        const Dims& values = attributes.dims(name);
        return std::span<const int64_t>(values.begin(), values.end());
    };
    const std::string sizes =
        fmt::format("{}, {}, {},\n             {}, {}, {}", fill(shape.size, spatial(sx), 1),
                    fill(shape.kernel, spatial(sW), 1), fill(shape.positions, spatial(sy), 1),
                    fill(shape.stride, dims("stride"), 1), fill(shape.pad, dims("pad"), 0),
                    fill(shape.dilate, dims("dilate"), 1));
    const char* what = y < 0   ? "catena_c_convolution"
                       : x < 0 ? "catena_c_convolution_data"
                               : "catena_c_convolution_weights";
    const Operand& result = call.outputs[0];
    const char* type = c_type(result.type.dtype);
    call.text += fmt::format(
        "        static const catena_c_convolution shape =\n            {{{}, {}, {}, {}, {}}};\n",
        shape.batch, shape.channels, shape.filters, shape.groups, sizes);
    call.text += fmt::format(
        "        {0}(&shape, (const {1}*)({2}), (const {1}*)({3}),\n            ({1}*)({4}), "
        "{5});\n",
        library_function(what, result.type.dtype, level_), type, call.inputs[0].address,
        call.inputs[1].address, result.address,
        take_scratch(call, catena_c_convolution_scratch(&shape, size_of(result.type.dtype))));
}

std::string COperations::functions() const {
    return (copies_ ? c_copy_function(name_) : "") + c_element_support(functions_, name_);
}

}  // namespace catena
