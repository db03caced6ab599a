#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena::tool {

/// The options of `catena run`.
struct RunOptions {
    std::string model;
    std::vector<std::string> inputs;
    std::string output, save, device = "cpu";
    std::vector<std::string> made_inputs;
    bool eager = false, check = false, print = false;
    int repeat = 1;
};

/// The arrays that --input describes as NAME=SIZExSIZE:DTYPE, by name: floats uniform in [0, 1),
/// the same in every run; others 0. ValueError, in `command`'s name, for other texts.
std::map<std::string, Array> described_inputs(const std::string& command,
                                              const std::vector<std::string>& texts);

/// The arrays for inputs of these names: from one .npz by name, else x0 x1 ... of it or .npy files
/// in order; or as described by --input, which must then name all of them.
std::vector<Array> arrays_for(const std::vector<std::string>& names, const RunOptions& options);

}  // namespace catena::tool
