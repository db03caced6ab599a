#pragma once

#include <filesystem>
#include <string>

namespace catena {

/// Where datasets and trained weights are kept: what set_dataset_root() was given, else
/// CATENA_CACHE_DIR, else XDG_CACHE_HOME/catena, else ~/.cache/catena.
std::filesystem::path cache_folder();

// The same by Chainer's names.
inline std::filesystem::path get_dataset_root() { return cache_folder(); }
/// For the whole process; an empty path: where it is by default again.
void set_dataset_root(const std::filesystem::path& path);
/// The folder `name` in it. FileError when it cannot be created.
std::filesystem::path get_dataset_directory(const std::string& name, bool create_directory = true);

}  // namespace catena
