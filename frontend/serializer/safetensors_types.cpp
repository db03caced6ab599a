#include "frontend/serializer/safetensors_types.h"

#include "runtime/core/system/error.h"
#include "runtime/file/unsigned_elements.h"

namespace catena::safetensors {
namespace {

constexpr ElementType element_types[] = {
    {"BOOL", 8, Dtype::bool_},
    {"U8", 8, Dtype::uint8},
    {"I8", 8, Dtype::int8},
    {"I16", 16, Dtype::int16},
    {"U16", 16, widened_dtype(2), true},
    {"F16", 16, Dtype::float16},
    {"BF16", 16, Dtype::bfloat16},
    {"I32", 32, Dtype::int32},
    {"U32", 32, widened_dtype(4), true},
    {"F32", 32, Dtype::float32},
    {"I64", 64, Dtype::int64},
    {"U64", 64, widened_dtype(8), true},
    {"F64", 64, Dtype::float64},
    {"C64", 64, std::nullopt},
    {"F8_E5M2", 8, std::nullopt},
    {"F8_E4M3", 8, std::nullopt},
    {"F8_E8M0", 8, std::nullopt},
    {"F8_E5M2FNUZ", 8, std::nullopt},
    {"F8_E4M3FNUZ", 8, std::nullopt},
    {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},
    {"F4", 4, std::nullopt},
};

}  // namespace

const ElementType* find_element_type(std::string_view name) {
    for (const ElementType& type : element_types)
        if (type.name == name) return &type;
    return nullptr;
}

const ElementType& element_type_of(Dtype dtype) {
    for (const ElementType& type : element_types)
        if (type.dtype == dtype && !type.is_widened) return type;
    CATENA_ASSERT(false, "each dtype has a type in the format");
    return element_types[0];
}

std::string readable_types() {
    std::string text;
    for (const ElementType& type : element_types)
        if (type.dtype) text += (text.empty() ? "" : ", ") + std::string(type.name);
    return text;
}

}  // namespace catena::safetensors
