#pragma once

#include <string>

#include "tests/support/mutator.h"

namespace catena::fuzz {

/// Changes numbers in the structures of an HDF5 file, which begin with signatures of four letters,
/// and in what stands before the first of them: sizes, counts, versions, types, addresses, also to
/// those of other structures. A checksum that was right is right again.
void change_hdf5_numbers(std::string& content, testing::Random& random);

/// Puts a byte at a distance from where a structure begins, with a right checksum.
void change_hdf5_byte(std::string& content, size_t structure, size_t distance, unsigned char value);

}  // namespace catena::fuzz
