#pragma once

#include <optional>
#include <string>

#include "frontend/hdf5/object_header.h"
#include "runtime/core/dtype/dtype.h"

namespace catena::hdf5 {

/// The type of a dataset's elements, without the members of compound types.
struct ElementType {
    uint64_t bytes = 0;  ///< Bytes of an element in the file.
    /// The dtype for elements of a standard type, in either byte order: unsigned 16 and 32 bits
    /// become the next larger signed one, and 64 bits int64. A type of the same size with another
    /// bias, precision or offset would be other numbers; a single bit of a header makes one of
    /// another.
    std::optional<Dtype> dtype;
    bool is_unsigned = false, is_big_endian = false;
    bool is_text = false;  ///< True for texts of fixed length.
    /// The type in words: "floats of 4 bytes (8 bits of exponent with bias 125, ...)".
    std::string description;
};

/// Reads a type from a header's message, or, where the message is shared, from the object that it
/// names.
ElementType type_from(const FileNumbers& file, const Message& message);

}  // namespace catena::hdf5
