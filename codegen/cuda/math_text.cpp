#include "codegen/cuda/math_text.h"

#include <fmt/format.h>

#include "codegen/cuda/number_text.h"
#include "codegen/kernel/math_steps.h"
#include "runtime/core/system/error.h"

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

}  // namespace

std::string math_function_name(Instruction instruction) {
    return std::string("catena_") + facts_of(instruction).library;
}

std::string math_function_text(Instruction instruction) {
    std::string steps;
    const std::optional<std::string> result =
        take_steps(WritingOps(steps), instruction, std::string("x"));
    CATENA_ASSERT(result.has_value(), "only instructions with steps are functions");
    return fmt::format(
        "static __device__ __forceinline__ float {}(float x) {{\n{}    return {};\n}}\n",
        math_function_name(instruction), steps, *result);
}

}  // namespace catena::codegen::cuda
