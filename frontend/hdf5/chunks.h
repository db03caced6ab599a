#pragma once

#include <functional>

#include "frontend/hdf5/dataset.h"

namespace catena::hdf5 {

/// A chunk that is in the file.
struct Chunk {
    Sizes at;  ///< Its first element.
    uint64_t address = 0;
    uint64_t bytes = 0;  ///< In the file.
    uint64_t mask = 0;   ///< Bit i: filter i was left out.
};

/// Calls with each chunk that is in the file and begins inside of the dataset's sizes, whatever
/// they are found by. `chunk_bytes`: of one without filters. FileError where the index is damaged.
void for_each_chunk(const FileNumbers& file, const DatasetHeader& dataset, uint64_t chunk_bytes,
                    const std::function<void(const Chunk&)>& call);

}  // namespace catena::hdf5
