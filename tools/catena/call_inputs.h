#pragma once

#include <string>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena::tool {

/// The input of `catena call`: arguments, gradients of outputs, gradients of gradients. Entry i is
/// the array of key "x<i>" and so on; undefined where the file leaves one out.
struct CallInputs {
    std::vector<Array> x, gy, ggx;
};

/// Reads .npy files (arguments only) or one .npz file. FileError, ValueError on an unknown key or a
/// gap in x.
CallInputs read_call_inputs(const std::vector<std::string>& files);

}  // namespace catena::tool
