#include "frontend/c_export/c_element_function.h"

#include <algorithm>
#include <variant>

#include "frontend/c_export/c_text.h"
#include "runtime/core/array/device.h"

namespace catena {
namespace {

/// The type of an element in memory that held other types before.
std::string memory_type(Dtype dtype) {
    constexpr const char* names[dtype_count] = {"mem_u8",  "mem_i8", "mem_i16", "mem_i32",
                                                "mem_i64", "mem_u8", "mem_u16", "mem_u16",
                                                "mem_f32", "mem_f64"};
    return names[size_t(dtype)];
}

/// The type in which elements are computed.
const char* compute_type(Dtype dtype) {
    const Dtype computed = compute_dtype(dtype);
    return computed == Dtype::float64 ? "double" : computed == Dtype::float32 ? "float" : "i64";
}

std::string load(const std::string& stored, Dtype dtype) {
    if (dtype == Dtype::bool_) return fmt::format("({} != 0)", stored);
    if (dtype == Dtype::float16) return fmt::format("half_to_float({})", stored);
    if (dtype == Dtype::bfloat16) return fmt::format("bfloat16_to_float({})", stored);
    return stored;
}

/// C code that stores `value`, which is of the type T.
std::string store(const std::string& value, Dtype dtype) {
    switch (dtype) {
        case Dtype::bool_:
            return fmt::format("({} != 0)", value);
        case Dtype::float16:
            return fmt::format("float_to_half((float){})", value);
        case Dtype::bfloat16:
            return fmt::format("float_to_bfloat16((float){})", value);
        case Dtype::float32:
            return fmt::format("(float){}", value);
        case Dtype::float64:
            return fmt::format("(double){}", value);
        default:
            return fmt::format("({})(i64){}", c_type(dtype), value);
    }
}

std::string listed_arguments(const Dims& values) {
    std::string text;
    for (int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text.empty() ? "0" : text;
}

Array without_memory(const Type& type) { return Array::empty(type, meta_device()); }

void note(std::vector<int>& used, int k) {
    if (std::find(used.begin(), used.end(), k) == used.end()) used.push_back(k);
}

}  // namespace

CElementFunction::CElementFunction(const program::LibraryCall& made) {
    Arrays inputs, outputs;
    for (const program::View& view : made.inputs) inputs.push_back(without_memory(view.type));
    for (const program::View& view : made.outputs) outputs.push_back(without_memory(view.type));
    const std::vector<double> scalars(made.scalars.size());
    const KernelCall call{*made.op, inputs, outputs, made.attributes, scalars};
    const ElementProgram program = element_program(call, Threads::one);
    scratch_bytes_ = size_t(program.scratch) * sizeof(int64_t);
    for (const ElementPass& pass : program.passes)
        if (pass.count > 0) body_ += pass_text(call, pass);
    uses_scratch_ = has_word(body_, "scratch");
    for (std::vector<int>* list : {&inputs_, &outputs_, &scalars_})
        std::sort(list->begin(), list->end());
    auto parameter = [&](const std::string& text) { text_ += (text_.empty() ? "" : ", ") + text; };
    for (int k : inputs_) parameter(fmt::format("const void* in{}", k));
    for (int k : outputs_) parameter(fmt::format("void* out{}", k));
    if (uses_scratch_) parameter("mem_i64* scratch");
    for (int k : scalars_) parameter("double " + made.op->scalar_names[size_t(k)]);
    if (checks_places_) parameter("wrong_place* wrong");
    text_ = "(" + (text_.empty() ? "void" : text_) + ") {\n" + body_ + "}\n";
}

std::string CElementFunction::named(const std::string& name) const {
    return "static void " + name + text_;
}

std::string CElementFunction::pass_text(const KernelCall& call, const ElementPass& pass) {
    const CElementText code = c_element_text(pass.text);
    auto uses = [&](const std::string& word) { return has_word(code.body, word); };
    std::string text = fmt::format("    {{\n        typedef {} T;\n",
                                   memory_type(compute_dtype(call.outputs[0].dtype())));
    std::vector<std::string> macros = code.macros;
    auto number = [&](const std::string& name, int64_t value) {
        if (uses(name)) text += fmt::format("        const i64 {} = {};\n", name, value);
    };
    auto list = [&](const std::string& name, const Dims& values) {
        if (uses(name))
            text += fmt::format("        static const i64 {}[] = {{{}}};\n", name,
                                listed_arguments(values));
    };
    auto macro = [&](const std::string& name, const std::string& rest) {
        text += fmt::format("#define {}{}\n", name, rest);
        macros.push_back(name);
    };
    auto sizes = [&](const std::string& name, const Array& array) {
        if (uses(name + "_rank"))
            text += fmt::format("        enum {{ {}_rank = {} }};\n", name, array.rank());
        list(name + "_size", array.shape());
    };
    for (int k = 0; k < int(call.inputs.size()); ++k) {
        const Dtype dtype = call.inputs[size_t(k)].dtype();
        const std::string x = fmt::format("x{}", k), v = fmt::format("v{}", k),
                          p = fmt::format("p{}", k);
        sizes(x, call.inputs[size_t(k)]);
        if (!uses(x) && !uses(v) && !uses(p)) continue;
        note(inputs_, k);
        text += fmt::format("        const {}* const {} = in{};\n", memory_type(dtype), p, k);
        if (uses(x)) macro(x, fmt::format("(k) ((T){})", load(p + "[k]", dtype)));
        if (uses(v))
            macro(v, fmt::format("(k) (({}){})", compute_type(dtype), load(p + "[k]", dtype)));
    }
    for (int k = 0; k < int(call.outputs.size()); ++k) {
        const Dtype dtype = call.outputs[size_t(k)].dtype();
        const std::string y = fmt::format("y{}", k), q = fmt::format("q{}", k);
        sizes(y, call.outputs[size_t(k)]);
        if (!uses(y) && !uses(q)) continue;
        note(outputs_, k);
        text += fmt::format("        {}* const {} = out{};\n", memory_type(dtype), q, k);
        if (uses(y)) macro(y, fmt::format("(k, v) ({}[k] = {})", q, store("(T)(v)", dtype)));
    }
    for (const Attributes::Entry& entry : call.attributes.entries()) {
        if (const bool* flag = std::get_if<bool>(&entry.value)) number(entry.name, *flag);
        if (const int64_t* integer = std::get_if<int64_t>(&entry.value))
            number(entry.name, *integer);
        if (const Dims* dims = std::get_if<Dims>(&entry.value)) list(entry.name, *dims);
    }
    for (const auto& [name, value] : pass.numbers) number(name, value);
    number("count", pass.count);
    for (int k = 0; k < int(call.op.scalar_names.size()); ++k)
        if (uses(call.op.scalar_names[size_t(k)])) note(scalars_, k);
    if (uses("place_in")) {
        checks_places_ = true;
        macro("place_in", "(index, axis, size, wrap) find_place(index, axis, size, wrap, wrong)");
    }
    text += fmt::format("        for (i64 i = 0; i < {}; ++i) {{\n{}\n        }}\n    }}\n",
                        pass.count, code.body);
    for (const std::string& name : macros) text += "#undef " + name + "\n";
    return text;
}

namespace {

constexpr const char* types_text = R"(#include <stdbool.h>

/* Operations, written out by what their definitions say of an element. Integers wrap, products are not contracted. */
#if defined __clang__
#pragma STDC FP_CONTRACT OFF
#elif defined __GNUC__
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "wrapv")
#endif
#if defined __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-local-typedefs"
#pragma GCC diagnostic ignored "-Wunused-value"
#define MEMORY __attribute__((may_alias))
#else
#define MEMORY
#endif
typedef int64_t i64;
typedef uint64_t u64;
/* Elements in memory that held others before. */
typedef uint8_t MEMORY mem_u8;
typedef int8_t MEMORY mem_i8;
typedef int16_t MEMORY mem_i16;
typedef uint16_t MEMORY mem_u16;
typedef int32_t MEMORY mem_i32;
typedef int64_t MEMORY mem_i64;
typedef float MEMORY mem_f32;
typedef double MEMORY mem_f64;

)";

constexpr const char* end_text = R"(#if defined __GNUC__
#pragma GCC diagnostic pop
#if !defined __clang__
#pragma GCC pop_options
#endif
#endif

)";

struct Helper {
    const char* word;  ///< Needed if this word occurs.
    const char* text;
};
constexpr Helper bits_helpers[] = {
    {"float_of_bits", R"(static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

)"},
    {"bits_of_float", R"(static uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

)"},
};

// As runtime/core/dtype/half.h: to the nearest, ties to even; every NaN becomes a quiet one.
constexpr Helper half_helpers[] = {
    {"bfloat16_to_float",
     R"(static float bfloat16_to_float(uint16_t half) { return float_of_bits((uint32_t)half << 16); }

)"},
    {"float_to_bfloat16", R"(static uint16_t float_to_bfloat16(float value) {
    const uint32_t bits = bits_of_float(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((bits >> 16) | 0x40u);
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

)"},
    {"half_to_float", R"(static float half_to_float(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, magnitude = (uint32_t)(half & 0x7fffu) << 13;
    const uint32_t finite = bits_of_float(float_of_bits(magnitude) * float_of_bits(239u << 23));
    return float_of_bits(sign | ((half & 0x7fffu) >= 0x7c00u ? magnitude | 0x7f800000u : finite));
}

)"},
    {"float_to_half", R"(static uint16_t float_to_half(float value) {
    const uint32_t bits = bits_of_float(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
    if (magnitude < (113u << 23))
        return (uint16_t)(sign | (bits_of_float(float_of_bits(magnitude) + 0.5f) - bits_of_float(0.5f)));
    return (uint16_t)(sign | ((magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13));
}

)"},
};

constexpr const char* place_text = R"(/* The first index that was out of range. */
typedef struct wrong_place {
    int found, wrap;
    i64 index, axis, size;
} wrong_place;

static i64 find_place(i64 index, i64 axis, i64 size, int wrap, wrong_place* wrong) {
    if (index >= (wrap ? -size : 0) && index < size) return index < 0 ? index + size : index;
    if (!wrong->found) {
        const wrong_place found = {1, wrap, index, axis, size};
        *wrong = found;
    }
    return -1;
}

static int NAME_tell(NAME* program, const wrong_place* wrong, const char* op, const char* at) {
    const long long size = wrong->size;
    snprintf(program->error, sizeof program->error,
             "%s: index %lld is outside of axis %lld of size %lld, which takes %lld to %lld%s", op, (long long)wrong->index,
             (long long)wrong->axis, size, wrong->wrap ? -size : 0, size - 1, at);
    return 1;
}

)";

constexpr const char* copy_text = R"(/* Elements of `size` bytes, steps in elements. */
static void NAME_copy(unsigned char* to, const int64_t* to_step, const unsigned char* from, const int64_t* from_step,
                      const int64_t* sizes, int rank, int size) {
    int64_t at[8] = {0}, a = 0, b = 0;
    for (;;) {
        int d = rank - 1;
        for (int64_t k = 0; k < sizes[d]; ++k)
            for (int byte = 0; byte < size; ++byte)
                to[(a + k * to_step[d]) * size + byte] = from[(b + k * from_step[d]) * size + byte];
        while (--d >= 0) {
            a += to_step[d], b += from_step[d];
            if (++at[d] < sizes[d]) break;
            a -= at[d] * to_step[d], b -= at[d] * from_step[d];
            at[d] = 0;
        }
        if (d < 0) return;
    }
}

)";

std::string of_program(std::string text, const std::string& name) {
    for (size_t at = 0; (at = text.find("NAME", at)) != std::string::npos; at += name.size())
        text.replace(at, 4, name);
    return text;
}

}  // namespace

std::string c_element_support(const std::string& functions, const std::string& name) {
    if (functions.empty()) return "";
    std::string halves, bits;
    for (const Helper& helper : half_helpers)
        if (has_word(functions, helper.word)) halves += helper.text;
    for (const Helper& helper : bits_helpers)
        if (has_word(functions, helper.word) || has_word(halves, helper.word)) bits += helper.text;
    const std::string places =
        has_word(functions, "find_place") ? of_program(place_text, name) : "";
    return types_text + bits + halves + places + functions + end_text;
}

std::string c_copy_function(const std::string& name) { return of_program(copy_text, name); }

}  // namespace catena
