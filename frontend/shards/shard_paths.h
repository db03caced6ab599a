#pragma once

#include <string>
#include <vector>

namespace catena {

/// The paths that a pattern with braces names, as a shell does: "train-{0000..0146}.tar" are 147
/// paths, "{train,val}-{0..3}.tar" eight. A text without such braces is its own path. ValueError
/// for more than a million paths.
std::vector<std::string> expand_shards(const std::string& pattern);
/// The paths of several patterns, one after the other.
std::vector<std::string> expand_shards(const std::vector<std::string>& patterns);

}  // namespace catena
