#pragma once

#include <functional>

#include "frontend/hdf5/dataset.h"

namespace catena::hdf5 {

/// A chunk of a dataset that is in the file.
struct Chunk {
    Sizes at;  ///< Indices of the chunk's first element.
    uint64_t address = 0;
    uint64_t bytes = 0;  ///< Number of bytes in the file.
    uint64_t mask = 0;   ///< The filters that were left out: bit i for filter i.
};

/// Calls `call` with each chunk that is in the file and begins inside of the dataset's sizes, by
/// whatever index the file has. `chunk_bytes`: the size of a chunk without filters. FileError where
/// the index is damaged.
void for_each_chunk(const FileNumbers& file, const DatasetHeader& dataset, uint64_t chunk_bytes,
                    const std::function<void(const Chunk&)>& call);

}  // namespace catena::hdf5
