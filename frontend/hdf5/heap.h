#pragma once

#include <string>

#include "frontend/hdf5/file_numbers.h"

namespace catena::hdf5 {

/// The table of names of an older group.
class NameHeap {
public:
    NameHeap(const FileNumbers& file, uint64_t address);
    /// The name at this offset, up to its 0.
    std::string name_at(uint64_t offset) const;

private:
    const FileNumbers& file_;
    uint64_t address_;
    Numbers content_;
};

/// The table of objects of a newer group that has many: blocks that double in size, row by row.
class FractalHeap {
public:
    FractalHeap(const FileNumbers& file, uint64_t address);
    /// The object with that `id`.
    Numbers object(Numbers id) const;

private:
    uint64_t row_bytes(uint64_t row) const { return row == 0 ? least_ : least_ << (row - 1); }
    Numbers in_block(uint64_t block, uint64_t block_bytes, uint64_t offset, uint64_t bytes) const;
    Numbers in_rows(uint64_t block, uint64_t rows, uint64_t offset, uint64_t bytes,
                    int depth) const;

    const FileNumbers& file_;
    uint64_t address_, id_bytes_ = 0, width_ = 0, least_ = 0, most_ = 0, bits_ = 0, root_ = 0,
                       rows_ = 0, length_bytes_ = 0;
};

}  // namespace catena::hdf5
