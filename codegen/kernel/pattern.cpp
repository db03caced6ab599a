#include "codegen/kernel/pattern.h"

#include <fmt/format.h>

#include "codegen/kernel/hex_float.h"

namespace catena::codegen {

namespace {

std::string operand_text(const Kernel& kernel, const KernelOperand& operand) {
    std::string text(catena::name_of(operand.dtype));
    for (int dim = 0; dim < kernel.domain.rank(); ++dim)
        text += "01s"[int(stride_class(kernel, operand, dim))];
    return text;
}

std::string value_text(const KernelValue& v) {
    constexpr const char* kinds[] = {"load",    "scalar", "constant", "",
                                     "convert", "round",  "reduce"};
    const bool instruction = v.kind == KernelValue::Kind::instruction;
    std::string text =
        fmt::format("{}:{}", instruction ? facts_of(v.instruction).operation : kinds[int(v.kind)],
                    name_of(v.type));
    switch (v.kind) {
        case KernelValue::Kind::load:
        case KernelValue::Kind::scalar:
            text += fmt::format(" {}", v.operand);
            break;
        case KernelValue::Kind::constant:
            text += fmt::format(" {} {}", hex_float(v.number), v.integer);
            break;
        case KernelValue::Kind::instruction:
            if (is_comparison(v.instruction)) text += fmt::format(" {}", v.predicate);
            break;
        case KernelValue::Kind::round:
            text += fmt::format(" {}", catena::name_of(v.dtype));
            break;
        case KernelValue::Kind::reduction:
            text += fmt::format(" {} {}", int(v.combine), v.columns);
            break;
        default:
            break;
    }
    for (int arg : v.args) text += fmt::format(" %{}", arg);
    return text;
}

}  // namespace

std::string pattern_of(const Kernel& kernel) {
    std::string text = fmt::format("split={} serial={} dims=", kernel.split, kernel.serial);
    for (int dim = 0; dim < kernel.domain.rank(); ++dim) text += "PR"[kernel.is_reduced(dim)];
    for (const KernelOperand& input : kernel.inputs) text += "\nin " + operand_text(kernel, input);
    for (const KernelValue& value : kernel.values) text += "\n" + value_text(value);
    for (size_t o = 0; o < kernel.outputs.size(); ++o) {
        const KernelStore& store = kernel.stores[o];
        text += fmt::format("\nout %{} {} {}", store.value, operand_text(kernel, kernel.outputs[o]),
                            store.accumulate ? int(*store.accumulate) : -1);
    }
    return text;
}

}  // namespace catena::codegen
