#pragma once

#include <string>

namespace catena {

class ArchiveReader;
class ArchiveWriter;
struct SaveOptions;

// The functions catena_hdf5_reader and catena_hdf5_writer of libcatena_hdf5; the caller owns their
// results.
using MakeHdf5Reader = ArchiveReader*(const std::string& path);
using MakeHdf5Writer = ArchiveWriter*(const std::string& path, const SaveOptions& options);

}  // namespace catena
