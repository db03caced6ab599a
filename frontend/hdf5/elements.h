#pragma once

#include <string>

#include "frontend/hdf5/dataset.h"

namespace catena::hdf5 {

/// What of a dataset is in the file.
struct Stored {
    uint64_t bytes = 0;   ///< At most those of the file.
    uint64_t chunks = 0;  ///< That were written.
};
Stored stored_of(const FileNumbers& file, const DatasetHeader& dataset);

/// The bytes of a chunk without filters; ~0 where 64 bits do not hold them.
uint64_t chunk_bytes_of(const DatasetHeader& dataset);

/// All elements as they are in the file, in order of rows: as many bytes as the sizes say, which
/// have been compared with what is stored. What was never written is the value to fill it with.
/// FileError that begins with `name`.
void read_elements(const FileNumbers& file, const DatasetHeader& dataset, const std::string& name,
                   char* to);

}  // namespace catena::hdf5
