#include "codegen/cpu/kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/cpu/kernel_analysis.h"
#include "codegen/launch_builder.h"
#include "runtime/program/reduction_blocks.h"

namespace catena::codegen {

namespace {

constexpr int64_t most_scratch_bytes = 512 * 1024;

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
    // Below this, one thread finishes before others have woken up.
    return {.smallest = 256 * 1024,
            .enough_units = 32,
            .elements_per_block = host_elements_per_block,
            .most_blocks = host_most_blocks,
            .units = [](const KernelProgram& program) { return shape_of(program).units; },
            .columns = plan_columns};
}

int row_scratch_rows(const KernelProgram& program) {
    int rows = find_row_scratch(program, KernelAnalysis(program)).slots;
    return rows * row_scratch_stride(program) <= most_scratch_bytes ? rows : 0;
}

double element_nanoseconds(const KernelProgram& program) {
    // Vector instructions at a few per nanosecond, bytes at second-level cache speed.
    double instructions = 0, bytes = 0;
    for (const KernelValue& value : program.values)
        instructions += value.name.starts_with("math.") ? 20 : 1;
    int inner = program.domain.rank() - 1;
    for_each_operand(program, [&](const KernelOperand& operand) {
        if (operand.strides[inner] != 0) bytes += double(size_of(operand.dtype));
    });
    return std::max(0.03 * instructions, 0.03 * bytes);
}

}  // namespace catena::codegen
