#include "frontend/dataset/cache_folder.h"

#include "runtime/core/environment.h"

namespace catena {

std::filesystem::path cache_folder() {
    if (auto folder = environment::text("CATENA_CACHE_DIR")) return *folder;
    if (auto folder = environment::text("XDG_CACHE_HOME")) return std::filesystem::path(*folder) / "catena";
    return std::filesystem::path(environment::text("HOME").value_or(".")) / ".cache" / "catena";
}

}  // namespace catena
