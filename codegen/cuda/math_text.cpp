#include "codegen/cuda/math_text.h"

#include <fmt/format.h>

#include "codegen/cuda/scalar_text.h"
#include "runtime/scalar/math.h"

namespace catena::codegen::cuda {

namespace {

/// The machine of runtime/scalar/math.h: its values are names of variables, its steps lines of
/// text.
class WritingOps {
public:
    using F = std::string;
    using I = std::string;
    using B = std::string;

    explicit WritingOps(std::string& text) : text_(text) {}

    F constant(float value) const { return number_text(value); }
    I integer(int32_t value) const { return fmt::format("int({:#x}u)", uint32_t(value)); }
    F add(const F& x, const F& y) const { return let("float", "{} + {}", x, y); }
    F sub(const F& x, const F& y) const { return let("float", "{} - {}", x, y); }
    F mul(const F& x, const F& y) const { return let("float", "{} * {}", x, y); }
    F div(const F& x, const F& y) const { return let("float", "{} / {}", x, y); }
    F fma(const F& a, const F& b, const F& c) const {
        return let("float", "fmaf({}, {}, {})", a, b, c);
    }
    I bits(const F& x) const { return let("int", "__float_as_int({})", x); }
    F from_bits(const I& x) const { return let("float", "__int_as_float({})", x); }
    F to_float(const I& x) const { return let("float", "float({})", x); }
    // Integers wrap.
    I iadd(const I& x, const I& y) const {
        return let("int", "int(unsigned({}) + unsigned({}))", x, y);
    }
    I isub(const I& x, const I& y) const {
        return let("int", "int(unsigned({}) - unsigned({}))", x, y);
    }
    I iand(const I& x, const I& y) const { return let("int", "{} & {}", x, y); }
    I ior(const I& x, const I& y) const { return let("int", "{} | {}", x, y); }
    I ixor(const I& x, const I& y) const { return let("int", "{} ^ {}", x, y); }
    I shift_left(const I& x, int n) const { return let("int", "int(unsigned({}) << {})", x, n); }
    I shift_right(const I& x, int n) const { return let("int", "{} >> {}", x, n); }
    B less(const F& x, const F& y) const { return let("bool", "{} < {}", x, y); }
    B equal(const I& x, const I& y) const { return let("bool", "{} == {}", x, y); }
    F select(const B& c, const F& x, const F& y) const {
        return let("float", "{} ? {} : {}", c, x, y);
    }
    F libm_where(const B& where, const F& value, const F& x, math::LibmFunction function) const {
        return let("float", "{} ? {}({}) : {}", where,
                   function == math::LibmFunction::sin ? "sinf" : "cosf", x, value);
    }

private:
    template <class... Args>
    std::string let(const char* type, fmt::format_string<Args...> format, Args&&... args) const {
        std::string name = fmt::format("t{}", count_++);
        text_ += fmt::format("    const {} {} = {};\n", type, name,
                             fmt::format(format, std::forward<Args>(args)...));
        return name;
    }

    std::string& text_;
    mutable int count_ = 0;
};

using Writer = std::string (*)(const WritingOps&, const std::string&);
struct Function {
    std::string_view name;
    Writer write;
};
const Function functions[] = {
    {"math.exp",
     [](const WritingOps& ops, const std::string& x) { return math::exp_approx(ops, x); }},
    {"math.expm1",
     [](const WritingOps& ops, const std::string& x) { return math::expm1_approx(ops, x); }},
    {"math.log",
     [](const WritingOps& ops, const std::string& x) { return math::log_approx(ops, x); }},
    {"math.log1p",
     [](const WritingOps& ops, const std::string& x) { return math::log1p_approx(ops, x); }},
    {"math.tanh",
     [](const WritingOps& ops, const std::string& x) { return math::tanh_approx(ops, x); }},
    {"math.erf",
     [](const WritingOps& ops, const std::string& x) { return math::erf_approx(ops, x); }},
    {"math.erfc",
     [](const WritingOps& ops, const std::string& x) { return math::erfc_approx(ops, x); }},
    {"math.sin",
     [](const WritingOps& ops, const std::string& x) { return math::sin_approx(ops, x); }},
    {"math.cos",
     [](const WritingOps& ops, const std::string& x) { return math::cos_approx(ops, x); }},
};

const Function* find(std::string_view name) {
    for (const Function& function : functions)
        if (function.name == name) return &function;
    return nullptr;
}

}  // namespace

bool has_math_function(std::string_view name) { return find(name) != nullptr; }

std::string math_function_name(std::string_view name) {
    return "catena_" + std::string(name.substr(name.find('.') + 1));
}

std::string math_function_text(std::string_view name) {
    const Function* function = find(name);
    if (!function) return "";
    std::string steps;
    std::string result = function->write(WritingOps(steps), "x");
    return fmt::format(
        "static __device__ __forceinline__ float {}(float x) {{\n{}    return {};\n}}\n",
        math_function_name(name), steps, result);
}

}  // namespace catena::codegen::cuda
