#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace catena {

/// Element types. float16 and bfloat16 are storage types: arithmetic on them is done in float32.
enum class Dtype : uint8_t {
    bool_,
    int8,
    int16,
    int32,
    int64,
    uint8,
    float16,
    bfloat16,
    float32,
    float64,
};
/// The number of dtypes.
inline constexpr int dtype_count = 10;

/// Bytes of one element.
inline size_t size_of(Dtype dtype) {
    constexpr uint8_t bytes[dtype_count] = {1, 1, 2, 4, 8, 1, 2, 2, 4, 8};
    return bytes[size_t(dtype)];
}
/// NumPy's name: "float32", "bool", "bfloat16", ...
std::string_view name_of(Dtype dtype);
/// Inverse of name_of; DtypeError on an unknown name.
Dtype parse_dtype(std::string_view name);
/// Whether it is float16, bfloat16, float32 or float64.
inline bool is_float(Dtype d) { return d >= Dtype::float16; }
/// Whether it is int8, int16, int32, int64 or uint8; bool is not.
inline bool is_integer(Dtype d) { return d >= Dtype::int8 && d <= Dtype::uint8; }

/// The type of an operation on a and b, as ChainerX has it: bool yields; floats beat integers
/// whatever their size; within a kind the larger wins; int8 with uint8 gives int16; float16 with
/// bfloat16 gives float32.
Dtype promote(Dtype a, Dtype b);

/// The type a formula is evaluated in: float64, float32 (also for the 16-bit floats) or int64.
Dtype compute_dtype(Dtype dtype);

/// 16-bit floats with round-to-nearest-even conversions; no arithmetic of their own.
struct Half {
    /// The bits.
    uint16_t bits = 0;
    Half() = default;
    /// The nearest number.
    explicit Half(float value);
    /// The number, exactly.
    operator float() const;
};
/// The upper half of a float: 8 bits of exponent and 7 of mantissa.
struct BFloat16 {
    /// The bits.
    uint16_t bits = 0;
    BFloat16() = default;
    /// The nearest number.
    explicit BFloat16(float value);
    /// The number, exactly.
    operator float() const;
};

/// The dtype of the C++ type of an element, as `value`.
template <class T>
struct DtypeOf;
/// The dtype of bool.
template <>
struct DtypeOf<bool> {
    /// The dtype.
    static constexpr Dtype value = Dtype::bool_;
};
/// The dtype of int8_t.
template <>
struct DtypeOf<int8_t> {
    /// The dtype.
    static constexpr Dtype value = Dtype::int8;
};
/// The dtype of int16_t.
template <>
struct DtypeOf<int16_t> {
    /// The dtype.
    static constexpr Dtype value = Dtype::int16;
};
/// The dtype of int32_t.
template <>
struct DtypeOf<int32_t> {
    /// The dtype.
    static constexpr Dtype value = Dtype::int32;
};
/// The dtype of int64_t.
template <>
struct DtypeOf<int64_t> {
    /// The dtype.
    static constexpr Dtype value = Dtype::int64;
};
/// The dtype of uint8_t.
template <>
struct DtypeOf<uint8_t> {
    /// The dtype.
    static constexpr Dtype value = Dtype::uint8;
};
/// The dtype of Half.
template <>
struct DtypeOf<Half> {
    /// The dtype.
    static constexpr Dtype value = Dtype::float16;
};
/// The dtype of BFloat16.
template <>
struct DtypeOf<BFloat16> {
    /// The dtype.
    static constexpr Dtype value = Dtype::bfloat16;
};
/// The dtype of float.
template <>
struct DtypeOf<float> {
    /// The dtype.
    static constexpr Dtype value = Dtype::float32;
};
/// The dtype of double.
template <>
struct DtypeOf<double> {
    /// The dtype.
    static constexpr Dtype value = Dtype::float64;
};
/// The dtype of a C++ type: `dtype_of<float>` is Dtype::float32.
template <class T>
inline constexpr Dtype dtype_of = DtypeOf<T>::value;
/// The C++ types of elements: bool, int8_t to int64_t, uint8_t, Half, BFloat16, float, double.
/// Convert others first (size_t to int64_t).
template <class T>
concept Element = requires { DtypeOf<T>::value; };

/// Calls f with a value of the C++ type that stores `dtype`; returns what f returns.
template <class F>
decltype(auto) visit_dtype(Dtype dtype, F&& f) {
    switch (dtype) {
        case Dtype::bool_:
            return f(bool());
        case Dtype::int8:
            return f(int8_t());
        case Dtype::int16:
            return f(int16_t());
        case Dtype::int32:
            return f(int32_t());
        case Dtype::int64:
            return f(int64_t());
        case Dtype::uint8:
            return f(uint8_t());
        case Dtype::float16:
            return f(Half());
        case Dtype::bfloat16:
            return f(BFloat16());
        case Dtype::float32:
            return f(float());
        default:
            return f(double());
    }
}

}  // namespace catena
