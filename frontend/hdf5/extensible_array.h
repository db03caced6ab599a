#pragma once

#include <map>
#include <optional>

#include "frontend/hdf5/file_numbers.h"

namespace catena::hdf5 {

/// An array in the file that grows at its end: some elements in its index, then blocks of elements,
/// which become larger, then blocks of addresses of such blocks.
class ExtensibleArray {
public:
    ExtensibleArray(const FileNumbers& file, uint64_t address);
    uint64_t element_bytes() const { return element_bytes_; }
    /// The element of that number; none where it was never written.
    std::optional<Numbers> element(uint64_t number) const;

private:
    std::optional<Numbers> in_block(uint64_t address, uint64_t block_elements, uint64_t number,
                                    bool page_is_written) const;
    std::optional<Numbers> in_super_block(uint64_t address, uint64_t block, uint64_t blocks,
                                          uint64_t block_elements, uint64_t number) const;
    const Numbers& kept(uint64_t address, uint64_t bytes, const char* signature) const;

    const FileNumbers& file_;
    uint64_t address_, element_bytes_ = 0, bits_ = 0, in_index_ = 0, least_ = 0,
                       least_pointers_ = 0, page_ = 0, index_ = 0;
    /// The blocks by address, each read and checked once.
    mutable std::map<uint64_t, Numbers> blocks_;
};

}  // namespace catena::hdf5
