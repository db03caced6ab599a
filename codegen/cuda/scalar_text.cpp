#include "codegen/cuda/scalar_text.h"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "codegen/cuda/math_text.h"
#include "codegen/cuda/number_text.h"
#include "runtime/core/system/error.h"

namespace catena::codegen::cuda {

const char* text_of(Register r) {
    constexpr const char* texts[] = {"bool", "i64", "float", "double"};
    return texts[int(r)];
}

const char* storage_text(Dtype dtype) {
    switch (dtype) {
        case Dtype::bool_:
        case Dtype::uint8:
            return "u8";
        case Dtype::int8:
            return "i8";
        case Dtype::int16:
            return "i16";
        case Dtype::int32:
            return "i32";
        case Dtype::int64:
            return "i64";
        case Dtype::float16:
        case Dtype::bfloat16:
            return "u16";
        case Dtype::float32:
            return "float";
        default:
            return "double";
    }
}

std::string load_text(const std::string& stored, Dtype dtype, Register to) {
    switch (dtype) {
        case Dtype::bool_:
            return convert_text(fmt::format("({} != 0)", stored), Register::truth, to);
        case Dtype::float16:
            return convert_text(fmt::format("half_to_float({})", stored), Register::f32, to);
        case Dtype::bfloat16:
            return convert_text(fmt::format("bfloat16_to_float({})", stored), Register::f32, to);
        default:
            return to == Register::truth ? fmt::format("({} != 0)", stored)
                                         : fmt::format("{}({})", text_of(to), stored);
    }
}

std::string store_text(const std::string& value, Register from, Dtype dtype) {
    switch (dtype) {
        case Dtype::bool_:
            return fmt::format("u8({})", convert_text(value, from, Register::truth));
        case Dtype::float16:
            return fmt::format("float_to_half({})", convert_text(value, from, Register::f32));
        case Dtype::bfloat16:
            return fmt::format("float_to_bfloat16({})", convert_text(value, from, Register::f32));
        case Dtype::float32:
            return convert_text(value, from, Register::f32);
        case Dtype::float64:
            return convert_text(value, from, Register::f64);
        default:
            return fmt::format("{}({})", storage_text(dtype),
                               convert_text(value, from, Register::i64));
    }
}

std::string convert_text(const std::string& value, Register from, Register to) {
    if (from == to) return value;
    if (to == Register::truth) return fmt::format("({} != 0)", value);
    return fmt::format("{}({})", text_of(to), value);
}

std::string combine_text(Combine combine, Register type, const std::string& x,
                         const std::string& y) {
    const bool whole = type == Register::i64;
    switch (combine) {
        case Combine::sum:
            return whole ? fmt::format("wrap_add({}, {})", x, y) : fmt::format("{} + {}", x, y);
        case Combine::product:
            return whole ? fmt::format("wrap_mul({}, {})", x, y) : fmt::format("{} * {}", x, y);
        case Combine::maximum:
            return fmt::format("maximum({}, {})", x, y);
        default:
            return fmt::format("minimum({}, {})", x, y);
    }
}

std::string neutral_text(Combine combine, Register type) {
    double number = combine == Combine::product ? 1 : 0;
    if (combine == Combine::maximum) number = -std::numeric_limits<double>::infinity();
    if (combine == Combine::minimum) number = std::numeric_limits<double>::infinity();
    if (type == Register::f32) return number_text(float(number));
    if (type == Register::f64) return number_text(number);
    if (combine == Combine::maximum) return number_text(std::numeric_limits<int64_t>::min());
    if (combine == Combine::minimum) return number_text(std::numeric_limits<int64_t>::max());
    return number_text(int64_t(number));
}

namespace {

/// Operators of arith.cmpf by predicate: ordered ones are C++'s, the unordered are said as the
/// opposite of one.
std::string compare_text(bool floats, int predicate, const std::string& x, const std::string& y) {
    constexpr std::array<std::string_view, 16> float_texts = {"false",
                                                              "{0} == {1}",
                                                              "{0} > {1}",
                                                              "{0} >= {1}",
                                                              "{0} < {1}",
                                                              "{0} <= {1}",
                                                              "{0} < {1} || {0} > {1}",
                                                              "{0} == {0} && {1} == {1}",
                                                              "!({0} < {1} || {0} > {1})",
                                                              "!({0} <= {1})",
                                                              "!({0} < {1})",
                                                              "!({0} >= {1})",
                                                              "!({0} > {1})",
                                                              "{0} != {1}",
                                                              "{0} != {0} || {1} != {1}",
                                                              "true"};
    constexpr std::array<std::string_view, 10> integer_texts = {
        "{0} == {1}",          "{0} != {1}",          "{0} < {1}",           "{0} <= {1}",
        "{0} > {1}",           "{0} >= {1}",          "u64({0}) < u64({1})", "u64({0}) <= u64({1})",
        "u64({0}) > u64({1})", "u64({0}) >= u64({1})"};
    std::string_view text =
        floats ? float_texts.at(size_t(predicate)) : integer_texts.at(size_t(predicate));
    return fmt::format(fmt::runtime(text), x, y);
}

}  // namespace

std::string instruction_text(const KernelValue& value, const std::vector<std::string>& args,
                             std::set<Instruction>& math) {
    if (is_comparison(value.instruction))
        return compare_text(value.instruction == Instruction::cmpf, value.predicate, args[0],
                            args[1]);
    const InstructionFacts& facts = facts_of(value.instruction);
    if (value.type == Register::f32 && facts.has_steps) {
        math.insert(value.instruction);
        return fmt::format("{}({})", math_function_name(value.instruction), args[0]);
    }
    return fmt::format(fmt::runtime(facts.text), args[0], args.size() > 1 ? args[1] : "",
                       args.size() > 2 ? args[2] : "", fmt::arg("t", text_of(value.type)),
                       fmt::arg("f", value.type == Register::f32 ? "f" : ""));
}

namespace {

constexpr std::string_view helpers = R"(typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned long long u64;

// Operands; where the program's scalars lie, if they are not among the numbers; sizes and strides of the launch.
template <int P, int N>
struct Arguments {
    void* pointer[P];
    const double* scalars;
    i64 number[N];
};

template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
    T e[N];
};
template <int N, class T>
static __device__ __forceinline__ Pack<T, N> load(const T* from) {
    return *reinterpret_cast<const Pack<T, N>*>(from);
}
template <bool streaming, class T, int N>
static __device__ __forceinline__ void store(T* to, const Pack<T, N>& pack) {
    if constexpr (streaming && sizeof(pack) == 16)
        __stcs(reinterpret_cast<uint4*>(to), *reinterpret_cast<const uint4*>(&pack));
    else if constexpr (streaming && sizeof(pack) == 8)
        __stcs(reinterpret_cast<uint2*>(to), *reinterpret_cast<const uint2*>(&pack));
    else
        *reinterpret_cast<Pack<T, N>*>(to) = pack;
}

#ifndef CATENA_EMULATION
static __device__ __forceinline__ float half_to_float(u16 half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}
static __device__ __forceinline__ u16 float_to_half(float value) {
    u16 half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}
#endif
static __device__ __forceinline__ float bfloat16_to_float(u16 bits) { return __int_as_float(int(unsigned(bits) << 16)); }
// To nearest even; a NaN stays one.
static __device__ __forceinline__ u16 float_to_bfloat16(float value) {
    const unsigned bits = unsigned(__float_as_int(value));
    return u16((value != value ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static __device__ __forceinline__ i64 wrap_add(i64 x, i64 y) { return i64(u64(x) + u64(y)); }
static __device__ __forceinline__ i64 wrap_sub(i64 x, i64 y) { return i64(u64(x) - u64(y)); }
static __device__ __forceinline__ i64 wrap_mul(i64 x, i64 y) { return i64(u64(x) * u64(y)); }
// Towards zero; 0 when y is 0, no trap when the quotient overflows.
static __device__ __forceinline__ i64 safe_divide(i64 x, i64 y) { return y == 0 ? 0 : y == -1 ? wrap_sub(0, x) : x / y; }
static __device__ __forceinline__ i64 safe_remainder(i64 x, i64 y) { return y == 0 || y == -1 ? 0 : x % y; }

// Where element k of [N, channels, positions] lies when the channels are last; with the two exchanged, which element lies at k.
static __device__ __forceinline__ i64 channels_last(i64 k, i64 channels, i64 positions) {
    const i64 size = channels * positions;
    if ((k | size) >> 31 == 0) {  // Division of 64 bits is many times as slow.
        const unsigned within = unsigned(k) % unsigned(size);
        return i64(unsigned(k) - within + within % unsigned(positions) * unsigned(channels) + within / unsigned(positions));
    }
    const i64 within = k % size;
    return k - within + within % positions * channels + within / positions;
}
// Memory of an image by row-major numbers of its elements.
template <class T>
struct LastChannels {
    T* memory;
    i64 channels, positions;
    __device__ __forceinline__ T& operator[](i64 k) const { return memory[channels_last(k, channels, positions)]; }
};

// A NaN on either side stays.
template <class T>
static __device__ __forceinline__ T maximum(T x, T y) { return x != x ? x : x > y ? x : y; }
template <class T>
static __device__ __forceinline__ T minimum(T x, T y) { return x != x ? x : x < y ? x : y; }

)";

}  // namespace

std::string preamble_text(const std::set<Instruction>& math) {
    std::string text(helpers);
    for (Instruction instruction : math) text += math_function_text(instruction) + "\n";
    return text;
}

}  // namespace catena::codegen::cuda
