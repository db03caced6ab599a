#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace catena::structure {

/// The repository's root.
std::filesystem::path root();

/// All .h, .cpp, .def and .inc files below `folder`, as paths relative to the root, sorted.
std::vector<std::string> sources_below(const std::string& folder);

/// All .h, .cpp, .c and .inc files of the repository, as paths relative to the root, sorted;
/// without what builds wrote.
std::vector<std::string> code_files();

std::string read(const std::string& path);
std::vector<std::string> lines_of(const std::string& path);

}  // namespace catena::structure
