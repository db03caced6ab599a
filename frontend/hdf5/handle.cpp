#include "frontend/hdf5/handle.h"

#include <cstdint>

#include "runtime/core/system/fork.h"

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

/// Invalid where no memory is left: half made it would be another.
Handle half_type() {
    Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
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
            return half_type();
        case Dtype::bfloat16:
        case Dtype::float32:
            return copy(H5T_IEEE_F32LE);
        default:
            return copy(H5T_IEEE_F64LE);
    }
}

}  // namespace catena::hdf5
