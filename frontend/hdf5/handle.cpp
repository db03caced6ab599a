#include "frontend/hdf5/handle.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "runtime/core/fork.h"

namespace catena::hdf5 {
namespace {

std::recursive_mutex& library_mutex() {
    static std::recursive_mutex& mutex = taken_by_forks(*new std::recursive_mutex);
    return mutex;
}

herr_t keep_innermost(unsigned, const H5E_error2_t* error, void* text) {
    if (error->desc && *error->desc) *static_cast<std::string*>(text) = error->desc;
    return 0;
}

/// With the byte order of `like`. Invalid where no memory is left: half made it would be another.
Handle half_type(hid_t like) {
    Handle type(H5Tcopy(like), H5Tclose);
    const bool is_made = type.valid() && H5Tset_fields(type, 15, 10, 5, 0, 10) >= 0 &&
                         H5Tset_size(type, 2) >= 0 && H5Tset_ebias(type, 15) >= 0;
    return is_made ? std::move(type) : Handle();
}

Handle bool_type() {
    Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
    const int8_t no = 0, yes = 1;
    const bool is_made = type.valid() && H5Tenum_insert(type, "FALSE", &no) >= 0 &&
                         H5Tenum_insert(type, "TRUE", &yes) >= 0;
    return is_made ? std::move(type) : Handle();
}

}  // namespace

Lock::Lock() : guard_(library_mutex()) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);
}

std::string last_error() {
    std::string text = "no reason given";
    H5Ewalk2(
        H5E_DEFAULT, H5E_WALK_UPWARD,
        [](unsigned n, const H5E_error2_t* error, void* to) -> herr_t {
            return n == 0 ? keep_innermost(n, error, to) : 0;
        },
        &text);
    return text;
}

Handle type_of(Dtype dtype) {
    auto copy = [](hid_t type) { return Handle(H5Tcopy(type), H5Tclose); };
    switch (dtype) {
        case Dtype::bool_:
            return bool_type();
        case Dtype::int8:
            return copy(H5T_STD_I8LE);
        case Dtype::int16:
            return copy(H5T_STD_I16LE);
        case Dtype::int32:
            return copy(H5T_STD_I32LE);
        case Dtype::int64:
            return copy(H5T_STD_I64LE);
        case Dtype::uint8:
            return copy(H5T_STD_U8LE);
        case Dtype::float16:
            return half_type(H5T_IEEE_F32LE);
        case Dtype::bfloat16:
        case Dtype::float32:
            return copy(H5T_IEEE_F32LE);
        default:
            return copy(H5T_IEEE_F64LE);
    }
}

// A type of the same size with another bias, precision or offset would be read, and converted, as
// other numbers; a single bit of a header makes one of another.
std::optional<Dtype> dtype_of(hid_t type) {
    const struct {
        hid_t standard;
        Dtype dtype;
    } known[] = {
        {H5T_IEEE_F32LE, Dtype::float32}, {H5T_IEEE_F32BE, Dtype::float32},
        {H5T_IEEE_F64LE, Dtype::float64}, {H5T_IEEE_F64BE, Dtype::float64},
        {H5T_STD_I8LE, Dtype::int8},      {H5T_STD_I8BE, Dtype::int8},
        {H5T_STD_I16LE, Dtype::int16},    {H5T_STD_I16BE, Dtype::int16},
        {H5T_STD_I32LE, Dtype::int32},    {H5T_STD_I32BE, Dtype::int32},
        {H5T_STD_I64LE, Dtype::int64},    {H5T_STD_I64BE, Dtype::int64},
        {H5T_STD_U8LE, Dtype::uint8},     {H5T_STD_U8BE, Dtype::uint8},
        {H5T_STD_U16LE, Dtype::int32},    {H5T_STD_U16BE, Dtype::int32},
        {H5T_STD_U32LE, Dtype::int64},    {H5T_STD_U32BE, Dtype::int64},
        {H5T_STD_U64LE, Dtype::int64},    {H5T_STD_U64BE, Dtype::int64},
    };
    for (const auto& [standard, dtype] : known)
        if (H5Tequal(type, standard) > 0) return dtype;
    if (H5Tequal(type, bool_type()) > 0) return Dtype::bool_;
    for (const hid_t order : {H5T_IEEE_F32LE, H5T_IEEE_F32BE})
        if (H5Tequal(type, half_type(order)) > 0) return Dtype::float16;
    return std::nullopt;
}

bool is_uint64(hid_t type) {
    return H5Tequal(type, H5T_STD_U64LE) > 0 || H5Tequal(type, H5T_STD_U64BE) > 0;
}

std::string description_of(hid_t type) {
    static constexpr std::array names{
        "integers",  "floats",     "times",      "texts",        "bits",
        "raw bytes", "structures", "references", "enumerations", "lists of any length",
        "arrays"};
    const int kind = H5Tget_class(type);
    std::string text =
        kind >= 0 && kind < int(names.size()) ? names[size_t(kind)] : "unknown elements";
    text += fmt::format(" of {} bytes", H5Tget_size(type));
    if (kind == H5T_FLOAT) {
        size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
        H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits);
        text += fmt::format(" ({} bits of exponent with bias {}, {} of mantissa)", exponent_bits,
                            H5Tget_ebias(type), mantissa_bits);
    }
    if (kind == H5T_INTEGER)
        text += fmt::format(" ({} bits from bit {})", H5Tget_precision(type), H5Tget_offset(type));
    return text;
}

}  // namespace catena::hdf5
