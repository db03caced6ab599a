#include "frontend/dataset/well_known/cache_folder.h"

#include <mutex>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"

namespace catena {
namespace {

struct Root {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::filesystem::path path;
};
Root& root() {
    static Root root;
    return root;
}

}  // namespace

std::filesystem::path cache_folder() {
    {
        const std::lock_guard lock(root().mutex);
        if (!root().path.empty()) return root().path;
    }
    if (auto folder = environment::text("CATENA_CACHE_DIR")) return *folder;
    if (auto folder = environment::text("XDG_CACHE_HOME"))
        return std::filesystem::path(*folder) / "catena";
    return std::filesystem::path(environment::text("HOME").value_or(".")) / ".cache" / "catena";
}

void set_dataset_root(const std::filesystem::path& path) {
    const std::lock_guard lock(root().mutex);
    root().path = path;
}

std::filesystem::path get_dataset_directory(const std::string& name, bool create_directory) {
    const std::filesystem::path path = cache_folder() / name;
    std::error_code error;
    if (create_directory) std::filesystem::create_directories(path, error);
    if (error)
        fail<FileError>("get_dataset_directory: cannot create {}: {}", path.string(),
                        error.message());
    return path;
}

}  // namespace catena
