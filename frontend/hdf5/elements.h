#pragma once

#include <string>

#include "frontend/hdf5/dataset.h"

namespace catena::hdf5 {

/// How much of a dataset is in the file.
struct Stored {
    uint64_t bytes = 0;   ///< Bytes of the stored elements; at most the size of the file.
    uint64_t chunks = 0;  ///< Number of chunks that were written.
};
Stored stored_of(const FileNumbers& file, const DatasetHeader& dataset);

/// The bytes of a chunk without filters; ~0 where 64 bits cannot hold the number.
uint64_t chunk_bytes_of(const DatasetHeader& dataset);

/// Reads all elements as they are in the file, in row-major order, into `to`, which has room for
/// the dataset's sizes. Elements that were never written get the fill value. FileError that begins
/// with `name`.
void read_elements(const FileNumbers& file, const DatasetHeader& dataset, const std::string& name,
                   char* to);

}  // namespace catena::hdf5
