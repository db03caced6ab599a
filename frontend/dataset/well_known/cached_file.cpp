#include "frontend/dataset/well_known/cached_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runtime/core/system/error.h"

namespace catena {

namespace fs = std::filesystem;

CachedFile::CachedFile(fs::path path) : path_(std::move(path)) {
    const fs::path parent = path_.has_parent_path() ? path_.parent_path() : ".";
    std::error_code error;
    fs::create_directories(parent, error);
    if (error)
        fail<FileError>("cache_or_load_file: cannot create {}: {}", parent.string(),
                        error.message());
    std::string folder =
        (parent / ".partial-XXXXXX").string();  // Beside the file, so that it can be renamed.
    if (!mkdtemp(folder.data()))
        fail<FileError>("cache_or_load_file: cannot write to {}: {}", parent.string(),
                        std::strerror(errno));
    folder_ = folder;
}

CachedFile::~CachedFile() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void CachedFile::keep() {
    std::error_code error;
    fs::rename(temporary(), path_, error);
    if (error)
        fail<FileError>("cache_or_load_file: the creator should have written {}, to become {}: {}",
                        temporary(), path_.string(), error.message());
}

}  // namespace catena
