#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

/// A file of unsigned bytes in the IDX format, gzipped or not.
struct IdxFile {
    std::vector<int64_t> shape;
    std::vector<uint8_t> bytes;
};

/// catena::FileError, with what is wrong, unless the file is whole and has `rank` dimensions.
IdxFile read_idx(const std::filesystem::path& path, int rank);
