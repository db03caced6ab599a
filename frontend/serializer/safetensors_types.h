#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/array/shape.h"
#include "runtime/core/dtype/dtype.h"

namespace catena::safetensors {

/// An element type of the format.
struct ElementType {
    std::string_view name;  ///< The name in files: "F32".
    int bits;
    std::optional<Dtype> dtype;  ///< What it is read as; none: Catena has nothing that holds it.
    bool is_widened = false;     ///< Unsigned, read into the next larger signed integer.
};
/// The format's type of that name; null if it has none.
const ElementType* find_element_type(std::string_view name);
/// The format's type that a dtype is written as.
const ElementType& element_type_of(Dtype dtype);
/// The dtypes that can be read, as text: "BOOL, U8, I8, ...".
std::string readable_types();

/// What the header says of one tensor.
struct Tensor {
    std::string name;
    const ElementType* type = nullptr;
    Shape shape;
    /// Where the tensor's bytes are, counted from the first one after the header.
    uint64_t begin = 0, end = 0;
};

struct Header {
    std::vector<Tensor> tensors;  ///< The tensors in the header's order.
    std::map<std::string, std::string, std::less<>> metadata;
    uint64_t data_begin = 0;  ///< The first byte after the header.
};

/// The name that holds the metadata, which no tensor can have.
inline constexpr std::string_view metadata_name = "__metadata__";

}  // namespace catena::safetensors
