#include "codegen/cuda/value_text.h"

#include "codegen/cuda/number_text.h"
#include "codegen/cuda/scalar_text.h"
#include "runtime/core/system/error.h"

namespace catena::codegen::cuda {

using Kind = KernelValue::Kind;

namespace {

std::string constant_text(const KernelValue& value) {
    switch (value.type) {
        case Register::truth:
            return value.integer ? "true" : "false";
        case Register::i64:
            return number_text(value.integer);
        case Register::f32:
            return number_text(float(value.number));
        default:
            return number_text(value.number);
    }
}

}  // namespace

void ValueText::write(const std::vector<int>& values) {
    std::vector<int> copied;
    for (int v : values) {
        const KernelValue& value = w.kernel.values[size_t(v)];
        if (!w.in_copies(v)) {
            w.lines.line("const {} v{} = {};", text_of(value.type), v, value_text(v, "0"));
            continue;
        }
        copied.push_back(v);
        w.lines.line("{} v{}[{}];", text_of(value.type), v, w.layout.vector);
        if (value.kind == Kind::load &&
            w.stride(value.operand, w.kernel.inner()) == StrideClass::one)
            w.lines.line("const Pack<{0}, {1}> in{2} = load<{1}>(p{3} + {4});",
                         storage_text(w.kernel.operand(value.operand).dtype), w.layout.vector, v,
                         value.operand, offset_of(value.operand));
    }
    if (copied.empty()) return;
    w.open_copies();
    for (int v : copied) w.lines.line("v{}[c] = {};", v, value_text(v, "c"));
    w.lines.close();
}

std::string ValueText::offset_of(int o) const {
    return fmt::format("{}{}", w.level_of_operand(o) == Level::step ? "q" : "o", o);
}

std::string ValueText::element_text(int v, const std::string& c) const {
    const int o = w.kernel.values[size_t(v)].operand, inner = w.kernel.inner();
    if (w.level_of_operand(o) == Level::thread) return fmt::format("p{}[0]", o);
    if (!w.in_copies(v)) return fmt::format("p{}[{}]", o, offset_of(o));
    if (w.stride(o, inner) == StrideClass::one) return fmt::format("in{}.e[{}]", v, c);
    return fmt::format("p{0}[{1} + {2} * s{0}_{3}]", o, offset_of(o), c, inner);
}

std::string ValueText::scalar_text(int scalar) const {
    if (!w.layout.scalars_by_value) return fmt::format("a.scalars[{}]", scalar);
    return fmt::format("__longlong_as_double(a.number[{}])", w.first_scalar + scalar);
}

std::string ValueText::value_text(int v, const std::string& c) {
    const KernelValue& value = w.kernel.values[size_t(v)];
    std::vector<std::string> args;
    for (int arg : value.args) args.push_back(w.name_of(arg, c));
    switch (value.kind) {
        case Kind::load:
            return load_text(element_text(v, c), w.kernel.operand(value.operand).dtype, value.type);
        case Kind::scalar:
            return convert_text(scalar_text(value.operand), Register::f64, value.type);
        case Kind::constant:
            return constant_text(value);
        case Kind::convert:
            return convert_text(args[0], w.kernel.values[size_t(value.args[0])].type, value.type);
        case Kind::round:
            return load_text(store_text(args[0], value.type, value.dtype), value.dtype, value.type);
        default:
            return instruction_text(value, args, w.math);
    }
}

void ValueText::store(const std::vector<int>& outputs, const char* offset) {
    for (int output : outputs) {
        const int o = w.kernel.operand_of_output(output), v = w.kernel.stores[size_t(output)].value;
        const std::string at =
            w.level_of_operand(o) == Level::thread ? "0" : fmt::format("{}{}", offset, o);
        store_elements(o, v, at);
    }
}

void ValueText::store_elements(int o, int v, const std::string& at) {
    const Dtype dtype = w.kernel.operand(o).dtype;
    const Register from = w.kernel.values[size_t(v)].type;
    const StrideClass stride = w.stride(o, w.kernel.inner());
    // All lanes of what does not vary hold the same.
    if (w.layout.vector == 1 || stride == StrideClass::zero) {
        w.lines.line("p{}[{}] = {};", o, at, store_text(w.name_of(v, "0"), from, dtype));
        return;
    }
    CATENA_ASSERT(stride == StrideClass::one, "a kernel's output is not contiguous");
    w.lines.open("{{");
    w.lines.line("Pack<{}, {}> out;", storage_text(dtype), w.layout.vector);
    w.open_copies();
    w.lines.line("out.e[c] = {};", store_text(w.name_of(v, "c"), from, dtype));
    w.lines.close();
    w.lines.line("store<{}>(p{} + {}, out);", w.layout.streaming, o, at);
    w.lines.close();
}

}  // namespace catena::codegen::cuda
