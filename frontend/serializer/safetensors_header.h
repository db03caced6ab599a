#pragma once

#include <cstdint>
#include <string>

#include "frontend/serializer/safetensors_types.h"
#include "runtime/file/file.h"

namespace catena::safetensors {

/// The longest header in bytes, as in the format's own library.
inline constexpr uint64_t longest_header = 100'000'000;

/// Reads and checks the header. FileError naming file, tensor and values where it is no header of
/// the format, where a tensor's bytes do not have the size of its shape, and where the tensors
/// overlap, leave a hole, or do not end at the end of the file.
Header read_header(const FileReader& file);
/// The header with its length in front, padded so that the tensors begin at a multiple of 8 bytes.
/// ValueError for a name or text that is not UTF-8, and for a header that is too long.
std::string header_text(const Header& header);

}  // namespace catena::safetensors
