#include "codegen/cpu/kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/cpu/kernel_analysis.h"
#include "codegen/launch_builder.h"

namespace catena::codegen {

KernelShape shape_of(const KernelProgram& program) {
    KernelShape shape;
    int inner = program.domain.rank() - 1;
    shape.lanes_reduced = program.is_reduced(inner);
    for (int dim = 0; dim < inner; ++dim)
        if (!program.is_reduced(dim) && !program.is_serial(dim)) shape.units *= program.domain[dim];
    if (shape.lanes_reduced) return shape;
    shape.block = program.reduced ? 256 : 1024;
    shape.blocks = (program.domain[inner] + shape.block - 1) / shape.block;
    shape.units *= shape.blocks;
    return shape;
}

StrideClass stride_class(const KernelProgram& program, const KernelOperand& operand, int dim) {
    if (operand.strides[dim] == 0) return StrideClass::zero;
    bool inner = dim == program.domain.rank() - 1;
    return inner && operand.strides[dim] == 1 ? StrideClass::one : StrideClass::general;
}

namespace {

constexpr int64_t most_scratch_bytes = 512 * 1024;

/// Bytes from one value's row to the next: elements of up to 8 bytes, whole vectors.
int64_t scratch_stride(const KernelProgram& program) {
    return (program.domain[program.domain.rank() - 1] * 8 + 64 + 63) / 64 * 64;
}

template <class F>
void for_each_operand(const KernelProgram& program, F&& f) {
    for (const KernelOperand& input : program.inputs) f(input);
    for (const KernelProgram::Output& output : program.outputs) f(output.to);
}

std::string operand_text(const KernelProgram& program, const KernelOperand& operand) {
    std::string text(catena::name_of(operand.dtype));
    for (int dim = 0; dim < program.domain.rank(); ++dim)
        text += "01s"[int(stride_class(program, operand, dim))];
    return text;
}

std::string value_text(const KernelValue& v) {
    constexpr const char* kinds[] = {"load", "scalar", "constant", "", "convert", "round", "reduce"};
    std::string text = fmt::format("{}{}:{}", kinds[int(v.kind)], v.name, name_of(v.type));
    switch (v.kind) {
        case KernelValue::Kind::load:
        case KernelValue::Kind::scalar: text += fmt::format(" {}", v.operand); break;
        case KernelValue::Kind::constant: text += fmt::format(" {:a} {}", v.number, v.integer); break;
        case KernelValue::Kind::instruction: text += v.attribute_text; break;
        case KernelValue::Kind::round: text += fmt::format(" {}", catena::name_of(v.dtype)); break;
        case KernelValue::Kind::reduction: text += fmt::format(" {} {}", int(v.combine), v.columns); break;
        default: break;
    }
    for (int arg : v.args) text += fmt::format(" %{}", arg);
    return text;
}

}  // namespace

std::vector<int64_t> kernel_numbers(const KernelProgram& program) {
    KernelShape shape = shape_of(program);
    std::vector<int64_t> numbers(program.domain.begin(), program.domain.end());
    numbers.push_back(shape.block);
    numbers.push_back(shape.blocks);
    numbers.push_back(program.split_size);
    numbers.push_back(scratch_stride(program));
    for_each_operand(program, [&](const KernelOperand& operand) {
        for (int dim = 0; dim < program.domain.rank(); ++dim)
            if (stride_class(program, operand, dim) == StrideClass::general)
                numbers.push_back(operand.strides[dim]);
    });
    return numbers;
}

std::string kernel_key(const KernelProgram& program, const KernelOptions& options,
                       const Target& target) {
    std::string text = fmt::format("{} fast_math={} streaming={} row_scratch={} split={} serial={} dims=", target.key,
                                   options.fast_math, options.streaming, options.row_scratch, program.split,
                                   program.serial);
    for (int dim = 0; dim < program.domain.rank(); ++dim) text += "PR"[program.is_reduced(dim)];
    for (const KernelOperand& input : program.inputs) text += "\nin " + operand_text(program, input);
    for (const KernelValue& value : program.values) text += "\n" + value_text(value);
    for (const KernelProgram::Output& output : program.outputs)
        text += fmt::format("\nout %{} {} {}", output.value, operand_text(program, output.to),
                            output.accumulate ? int(*output.accumulate) : -1);
    return text;
}

SplitRule split_rule() {
    // Below the smallest, one thread is done before others have woken up.
    return {.smallest = 256 * 1024,
            .enough_units = 32,
            .elements_per_block = 32 * 1024,
            .most_blocks = 1024,
            .units = [](const KernelProgram& program) { return shape_of(program).units; },
            .columns = plan_columns};
}

int64_t row_scratch_bytes(const KernelProgram& program) {
    int64_t bytes = find_row_scratch(program, KernelAnalysis(program)).slots * scratch_stride(program);
    return bytes <= most_scratch_bytes ? bytes : 0;
}

double unit_nanoseconds(const KernelProgram& program) {
    // Per element: vector instructions at a few per nanosecond, bytes at second-level cache speed.
    double instructions = 0, bytes = 0;
    for (const KernelValue& value : program.values)
        instructions += value.name.starts_with("math.") ? 20 : 1;
    int inner = program.domain.rank() - 1;
    for_each_operand(program, [&](const KernelOperand& operand) {
        if (operand.strides[inner] != 0) bytes += double(size_of(operand.dtype));
    });
    double per_element = std::max(0.03 * instructions, 0.03 * bytes);
    double elements = double(element_count(program.domain));
    double units = double(std::max<int64_t>(shape_of(program).units, 1));
    return 20 + per_element * elements / units;
}

}  // namespace catena::codegen
