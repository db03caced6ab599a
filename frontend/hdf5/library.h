#pragma once

#include <string>

namespace catena {

class ArchiveReader;
class ArchiveWriter;
struct SaveOptions;

// What libcatena_hdf5 offers, as catena_hdf5_reader and catena_hdf5_writer; the caller owns what they make.
using MakeHdf5Reader = ArchiveReader*(const std::string& path);
using MakeHdf5Writer = ArchiveWriter*(const std::string& path, const SaveOptions& options);

}  // namespace catena
