#pragma once

#include <string>
#include <vector>

#include "frontend/serializer/npz.h"
#include "tools/catena/model_file.h"
#include "tools/catena/run_options.h"

namespace catena::tool {

// Caffe models; a ValueError in a build without Caffe.

/// A Caffe model as a function from the given inputs, whose sizes the file does not say, to the
/// blobs that nothing reads after they are computed from these.
ModelFile open_caffe(const std::string& path, const std::vector<std::string>& given);
/// Computes the results of a Caffe model from the inputs that the user gave.
NamedArrays run_caffe(const RunOptions& options);
void check_caffe(const std::string& path);
void show_caffe(const std::string& path);

}  // namespace catena::tool
