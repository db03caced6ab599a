#pragma once

#include <string>
#include <vector>

#include "frontend/serializer/npz.h"
#include "tools/catena/model_file.h"
#include "tools/catena/run_options.h"

namespace catena::tool {

// Caffe models; a ValueError in a build without Caffe.

/// The blobs that nothing reads after they are computed from those that are given, whose sizes the
/// file does not say.
ModelFile open_caffe(const std::string& path, const std::vector<std::string>& given);
/// The same blobs, from the inputs that the user gave.
NamedArrays run_caffe(const RunOptions& options);
void check_caffe(const std::string& path);
void show_caffe(const std::string& path);

}  // namespace catena::tool
