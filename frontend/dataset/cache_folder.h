#pragma once

#include <filesystem>

namespace catena {

/// Where datasets and trained weights are kept: CATENA_CACHE_DIR, else XDG_CACHE_HOME/catena, else ~/.cache/catena.
std::filesystem::path cache_folder();

}  // namespace catena
