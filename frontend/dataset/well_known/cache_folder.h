#pragma once

#include <filesystem>
#include <string>

namespace catena {

/// The folder of downloaded datasets and trained weights: the one given to set_dataset_root(), else
/// CATENA_CACHE_DIR, else XDG_CACHE_HOME/catena, else ~/.cache/catena.
std::filesystem::path cache_folder();

// The same by Chainer's names.
inline std::filesystem::path get_dataset_root() { return cache_folder(); }
/// Sets the cache folder for the whole process; an empty path restores the default.
void set_dataset_root(const std::filesystem::path& path);
/// The folder `name` in the cache folder. FileError when it cannot be created.
std::filesystem::path get_dataset_directory(const std::string& name, bool create_directory = true);

}  // namespace catena
