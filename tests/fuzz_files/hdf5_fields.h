#pragma once

#include <cstdint>
#include <string>

namespace catena::fuzz {

/// Lets libhdf5 write an HDF5 file with types of every class and form, ranks, sizes, chunks,
/// filters, layouts, fill values, attributes, groups in each other and links that lead back: one
/// for 32 seeds that follow each other. In most of them numbers of its headers, heaps and trees are
/// changed then, with right checksums.
void write_random_hdf5(const std::string& path, uint64_t seed);

}  // namespace catena::fuzz
