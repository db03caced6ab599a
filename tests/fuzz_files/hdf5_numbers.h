#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/mutator.h"

namespace catena::fuzz {

/// An HDF5 file, and where the structures of its headers are, which begin with signatures of four
/// letters: found once for many changes.
class Hdf5Numbers {
public:
    explicit Hdf5Numbers(std::string content);
    const std::string& content() const { return content_; }

    /// The file with some numbers of its structures, and of what stands before the first of them,
    /// changed: sizes, counts, versions, types, addresses, also to those of other structures. A
    /// checksum that was right is right again.
    std::string changed(testing::Random& random);

private:
    size_t summed_bytes(size_t at);

    std::string content_;
    std::vector<size_t> structures_;
    std::map<size_t, size_t> summed_;  ///< Bytes before the checksum, of those that were changed.
};

/// Puts a byte at a distance from where a structure begins, with a right checksum.
void change_hdf5_byte(std::string& content, size_t structure, size_t distance, unsigned char value);

}  // namespace catena::fuzz
