#pragma once

#include <string>

#include "frontend/serializer/npz.h"
#include "frontend/tools/catena/run_options.h"

namespace catena::tool {

// Caffe models; a ValueError in a build without Caffe.

/// The blobs that nothing reads, from the inputs that were given.
NamedArrays run_caffe(const RunOptions& options);
void check_caffe(const std::string& path);
void show_caffe(const std::string& path);

}  // namespace catena::tool
